/* Locking rings, taking memory for them, and giving the memory back. (For records, the index and the tail, see log.h.)
 *
 *      the giver        locks the ring; reads `changes_of_channels` and the tail; reads `reading` at each channel that
 *                       has a process; reads `changes_of_channels` again. The lowest of the tail and all `reading` is
 *                       the number of the oldest wanted record. If no word of the index from that number on leads to
 *                       the ring, marks the ring as not ready, and gives back its memory. Last, unlocks the ring
 *      a reader         locks a channel; sets the channel's `reading` to 0 (the reader may read any record); sets the
 *                       channel's `owner`; reads the tail, and begins there; raises `reading` after each reading
 *      a moving reader  changes channels: locks the new channel, and sets its `reading` and `owner` as above; raises
 *                       `changes_of_channels`; leaves the old channel
 *      a poster         locks a ring; checks that the ring is ready; writes and publishes a record
 *
 * Ordering: Sequentially consistent. The giver is the process that gives back a ring's memory. While the giver has the
 * ring's lock, nothing new is published in the ring. The giver may miss two kinds of readers when it looks at the
 * channels. First, a new reader may set the `owner` of its channel after the giver has looked there. But the new reader
 * reads the tail later than the giver did, so it needs no record before the giver's tail. Second, a moving reader may
 * leave a channel that the giver has not looked at yet, for a channel that the giver has looked at already. But the
 * moving reader raises `changes_of_channels` before it leaves the old channel. So the giver finds the count raised when
 * it reads the count again. In that case the giver treats every record as wanted, and gives back no ring to which the
 * index leads. A reader raises `reading` to a number only after it has copied all records before that number. So memory
 * that a reader is about to read is never given back. Tests/Model/host_ring.c models this.
 *
 * Progress: System calls, no waits. A process that is stopped here keeps one ring locked.
 * Ownership: A ring's lock belongs to the open file through which it was taken.
 */
#include "ring.h"
#include "cell.h"
#include <fcntl.h>

enum {
    OWN = HERALD_HOST_RINGS - HERALD_HOST_BORROWED, /* how many rings can be owned; the rings after these are lent */
    LEFT = 1 << 20                                  /* bytes that must stay free in the file system */
};

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

/* Takes memory for a ring. If there is memory for only a part of the ring, gives that part back, because the name table
 * may need it. Under the ring's lock. */
static bool furnish(struct herald_host_segment *segment, uint32_t ring) {
    if (herald_host_segment_fill(segment, HERALD_HOST_RINGS_AT + (size_t)ring * HERALD_HOST_RING, HERALD_HOST_RING) !=
        HeraldOK) {
        empty(segment, ring);
        return false;
    }
    herald_host_ring_at(segment->header, ring)->ready = 1;
    return true;
}

/* After the ring was locked: finishes what its last owner was doing, if that was killed. Every published record is
 * helped first, so no owner overwrites a record that is not in its cell yet. The order is that of value.h. */
static void settle(struct herald_host_segment *segment, uint32_t ring) {
    if (!herald_host_log_is_open(segment->header)) return;
    if (HERALD_HOST_STEP(SETTLE_ORDER)) herald_host_cell_settle_old(segment->header, ring);
    herald_host_log_help(segment->header, ring);
    if (HERALD_HOST_STEP(SETTLES)) herald_host_cell_settle_hand(segment->header, ring);
}

/* Locks one of the rings from `first` to `end` - 1, and stores the ring's number in `found`. If `ready` is true, tries
 * the rings that have memory. If `ready` is false, tries the rings without memory, and takes memory for the ring that
 * it has locked. BUSY: all rings that were tried are locked. NO_ROOM: there was no ring to try, or there is no memory.
 */
static enum herald_host_ring_found lock_one(struct herald_host_segment *segment, int file, uint32_t first, uint32_t end,
                                            bool ready, uint32_t *found) {
    enum herald_host_ring_found outcome = HERALD_HOST_RING_NO_ROOM;
    for (*found = first; *found < end; ++*found) {
        if (is_ready(segment, *found) != ready) continue;
        outcome = HERALD_HOST_RING_BUSY;
        if (!lock_ring(file, *found)) continue;
        /* The ring is checked again under the lock, because another process may just have given back its memory or
         * taken memory for it. */
        if (is_ready(segment, *found) != ready) {
            unlock_ring(file, *found);
            continue;
        }
        if (ready || furnish(segment, *found)) {
            settle(segment, *found);
            return HERALD_HOST_RING_LOCKED;
        }
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

/* Takes memory for one spare ring. A borrower that is stopped keeps its ring locked. Then other borrowers use the spare
 * ring, even if the file system is full by that time. */
static void furnish_another(struct herald_host_segment *segment, int file) {
    uint32_t ring;
    if (herald_host_segment_has_room(segment, HERALD_HOST_RING + LEFT) == HeraldOK &&
        lock_one(segment, file, OWN, HERALD_HOST_RINGS, false, &ring) == HERALD_HOST_RING_LOCKED)
        unlock_ring(file, ring);
}

enum herald_host_ring_found herald_host_ring_borrow(struct herald_host_segment *segment, int file, uint32_t *ring) {
    enum herald_host_ring_found found = lock_one(segment, file, OWN, HERALD_HOST_RINGS, true, ring);
    /* If no lent ring is free, this process borrows a ring whose owner has gone. It does not become the owner here:
     * take_own (outbox.c) tries to find a ring of its own again in the next second. */
    if (found == HERALD_HOST_RING_LOCKED || lock_one(segment, file, 0, OWN, true, ring) == HERALD_HOST_RING_LOCKED)
        return HERALD_HOST_RING_LOCKED;
    if (herald_host_segment_has_room(segment, HERALD_HOST_RING + LEFT) != HeraldOK) return found;
    enum herald_host_ring_found more = lock_one(segment, file, OWN, HERALD_HOST_RINGS, false, ring);
    if (more == HERALD_HOST_RING_LOCKED) furnish_another(segment, file);
    return more == HERALD_HOST_RING_NO_ROOM ? found : more;
}

void herald_host_rings_settle(struct herald_host_segment *segment) {
    int file = herald_host_segment_reopen(segment);
    if (file < 0) return;
    for (uint32_t ring = 0; ring < HERALD_HOST_RINGS; ring++) {
        const struct herald_host_ring *head = herald_host_ring_at(segment->header, ring);
        if ((!head->hand && !head->old) || !lock_ring(file, ring)) continue;
        settle(segment, ring);
        unlock_ring(file, ring);
    }
    herald_host_file_discard(file);
}

/* ---- Giving back ------------------------------------------------------------------------------------------------- */

/* Returns the sequence number of the oldest record that a reader may be about to read. Returns 0 if that may be any
 * record. */
static uint64_t oldest_wanted(struct herald_host_segment *segment, int file) {
    struct herald_host_header *header = segment->header;
    uint64_t changes = header->changes_of_channels, oldest = header->tail; /* read before the channels */
    if (herald_host_segment_is_expecting(header)) return 0; /* a process may still come and read from the beginning */
    for (uint32_t number = 0; number < HERALD_HOST_CHANNELS; number++) {
        struct herald_host_channel *channel = herald_host_channel_at(header, number);
        if (!channel->owner) continue;
        uint64_t reading = channel->reading;
        if (reading < oldest && herald_host_file_is_locked(file, number, 1))
            oldest = reading; /* if the byte is not locked, the channel's process is dead */
    }
    return header->changes_of_channels == changes ? oldest : 0;
}

/* Gives back the memory of a locked ring, unless a reader may need a record in it. `ready` is cleared before the memory
 * is given back. So if this process is killed in between, no ring is marked as ready without memory. */
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
        settle(segment, ring);
        if (kept) give_back(segment, file, ring);
        kept = true;
        unlock_ring(file, ring);
    }
    herald_host_file_discard(file);
}
