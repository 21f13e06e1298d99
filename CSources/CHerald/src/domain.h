/* The domain: what all centers of the process share, under one lock. Each file keeps its own part of the domain: the
 * thread records (thread.c), what waits to be freed (reclaim.c), the list of centers (center.c).
 *
 * Lock order: see lock.h. User code runs under none of the locks, except what a fork handler calls (R18).
 */
#ifndef HERALD_DOMAIN_H
#define HERALD_DOMAIN_H

#include "mutex.h"
#include "order.h"

HERALD_BEGIN
void herald_domain_lock(void);
void herald_domain_unlock(void);

/* Waits until another thread calls herald_domain_wake with the same address; may also return for no reason. Both
 * functions are called under the domain's lock, which is free during the wait. herald_domain_wake wakes every thread
 * that waits for this address, and no other. */
void herald_domain_wait(const void *awaited);
void herald_domain_wake(const void *awaited);

/* How many forks lie between the first process of the program and this one; written under the domain's lock. */
extern uint32_t herald_domain_forks;

/* In the child of a fork, under the lock: forgets the waiters, whose threads are in the parent. */
void herald_domain_after_fork(void);
HERALD_END
#endif
