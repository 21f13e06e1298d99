/* A snapshot: the registrations of one bucket, in their order, as posters see them.
 *
 * The writer (center's lock) appends in place while there is room; an entry is never overwritten or taken away, so a
 * poster that has read the count reads entries below it for as long as it pins the snapshot. A snapshot that is full,
 * or a quarter dead, is replaced; the dead slots go with it.
 *
 * The retired snapshots of one bucket and its current one form a line from old to new (domain's lock). A dead slot
 * belongs to the last snapshot that lists it. When that is freed, an older one may still be pinned and list the slot:
 * then the slot is that one's. So a callback that never returns holds back only what its own snapshot lists.
 */
#ifndef HERALD_SNAPSHOT_H
#define HERALD_SNAPSHOT_H

#include "reclaim.h"
#include "slot.h"

struct herald_snapshot {
    struct herald_retired retired; /* first */
    struct herald_slots *slots;
    struct herald_snapshot *older, *newer; /* domain's lock */
    uint64_t last;                         /* domain's lock, once retired: sequence of the last entry */
    uint32_t first_dead;                   /* domain's lock, once retired: no dead slot of its own before it */
    uint32_t capacity;
    uint32_t count; /* atomic: entries that posters may read; beside them, for the cache */
    struct herald_slot *entries[];
};

HERALD_BEGIN
/* An empty one; NULL when memory is out. */
struct herald_snapshot *herald_snapshot_create(struct herald_slots *slots, uint32_t capacity);

/* Copies the living entries of `old` to `fresh`, which has room for them (NULL: there are none), and tells the dead
 * slots that they left with `old`. No entry before `first_dead` is dead. */
void herald_snapshot_copy(struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t first_dead);

/* Retires a snapshot that posters find no more, because `fresh` (NULL: nothing) has been published in its place. */
void herald_snapshot_retire(struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t first_dead,
                            uint32_t dead);
HERALD_END
#endif
