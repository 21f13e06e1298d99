/* Deferred reclamation: frees unlinked memory once no poster can see it. The scheme: a batch waits for the sections
 * that were running (as RCU waits for a grace period), then for the hazard pointers on what is in it. */
#ifndef HERALD_RECLAIM_H
#define HERALD_RECLAIM_H

#include "domain.h"

struct herald_retired;

/* Each retired item brings the functions that end it, as rcu_head.func does in userspace RCU. */
struct herald_retired_kind {
    bool is_pinned;                              /* pins protect it, too; else only sections do */
    void (*unlink)(struct herald_retired *item); /* called under the domain's lock when no poster can see it; or NULL */
    void (*destroy)(struct herald_retired *item); /* called after that, under no lock: frees it */
};

/* A member of everything that is retired. It comes first in an item that can be pinned. */
struct herald_retired {
    struct herald_retired *next;
    const struct herald_retired_kind *kind;
    uint32_t size; /* bytes that are freed with it */
    uint32_t word; /* for its owner, before and after it is retired; a snapshot's list of dead slots */
};

/* A writer reclaims when this many bytes wait to be freed. */
#ifndef HERALD_RETIRED_ENOUGH
#define HERALD_RETIRED_ENOUGH (16 * 1024)
#endif

HERALD_BEGIN
/* Hands an item to the reclaimer, which ends it when no poster can see it any more. This call ends nothing itself, so
 * it may be made under a center's lock. */
void herald_retire(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size);
/* As herald_retire, under the domain's lock. */
void herald_retire_locked(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size);

/* Bytes retired since the last batch, and how many make a reclaim due. Atomic; written under the domain's lock. */
extern size_t herald_reclaim_waiting, herald_reclaim_due;

static inline bool herald_reclaim_is_due(void) {
    return herald_unlikely(load_relaxed(&herald_reclaim_waiting) >= load_relaxed(&herald_reclaim_due));
}

/* Frees what can be freed now. No lock may be held. Writers call it when it is due. */
void herald_reclaim(void);

/* As herald_reclaim, but also frees items that were retired a moment ago. For a caller that knows that these keep much
 * more memory than was counted. */
void herald_reclaim_more(void);
/* Counts further bytes as waiting: retired items keep them in memory. */
void herald_reclaim_count(size_t size);

/* In the child of a fork, under the domain's lock: the thread that was reclaiming does not exist here. */
void herald_reclaim_after_fork(void);
HERALD_END
#endif
