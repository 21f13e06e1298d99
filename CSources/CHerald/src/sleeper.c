/* Ordering: that of the mutex. Progress: A sleeper sleeps until another thread wakes it, or until its time is over.
 * Ownership: A sleeper belongs to the thread that sleeps. */
#include "sleeper.h"
#include "ground_thread.h"
#include "ground_time.h"

#include <errno.h>

void herald_sleeper_begin(struct herald_sleeper *sleeper) { ground_condition_init(&sleeper->woken); }

void herald_sleeper_end(struct herald_sleeper *sleeper) { pthread_cond_destroy(&sleeper->woken); }

bool herald_sleeper_sleep(struct herald_sleeper *sleeper, pthread_mutex_t *mutex, uint64_t nanoseconds) {
    int cancel, result = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (nanoseconds) {
        struct timespec end = ground_timespec(ground_now() + nanoseconds);
        result = pthread_cond_timedwait(&sleeper->woken, mutex, &end);
    } else {
        pthread_cond_wait(&sleeper->woken, mutex);
    }
    pthread_setcancelstate(cancel, NULL);
    return result != ETIMEDOUT;
}

void herald_sleeper_wake(struct herald_sleeper *sleeper) { pthread_cond_signal(&sleeper->woken); }

void herald_nap(void) {
    const struct timespec nap = {0, 1000000};
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    nanosleep(&nap, NULL);
    pthread_setcancelstate(cancel, NULL);
}
