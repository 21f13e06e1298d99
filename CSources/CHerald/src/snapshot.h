/* A snapshot: the registrations of one bucket, in their order, as posters see them. The scheme: copy on write, except
 * that the writer appends in place.
 *
 * The writer (center's lock) appends in place while there is room. When a registration ends, the writer overwrites its
 * entry with the tombstone. An entry changes once at most, and in no other way. So a poster that has read the count may
 * read that many entries for as long as it pins the snapshot. An entry may change after the poster has read it. So the
 * poster reads an entry once, and calls the slot to which it has set its hazard pointer. A snapshot that is full, or a
 * quarter dead, is replaced.
 *
 * The retired snapshots of one bucket and its current one form a list from old to new (domain's lock). A dead slot
 * belongs to the last snapshot that listed it, which was current when the slot ended. When that snapshot is freed, an
 * older snapshot that lists the slot may still be pinned. Then the slot passes to the older snapshot. So a callback
 * that never returns holds back only the slots that its post's own snapshots list.
 */
#ifndef HERALD_SNAPSHOT_H
#define HERALD_SNAPSHOT_H

#include "reclaim.h"
#include "slot.h"

/* The bits of a snapshot's `ends`, which is atomic and is written under the center's lock. `ends` grows by
 * HERALD_END_ONE for each of the snapshot's registrations that ends. HERALD_ENDING is set while an entry becomes the
 * tombstone. HERALD_REPLACED is set once another snapshot is current; later ends are counted in the new snapshot. The
 * writer changes the ends before the slot's state, and so before the remover's barrier. A walk sets its hazard pointer
 * to a slot, then reads the ends. If the ends have not changed since the walk began, the slot is ACTIVE or the
 * tombstone. */
enum { HERALD_REPLACED = 1, HERALD_ENDING = 2, HERALD_END_ONE = 4 };

struct herald_snapshot {
    union {
        struct herald_retired retired; /* first. `word` begins the list, by `next_dead`, of the dead slots: center's
                                          lock; after the snapshot is retired, domain's lock */
        uint32_t capacity;             /* until it is retired */
    };
    struct herald_slots *slots;
    struct herald_snapshot *older, *newer; /* domain's lock */
    uint64_t last;                         /* no entry has a later sequence */
    /* Posters read these fields, which lie together: */
    uint32_t ends;
    uint32_t count;                /* atomic: how many entries posters may read */
    struct herald_slot *entries[]; /* atomic */
};
herald_static_assert(offsetof(struct herald_snapshot, ends) == HERALD_LINE - 8, "what posters read is at the end");

/* Acquire: a walk reads the ends before the entries. Partner: the release in herald_snapshot_bury. */
HERALD_INLINE uint32_t herald_snapshot_ends(const struct herald_snapshot *snapshot) {
    return HERALD_STEP(ENDS_ACQUIRE) ? load_acquire(&snapshot->ends) : load_relaxed(&snapshot->ends);
}

HERALD_BEGIN
/* The tombstone stands for a registration that has ended, so that posters need not fetch the line of the ended slot.
 * The tombstone is not ACTIVE, and its sequence, 0, is before all others. Its callback does nothing, because a walk
 * over several registrations may call it. */
extern struct herald_slot herald_tombstone; /* never written to */

/* Returns an empty snapshot, or NULL when memory is out. */
struct herald_snapshot *herald_snapshot_create(struct herald_slots *slots, uint32_t capacity);
/* Makes an empty snapshot in the caller's memory. */
void herald_snapshot_begin(struct herald_snapshot *snapshot, struct herald_slots *slots, uint32_t capacity);

/* Under the center's lock: overwrites the slot's entry with the tombstone, and puts the slot into the snapshot's list
 * of dead slots. */
void herald_snapshot_bury(struct herald_snapshot *snapshot, struct herald_slot *slot);

/* Copies the living entries of `old` to `fresh`, which has room for them. No entry before `first_dead` is dead. */
void herald_snapshot_copy(const struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t first_dead);

/* Retires a snapshot that posters can no longer find, because `fresh` has been published in its place. If `fresh` is
 * NULL, nothing has taken its place. `dead` is the number of dead slots in `old`. `kind` is herald_snapshot_kind for a
 * snapshot from herald_snapshot_create. Any other kind must unlink with herald_snapshot_unlink and give up the
 * snapshot's reference to `slots`. */
void herald_snapshot_retire(struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t dead,
                            const struct herald_retired_kind *kind);
void herald_snapshot_unlink(struct herald_retired *item);
extern const struct herald_retired_kind herald_snapshot_kind;
HERALD_END
#endif
