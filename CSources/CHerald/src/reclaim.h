/* Freeing what has been unlinked once no poster can see it. */
#ifndef HERALD_RECLAIM_H
#define HERALD_RECLAIM_H

#include "domain.h"

HERALD_BEGIN
/* Takes memory from the C library's heap, with a herald_retired somewhere in it: freed when every section that could
 * have found it has ended. Never runs anything now; may be called under a center's lock. */
void herald_retire(struct herald_retired *item, void *memory, size_t size);

/* For a snapshot, whose first member is the item: pins count too. Under the domain's lock; `size` includes the dead
 * slots that go with it. */
void herald_retire_snapshot(struct herald_retired *item, size_t size);

static inline bool herald_reclaim_is_due(void) {
    return herald_unlikely(load_relaxed(&herald_domain.fresh_size) >= load_relaxed(&herald_domain.due_size));
}

/* Frees what can be freed now. No lock may be held. Writers call it when it is due. */
void herald_reclaim(void);
HERALD_END
#endif
