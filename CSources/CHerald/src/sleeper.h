/* A sleeper: a thread that waits under a mutex for one that knows it. It lies on the thread's stack, in a list of
 * whoever wakes it.
 */
#ifndef HERALD_SLEEPER_H
#define HERALD_SLEEPER_H

#include "mutex.h"

struct herald_sleeper {
    pthread_cond_t woken;
};

HERALD_BEGIN
void herald_sleeper_begin(struct herald_sleeper *sleeper);
void herald_sleeper_end(struct herald_sleeper *sleeper);

/* Sleeps, without the mutex meanwhile, until it is woken or, when `nanoseconds` is not 0, for so long; false: the time
 * is over. It may wake for no reason. No cancellation point. */
bool herald_sleeper_sleep(struct herald_sleeper *sleeper, pthread_mutex_t *mutex, uint64_t nanoseconds);

/* A millisecond, for who has nobody to be woken by. No cancellation point, either. */
void herald_nap(void);

/* Under the mutex. */
void herald_sleeper_wake(struct herald_sleeper *sleeper);
HERALD_END
#endif
