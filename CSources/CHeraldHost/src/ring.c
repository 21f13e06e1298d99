/* Locking rings, taking their memory, and giving it back.
 *
 *      giving back      lock; is it ready?; changes; tail; for each channel with a process: from where does that read?;
 *                       changes again; does the index lead to this ring from the oldest of these to the tail?; not
 *                       ready; give back; unlock
 *      a reader         locks a channel; shows there that it may read anything; shows that the channel has a process;
 *                       reads the tail, where it begins; shows how far it has come, each time that it has read
 *      a reader that    takes the other channel, with the steps above; counts the change; leaves the channel that it
 *      changes channels had
 *      a poster         locks; is it ready?; writes and publishes
 *
 * Ordering: Sequentially consistent. While a ring is locked, nothing new is published in it. If a reader's channel
 * shows no process yet when this process looks at the channel, the reader reads the tail later than that. So the reader
 * begins at or after the tail that was read here, and needs none of the records before it. A reader that goes from a
 * channel still to be looked at to one that has been looked at has counted this change, and the second reading of the
 * changes here finds it. A reader shows that it has read a record only after it has copied the record out of the ring.
 * So no memory is given back that a reader was about to read. Tests/Model/host_ring.c models this.
 *
 * Progress: System calls, no waits. A process that is stopped here has one ring's lock.
 * Ownership: The locks are the open file's.
 */
#include "ring.h"
#include <fcntl.h>

enum { OWN = HERALD_HOST_RINGS - HERALD_HOST_BORROWED, LEFT = 1 << 20 /* bytes left to others in the file system */ };

static bool lock_ring(int file, uint32_t ring) {
    return herald_host_file_lock_byte(file, HERALD_HOST_RING_LOCKS + ring, F_WRLCK);
}
static void unlock_ring(int file, uint32_t ring) {
    herald_host_file_lock_byte(file, HERALD_HOST_RING_LOCKS + ring, F_UNLCK);
}

static bool is_ready(const struct herald_host_segment *segment, uint32_t ring) {
    return herald_host_ring_at(segment->header, ring)->ready != 0;
}

static void empty(struct herald_host_segment *segment, uint32_t ring) {
    herald_host_segment_empty(segment, HERALD_HOST_RINGS_AT + (size_t)ring * HERALD_HOST_RING, HERALD_HOST_RING);
}

/* Takes a ring's memory. If only part of it can be had, that part is given back, so that names can have it. Under the
 * ring's lock. */
static bool furnish(struct herald_host_segment *segment, uint32_t ring) {
    if (herald_host_segment_fill(segment, HERALD_HOST_RINGS_AT + (size_t)ring * HERALD_HOST_RING, HERALD_HOST_RING) !=
        HeraldOK) {
        empty(segment, ring);
        return false;
    }
    herald_host_ring_at(segment->header, ring)->ready = 1;
    return true;
}

/* Locks one of the rings from `first` to before `end`. With `ready`, only a ring that has its memory already; otherwise
 * only a ring that has none, whose memory is then taken here. BUSY: there are such rings, and each is locked. NO_ROOM:
 * there is no such ring, or no memory. */
static enum herald_host_ring_found lock_one(struct herald_host_segment *segment, int file, uint32_t first, uint32_t end,
                                            bool ready, uint32_t *found) {
    enum herald_host_ring_found outcome = HERALD_HOST_RING_NO_ROOM;
    for (*found = first; *found < end; ++*found) {
        if (is_ready(segment, *found) != ready) continue;
        outcome = HERALD_HOST_RING_BUSY;
        if (!lock_ring(file, *found)) continue;
        /* Checked again under the lock: the memory may just have been given back, or taken by a process that has gone
         * since. */
        if (is_ready(segment, *found) != ready) {
            unlock_ring(file, *found);
            continue;
        }
        if (ready || furnish(segment, *found)) return HERALD_HOST_RING_LOCKED;
        unlock_ring(file, *found);
        return HERALD_HOST_RING_NO_ROOM;
    }
    return outcome;
}

enum herald_host_ring_found herald_host_ring_own(struct herald_host_segment *segment, int file, uint32_t *ring) {
    if (lock_one(segment, file, 0, OWN, true, ring) == HERALD_HOST_RING_LOCKED) return HERALD_HOST_RING_LOCKED;
    size_t room = HERALD_HOST_RING + LEFT;
    for (uint32_t borrowed = OWN; borrowed < HERALD_HOST_RINGS; borrowed++)
        if (!is_ready(segment, borrowed)) room += HERALD_HOST_RING;
    if (herald_host_segment_has_room(segment, room) != HeraldOK) return HERALD_HOST_RING_NO_ROOM;
    return lock_one(segment, file, 0, OWN, false, ring);
}

/* Takes the memory of one more ring to borrow, in advance. Then one borrower that is stopped does not stop all others,
 * even if the file system is full by that time. */
static void furnish_another(struct herald_host_segment *segment, int file) {
    uint32_t ring;
    if (herald_host_segment_has_room(segment, HERALD_HOST_RING + LEFT) == HeraldOK &&
        lock_one(segment, file, OWN, HERALD_HOST_RINGS, false, &ring) == HERALD_HOST_RING_LOCKED)
        unlock_ring(file, ring);
}

enum herald_host_ring_found herald_host_ring_borrow(struct herald_host_segment *segment, int file, uint32_t *ring) {
    enum herald_host_ring_found found = lock_one(segment, file, OWN, HERALD_HOST_RINGS, true, ring);
    /* A ring whose owner has gone is only borrowed, too: in a second this process looks for a ring of its own again. */
    if (found == HERALD_HOST_RING_LOCKED || lock_one(segment, file, 0, OWN, true, ring) == HERALD_HOST_RING_LOCKED)
        return HERALD_HOST_RING_LOCKED;
    if (herald_host_segment_has_room(segment, HERALD_HOST_RING + LEFT) != HeraldOK) return found;
    enum herald_host_ring_found more = lock_one(segment, file, OWN, HERALD_HOST_RINGS, false, ring);
    if (more == HERALD_HOST_RING_LOCKED) furnish_another(segment, file);
    return more == HERALD_HOST_RING_NO_ROOM ? found : more;
}

/* ---- Giving back ------------------------------------------------------------------------------------------------- */

/* The oldest record that a process may be about to read; 0: that may be any record. */
static uint64_t oldest_wanted(struct herald_host_segment *segment, int file) {
    struct herald_host_header *header = segment->header;
    uint64_t changes = header->changes_of_channels, oldest = header->tail; /* read before the channels */
    if (herald_host_segment_is_expecting(header)) return 0; /* a process on the way reads from the beginning */
    for (uint32_t number = 0; number < HERALD_HOST_CHANNELS; number++) {
        struct herald_host_channel *channel = herald_host_channel_at(header, number);
        if (!channel->owner) continue;
        uint64_t reading = channel->reading;
        if (reading < oldest && herald_host_file_is_locked(file, number, 1))
            oldest = reading; /* otherwise the channel's process is dead */
    }
    return header->changes_of_channels == changes ? oldest : 0;
}

/* `ready` is cleared before the memory goes: a process that is killed in between must not leave a ring that only seems
 * to have memory. */
static void give_back(struct herald_host_segment *segment, int file, uint32_t ring) {
    uint64_t oldest = oldest_wanted(segment, file);
    if (!is_ready(segment, ring)) return;
    if (HERALD_HOST_STEP(WANTED) && herald_host_log_leads_to(segment->header, ring, oldest)) return;
    herald_host_ring_at(segment->header, ring)->ready = 0;
    empty(segment, ring);
}

static uint32_t count_ready(const struct herald_host_segment *segment) {
    uint32_t count = 0;
    for (uint32_t ring = 0; ring < HERALD_HOST_RINGS; ring++) count += is_ready(segment, ring);
    return count;
}

void herald_host_rings_give_back(struct herald_host_segment *segment) {
    bool kept = false;
    if (!herald_host_log_is_open(segment->header) || count_ready(segment) < 2) return;
    int file = herald_host_segment_reopen(segment);
    if (file < 0) return;
    for (uint32_t ring = 0; ring < HERALD_HOST_RINGS; ring++) {
        if (!is_ready(segment, ring) || !lock_ring(file, ring)) continue;
        if (kept) give_back(segment, file, ring);
        kept = true;
        unlock_ring(file, ring);
    }
    herald_host_file_discard(file);
}
