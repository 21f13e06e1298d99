/* A mutex of the core. While a thread forks it has all of them (fork.c), and may go on making calls: handlers of fork
 * that are older than ours run then, before the fork and after it.
 */
#ifndef HERALD_MUTEX_H
#define HERALD_MUTEX_H

#include "platform.h"
#include <pthread.h>

HERALD_BEGIN
extern const void *herald_forking; /* atomic: the thread that has every lock, or NULL */

#ifdef HERALD_EXPLORE
#define HERALD_MUTEX_SELF ((const void *)explore_local())
#else
extern __thread char herald_mutex_self __attribute__((tls_model("initial-exec")));
#define HERALD_MUTEX_SELF ((const void *)&herald_mutex_self)
#endif

/* The thread forks: from now on it passes all locks, and in the child `repair` comes before whatever it calls. */
void herald_mutex_begin_fork(void (*repair)(void));
/* In the child: makes the repair, if no call has made it. */
void herald_mutex_repair(void);
/* A call on the thread that forks: in the child it comes after the repair. */
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
