/* Freeing what has been unlinked once no poster can see it. */
#ifndef HERALD_RECLAIM_H
#define HERALD_RECLAIM_H

#include "domain.h"

struct herald_retired;

/* What is retired brings the functions that end it (as with rcu_head.func of userspace RCU). */
struct herald_retired_kind {
    bool is_pinned;                               /* pins count; else only sections do */
    void (*unlink)(struct herald_retired *item);  /* under the domain's lock: no poster sees it any more; may be NULL */
    void (*destroy)(struct herald_retired *item); /* then, under no lock: frees it */
};

/* Stands in whatever is retired; first in what is pinned. */
struct herald_retired {
    struct herald_retired *next;
    const struct herald_retired_kind *kind;
    uint32_t size; /* bytes that wait with it */
    uint32_t word; /* its owner's, before and after: a snapshot's dead slots */
};

/* Bytes that may wait to be freed before a writer looks after them. */
#ifndef HERALD_RETIRED_ENOUGH
#define HERALD_RETIRED_ENOUGH (16 * 1024)
#endif

HERALD_BEGIN
/* Has the item ended when no poster can see it any more. Ends nothing now; may be called under a center's lock. */
void herald_retire(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size);
/* The same under the domain's lock. */
void herald_retire_locked(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size);

/* Bytes that wait since the last batch, and how many make a reclaim due. Atomic; domain's lock. */
extern size_t herald_reclaim_waiting, herald_reclaim_due;

static inline bool herald_reclaim_is_due(void) {
    return herald_unlikely(load_relaxed(&herald_reclaim_waiting) >= load_relaxed(&herald_reclaim_due));
}

/* Frees what can be freed now. No lock may be held. Writers call it when it is due. */
void herald_reclaim(void);

/* The same, though little waits: much more memory hangs on what does. */
void herald_reclaim_more(void);
/* Some hangs on what is retired: it waits, too. */
void herald_reclaim_count(size_t size);

/* In the child of a fork, under the domain's lock: the thread that was reclaiming is not here. */
void herald_reclaim_after_fork(void);
HERALD_END
#endif
