/* The heavy fence, the writer's half of the asymmetric fence: see order.h. */
#ifndef HERALD_BARRIER_H
#define HERALD_BARRIER_H

#include "mutex.h"
#include "order.h"

HERALD_BEGIN
/* Whether writers use membarrier, or posts carry full fences. Decided once, before any center is made. */
enum herald_barrier { HERALD_BARRIER_UNDECIDED, HERALD_BARRIER_MEMBARRIER, HERALD_BARRIER_FENCE };
extern enum herald_barrier herald_barrier; /* atomic */
void herald_barrier_decide(void);

/* Whether all posts must carry full fences, because writers cannot use membarrier. */
HERALD_INLINE bool herald_barrier_is_fencing(void) {
    if (herald_unlikely(load_acquire(&herald_barrier) == HERALD_BARRIER_UNDECIDED)) herald_barrier_decide();
    return load_relaxed(&herald_barrier) == HERALD_BARRIER_FENCE;
}

/* When this returns, every other thread has executed a full barrier since the call. (If posts carry full fences, only
 * the caller executes one.) Never called under a lock. */
void herald_fence_heavy(void);

struct herald_patience {
    uint32_t moments;
    uint64_t end; /* 0: not known yet */
};
/* Waits for a moment. Returns true once the waiting has lasted as long as a barrier takes. */
bool herald_patience_is_out(struct herald_patience *patience);

void herald_barrier_in_child(void);
HERALD_END
#endif
