/* A snapshot: the registrations of one bucket, in their order, as posters see them.
 *
 * The writer (center's lock) appends in place while there is room. An entry whose registration has ended is overwritten
 * with the tombstone, once, and with nothing else; so a poster that has read the count reads entries below it for as
 * long as it pins the snapshot, and calls the slot that it has shown. A snapshot that is full, or a quarter dead, is
 * replaced.
 *
 * The retired snapshots of one bucket and its current one form a line from old to new (domain's lock). A dead slot
 * belongs to the snapshot that was current when it ended, the last that listed it. When that is freed, an older one may
 * still be pinned and list the slot: then the slot is that one's. So a callback that never returns holds back only what
 * its own snapshot lists.
 */
#ifndef HERALD_SNAPSHOT_H
#define HERALD_SNAPSHOT_H

#include "reclaim.h"
#include "slot.h"

/* A snapshot's ends: atomic, written under the center's lock. HERALD_END_ONE for each of its
 * registrations that has ended; HERALD_ENDING while an entry becomes the tombstone; HERALD_REPLACED once another
 * snapshot is current, which then counts the ends. They change before a slot's state, and so before the remover's
 * barrier. A walk shows a slot and looks at the ends: if they are as they were when it began, the slot is ACTIVE or the
 * tombstone. */
enum { HERALD_REPLACED = 1, HERALD_ENDING = 2, HERALD_END_ONE = 4 };

struct herald_snapshot {
    union {
        struct herald_retired retired; /* first; its word leads the list of dead slots, by `next_dead`: the center's
                                          lock, once retired the domain's */
        uint32_t capacity;             /* until it is retired */
    };
    struct herald_slots *slots;
    struct herald_snapshot *older, *newer; /* domain's lock */
    uint64_t last;                         /* no entry has a later sequence */
    /* What posters read, together: */
    uint32_t ends;
    uint32_t count;                /* atomic: entries that they may read */
    struct herald_slot *entries[]; /* atomic */
};
herald_static_assert(offsetof(struct herald_snapshot, ends) == HERALD_LINE - 8, "what posters read is at the end");

/* Before the entries. Partner: the release in herald_snapshot_bury. */
HERALD_INLINE uint32_t herald_snapshot_ends(const struct herald_snapshot *snapshot) {
    return HERALD_STEP(ENDS_ACQUIRE) ? load_acquire(&snapshot->ends) : load_relaxed(&snapshot->ends);
}

HERALD_BEGIN
/* Stands for a registration that has ended, so that no poster need fetch the line of its slot. It is not ACTIVE, and
 * comes before all others: sequence 0. It has a callback, which does nothing: a walk over many may call it. */
extern struct herald_slot herald_tombstone; /* nobody writes to it */

/* An empty one; NULL when memory is out. */
struct herald_snapshot *herald_snapshot_create(struct herald_slots *slots, uint32_t capacity);
/* The same in memory of the caller's. */
void herald_snapshot_begin(struct herald_snapshot *snapshot, struct herald_slots *slots, uint32_t capacity);

/* Under the center's lock: overwrites the slot's entry, and hands the slot over to the snapshot. */
void herald_snapshot_bury(struct herald_snapshot *snapshot, struct herald_slot *slot);

/* Copies the living entries of `old` to `fresh`, which has room for them. No entry before `first_dead` is dead. */
void herald_snapshot_copy(const struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t first_dead);

/* Retires a snapshot that posters find no more, because `fresh` (NULL: nothing) has been published in its place. It has
 * `dead` dead slots, and is of the kind of those that herald_snapshot_create makes, or of one that unlinks as they do
 * and gives up their reference to `slots`. */
void herald_snapshot_retire(struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t dead,
                            const struct herald_retired_kind *kind);
void herald_snapshot_unlink(struct herald_retired *item);
extern const struct herald_retired_kind herald_snapshot_kind;
HERALD_END
#endif
