/* The remover's half of the barrier: see order.h. */
#ifndef HERALD_BARRIER_H
#define HERALD_BARRIER_H

#include "order.h"

HERALD_BEGIN
/* Whether posts must carry fences, because the kernel gives us no membarrier. Decided once, before any center. */
bool herald_barrier_is_fenced(void);

/* After it returns: each other thread has executed a full barrier since the call. Never called under a lock. */
void herald_heavy(void);

void herald_barrier_before_fork(void);
void herald_barrier_after_fork(bool in_child);
HERALD_END
#endif
