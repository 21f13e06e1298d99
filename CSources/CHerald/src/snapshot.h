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

#include "domain.h"

struct herald_snapshot {
    struct herald_retired retired;
    HeraldCenterRef center;
    struct herald_snapshot *older, *newer; /* domain's lock */
    uint64_t last;                         /* domain's lock, once retired: sequence of the last entry */
    uint32_t first_dead;                   /* domain's lock, once retired: no dead slot of its own before it */
    uint32_t capacity;
    uint32_t count; /* atomic: entries that posters may read; beside them, for the cache */
    struct herald_slot *entries[];
};

HERALD_BEGIN
/* Room for one more entry in the bucket's snapshot. False when memory is out; nothing posters see has changed. */
bool herald_snapshot_reserve(HeraldCenterRef center, struct herald_bucket *bucket);
/* Publishes a slot whose fields are set. */
void herald_snapshot_append(struct herald_bucket *bucket, struct herald_slot *slot);
/* Notes that a slot in the current snapshot is no longer ACTIVE. */
void herald_snapshot_buried(struct herald_bucket *bucket, struct herald_slot *slot);
/* Replaces the snapshot if enough of it is dead and there is memory. */
void herald_snapshot_trim(HeraldCenterRef center, struct herald_bucket *bucket);
/* Takes the bucket's snapshot away from posters that come. */
void herald_snapshot_drop(HeraldCenterRef center, struct herald_bucket *bucket);

/* The reclaimer's, under the domain's lock: no poster can see the snapshot any more. Its dead slots go back to their
 * center or to an older snapshot. The caller frees the memory, and gives up the snapshot's hold on the center. */
void herald_snapshot_unlink(struct herald_snapshot *snapshot);
HERALD_END
#endif
