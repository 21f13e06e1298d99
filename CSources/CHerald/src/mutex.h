/* A mutex of the core. To fork, a thread first locks all mutexes of the core (fork.c). Until it unlocks them, it may
 * still call Herald: fork handlers that were registered before ours run in this time, both before and after the fork.
 * In such a call the thread *passes* a lock: it has the lock already, and goes on without locking.
 */
#ifndef HERALD_MUTEX_H
#define HERALD_MUTEX_H

#include "platform.h"
#include <pthread.h>

HERALD_BEGIN
extern const void *herald_forking; /* atomic: HERALD_MUTEX_SELF of the forking thread, which has every lock; or NULL */

#ifdef HERALD_EXPLORE
#define HERALD_MUTEX_SELF ((const void *)explore_local())
#else
extern __thread char herald_mutex_self __attribute__((tls_model("initial-exec")));
#define HERALD_MUTEX_SELF ((const void *)&herald_mutex_self)
#endif

/* Called by the forking thread: from now on it passes all locks. In the child, the first call that passes a lock runs
 * `repair` first. */
void herald_mutex_begin_fork(void (*repair)(void));
/* In the child: runs `repair`, unless a call has already run it. */
void herald_mutex_repair(void);
/* Called to pass a lock: runs `repair` if this process is the child and `repair` has not run yet. */
void herald_mutex_pass(void);
void herald_mutex_end_fork(void);
HERALD_END

HERALD_INLINE bool herald_mutex_is_passed(void) {
    return herald_unlikely(__atomic_load_n(&herald_forking, __ATOMIC_RELAXED) == HERALD_MUTEX_SELF);
}

HERALD_INLINE void herald_mutex_lock(pthread_mutex_t *mutex) {
    if (herald_mutex_is_passed()) {
        herald_mutex_pass();
    } else {
        pthread_mutex_lock(mutex);
    }
}

HERALD_INLINE void herald_mutex_unlock(pthread_mutex_t *mutex) {
    if (!herald_mutex_is_passed()) pthread_mutex_unlock(mutex);
}

#endif
