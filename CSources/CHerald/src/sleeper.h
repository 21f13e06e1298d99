/* A sleeper: a thread that waits under a mutex until another thread wakes it. The struct lies on the sleeping thread's
 * stack, in a list that the waking thread reads. */
#ifndef HERALD_SLEEPER_H
#define HERALD_SLEEPER_H

#include "mutex.h"

struct herald_sleeper {
    pthread_cond_t woken;
};

HERALD_BEGIN
void herald_sleeper_begin(struct herald_sleeper *sleeper);
void herald_sleeper_end(struct herald_sleeper *sleeper);

/* Sleeps until it is woken, or at most for `nanoseconds` if that is not 0. The mutex is free in the meantime. False:
 * the time is over. It may wake for no reason. Not a cancellation point. */
bool herald_sleeper_sleep(struct herald_sleeper *sleeper, pthread_mutex_t *mutex, uint64_t nanoseconds);

/* Sleeps for a millisecond, in a thread that no other thread would wake. Not a cancellation point. */
void herald_nap(void);

/* Under the mutex. */
void herald_sleeper_wake(struct herald_sleeper *sleeper);
HERALD_END
#endif
