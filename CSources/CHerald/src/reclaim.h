/* Deferred reclamation: frees unlinked memory once no poster can see it. The scheme: a batch waits for the sections
 * that were running (as RCU waits for a grace period), then for the hazard pointers on its items. */
#ifndef HERALD_RECLAIM_H
#define HERALD_RECLAIM_H

#include "domain.h"

struct herald_retired;

/* Each retired item brings the functions that end it, as rcu_head.func does in userspace RCU. */
struct herald_retired_kind {
    bool is_pinned;                              /* pins protect the item, as sections do; if false, only sections do */
    void (*unlink)(struct herald_retired *item); /* called under the domain's lock when no poster can see it; or NULL */
    void (*destroy)(struct herald_retired *item); /* called after `unlink`, under no lock: frees it */
};

/* A member of everything that is retired. It comes first in an item that can be pinned, because pins are compared with
 * its address. */
struct herald_retired {
    struct herald_retired *next;
    const struct herald_retired_kind *kind;
    uint32_t size; /* bytes that are freed with it */
    uint32_t word; /* for the owner, before and after it is retired; a snapshot keeps its list of dead slots here */
};

/* The first reclaim is due when this many bytes wait to be freed. */
#ifndef HERALD_RETIRED_ENOUGH
#define HERALD_RETIRED_ENOUGH (16 * 1024)
#endif

HERALD_BEGIN
/* Hands an item to the reclaimer, which ends the item when no poster can see it any more. The call itself ends nothing,
 * so a thread may make it under a center's lock. */
void herald_retire(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size);
/* Does what herald_retire does, for a caller that has the domain's lock. */
void herald_retire_locked(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size);

/* Bytes that were retired since the last batch, and how many of them make a reclaim due. Atomic; written under the
 * domain's lock. */
extern size_t herald_reclaim_waiting, herald_reclaim_due;

static inline bool herald_reclaim_is_due(void) {
    return herald_unlikely(load_relaxed(&herald_reclaim_waiting) >= load_relaxed(&herald_reclaim_due));
}

/* Frees what can be freed now. The caller holds no lock. Writers call it when herald_reclaim_is_due() is true. */
void herald_reclaim(void);

/* Reclaims twice: the batch that is waiting, then the items that were retired since. Call it when these items keep much
 * more memory than was counted. */
void herald_reclaim_more(void);
/* Counts `size` more bytes as waiting, because retired items keep them in memory. */
void herald_reclaim_count(size_t size);

/* In the child of a fork, under the domain's lock: the thread that was reclaiming does not exist here. */
void herald_reclaim_after_fork(void);
HERALD_END
#endif
