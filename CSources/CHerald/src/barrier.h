/* The remover's half of the barrier: see order.h. */
#ifndef HERALD_BARRIER_H
#define HERALD_BARRIER_H

#include "mutex.h"
#include "order.h"

HERALD_BEGIN
/* How removers and posters meet. Decided once, before any center. */
enum herald_barrier { HERALD_BARRIER_UNDECIDED, HERALD_BARRIER_MEMBARRIER, HERALD_BARRIER_FENCE };
extern enum herald_barrier herald_barrier; /* atomic */
void herald_barrier_decide(void);

/* Whether posts must carry fences, because the kernel gives us no membarrier. */
HERALD_INLINE bool herald_barrier_is_fencing(void) {
    if (herald_unlikely(load_acquire(&herald_barrier) == HERALD_BARRIER_UNDECIDED)) herald_barrier_decide();
    return load_relaxed(&herald_barrier) == HERALD_BARRIER_FENCE;
}

/* After it returns: each other thread has executed a full barrier since the call. Never called under a lock. */
void herald_fence_heavy(void);

/* Waits for a moment, and says whether the waiting has lasted as long as a barrier takes. */
struct herald_patience {
    uint32_t moments;
    uint64_t end; /* 0: not known yet */
};
bool herald_patience_is_out(struct herald_patience *patience);

void herald_barrier_before_fork(void);
void herald_barrier_in_child(void);
void herald_barrier_after_fork(void);
HERALD_END
#endif
