/* Locking arenas, taking their memory, and giving it back.
 *
 *      who gives back   lock; is it ready?; changes; tail; for each channel with a process: from where does that read?;
 *                       changes again; does the index lead to this arena from the oldest of these to the tail?; not
 *                       ready; give back; unlock
 *      a reader         locks a channel; shows there that it may read anything; shows that the channel has a process;
 *                       reads the tail, where it begins; shows how far it has come, each time that it has read
 *      who changes      does so at the other channel first, counts the change, and then leaves the one before
 *      a poster         locks; is it ready?; writes and publishes
 *
 * Ordering. Sequentially consistent. While an arena is locked nothing new is published in it. A reader whose channel
 * had no process yet when it was looked at reads the tail after that, and so begins at or behind the tail that was read
 * here before: the index leads to nothing that it will read. One that goes from a channel that is yet to be looked at
 * to one that was looked at before has counted that. What a reader shows it has copied out of the arena. So no reader
 * finds an arena's memory gone that it was about to read. Tests/Model/host_arena.c is this as a model.
 *
 * Progress. System calls, no waits. One that is stopped here has one arena's lock. Ownership. The locks are the open
 * file's.
 */
#include "arena.h"
#include <fcntl.h>

enum { OWN = HERALD_ARENAS - HERALD_BORROWED, LEFT = 1 << 20 /* bytes, to others who use the file system */ };

static bool lock_arena(int file, uint32_t arena) {
    return herald_file_lock_byte(file, HERALD_ARENA_LOCKS + arena, F_WRLCK);
}
static void unlock_arena(int file, uint32_t arena) { herald_file_lock_byte(file, HERALD_ARENA_LOCKS + arena, F_UNLCK); }

static bool is_ready(const struct herald_segment *segment, uint32_t arena) {
    return herald_arena_at(segment->header, arena)->ready != 0;
}

static void empty(struct herald_segment *segment, uint32_t arena) {
    herald_segment_empty(segment, HERALD_ARENAS_AT + (size_t)arena * HERALD_ARENA, HERALD_ARENA);
}

/* What could be taken of an arena's memory is given back, for the names. Under its lock. */
static bool furnish(struct herald_segment *segment, uint32_t arena) {
    if (herald_segment_fill(segment, HERALD_ARENAS_AT + (size_t)arena * HERALD_ARENA, HERALD_ARENA) != HeraldOK) {
        empty(segment, arena);
        return false;
    }
    herald_arena_at(segment->header, arena)->ready = 1;
    return true;
}

/* Locks one of these, of which the memory has been taken, or is to be. BUSY: there are some, and each is locked;
 * NO_ROOM: there is none, or no memory. */
static enum herald_arena_found lock_one(struct herald_segment *segment, int file, uint32_t first, uint32_t end,
                                        bool ready, uint32_t *found) {
    enum herald_arena_found outcome = HERALD_ARENA_NO_ROOM;
    for (*found = first; *found < end; ++*found) {
        if (is_ready(segment, *found) != ready) continue;
        outcome = HERALD_ARENA_BUSY;
        if (!lock_arena(file, *found)) continue;
        /* Under the lock: it may just have been given back, or taken by another that has left it. */
        if (is_ready(segment, *found) != ready) {
            unlock_arena(file, *found);
            continue;
        }
        if (ready || furnish(segment, *found)) return HERALD_ARENA_LOCKED;
        unlock_arena(file, *found);
        return HERALD_ARENA_NO_ROOM;
    }
    return outcome;
}

enum herald_arena_found herald_arena_own(struct herald_segment *segment, int file, uint32_t *arena) {
    if (lock_one(segment, file, 0, OWN, true, arena) == HERALD_ARENA_LOCKED) return HERALD_ARENA_LOCKED;
    size_t room = HERALD_ARENA + LEFT;
    for (uint32_t borrowed = OWN; borrowed < HERALD_ARENAS; borrowed++)
        if (!is_ready(segment, borrowed)) room += HERALD_ARENA;
    if (herald_segment_has_room(segment, room) != HeraldOK) return HERALD_ARENA_NO_ROOM;
    return lock_one(segment, file, 0, OWN, false, arena);
}

/* So that where others fill the file system then, one borrower that is stopped does not stop all others. */
static void furnish_another(struct herald_segment *segment, int file) {
    uint32_t arena;
    if (herald_segment_has_room(segment, HERALD_ARENA + LEFT) == HeraldOK &&
        lock_one(segment, file, OWN, HERALD_ARENAS, false, &arena) == HERALD_ARENA_LOCKED)
        unlock_arena(file, arena);
}

enum herald_arena_found herald_arena_borrow(struct herald_segment *segment, int file, uint32_t *arena) {
    /* Also one whose owner has gone: in a second this process looks for one of its own again. */
    enum herald_arena_found found = lock_one(segment, file, OWN, HERALD_ARENAS, true, arena);
    if (found == HERALD_ARENA_LOCKED || lock_one(segment, file, 0, OWN, true, arena) == HERALD_ARENA_LOCKED)
        return HERALD_ARENA_LOCKED;
    if (herald_segment_has_room(segment, HERALD_ARENA + LEFT) != HeraldOK) return found;
    enum herald_arena_found more = lock_one(segment, file, OWN, HERALD_ARENAS, false, arena);
    if (more == HERALD_ARENA_LOCKED) furnish_another(segment, file);
    return more == HERALD_ARENA_NO_ROOM ? found : more;
}

/* ---- Giving back ------------------------------------------------------------------------------------------------- */

/* The oldest record that somebody may be about to read; 0: it may be any. */
static uint64_t oldest_wanted(struct herald_segment *segment, int file) {
    struct herald_header *header = segment->header;
    uint64_t changes = header->changes_of_channels, oldest = header->tail; /* before the channels */
    if (herald_segment_is_expecting(header)) return 0; /* who is on the way begins at the beginning */
    for (uint32_t number = 0; number < HERALD_CHANNELS; number++) {
        struct herald_channel *channel = herald_channel_at(header, number);
        if (!channel->owner) continue;
        uint64_t reading = channel->reading;
        if (reading < oldest && herald_file_is_locked(file, number, 1)) oldest = reading; /* else it is dead */
    }
    return header->changes_of_channels == changes ? oldest : 0;
}

/* Not ready, before its memory goes: one that is killed in between must leave none that is taken to be there. */
static void give_back(struct herald_segment *segment, int file, uint32_t arena) {
    uint64_t oldest = oldest_wanted(segment, file);
    if (!is_ready(segment, arena)) return;
    if (herald_does(WANTED) && herald_log_leads_to(segment->header, arena, oldest)) return;
    herald_arena_at(segment->header, arena)->ready = 0;
    empty(segment, arena);
}

static uint32_t count_ready(const struct herald_segment *segment) {
    uint32_t count = 0;
    for (uint32_t arena = 0; arena < HERALD_ARENAS; arena++) count += is_ready(segment, arena);
    return count;
}

void herald_arenas_give_back(struct herald_segment *segment) {
    bool kept = false;
    if (!herald_log_is_open(segment->header) || count_ready(segment) < 2) return;
    int file = herald_segment_reopen(segment);
    if (file < 0) return;
    for (uint32_t arena = 0; arena < HERALD_ARENAS; arena++) {
        if (!is_ready(segment, arena) || !lock_arena(file, arena)) continue;
        if (kept) give_back(segment, file, arena);
        kept = true;
        unlock_arena(file, arena);
    }
    herald_file_discard(file);
}
