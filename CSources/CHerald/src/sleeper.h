/* A sleeper: a thread that waits under a mutex until another thread wakes it. The struct lies on the sleeping thread's
 * stack, inside an element of a list that the waking thread reads. */
#ifndef HERALD_SLEEPER_H
#define HERALD_SLEEPER_H

#include "mutex.h"

struct herald_sleeper {
    pthread_cond_t woken;
};

HERALD_BEGIN
void herald_sleeper_begin(struct herald_sleeper *sleeper);
void herald_sleeper_end(struct herald_sleeper *sleeper);

/* Sleeps until another thread calls herald_sleeper_wake, or until `nanoseconds` have passed (0: no limit). The mutex is
 * free during the sleep. Returns false if the time has passed. The sleep may also end for no reason. Not a cancellation
 * point. */
bool herald_sleeper_sleep(struct herald_sleeper *sleeper, pthread_mutex_t *mutex, uint64_t nanoseconds);

/* Sleeps for a millisecond. For a thread that no other thread will wake. Not a cancellation point. */
void herald_nap(void);

/* Under the mutex: wakes the sleeper. */
void herald_sleeper_wake(struct herald_sleeper *sleeper);
HERALD_END
#endif
