/* A mutex of the core. A thread that forks has locked all mutexes of the core (fork.c) and may still make calls in that
 * time: fork handlers that were registered before ours run then, before the fork and after it. In such a call the
 * thread *passes* a lock, which means that it goes on without locking.
 */
#ifndef HERALD_MUTEX_H
#define HERALD_MUTEX_H

#include "platform.h"
#include <pthread.h>

HERALD_BEGIN
extern const void *herald_forking; /* atomic: HERALD_MUTEX_SELF of the thread that has every lock, or NULL */

#ifdef HERALD_EXPLORE
#define HERALD_MUTEX_SELF ((const void *)explore_local())
#else
extern __thread char herald_mutex_self __attribute__((tls_model("initial-exec")));
#define HERALD_MUTEX_SELF ((const void *)&herald_mutex_self)
#endif

/* This thread forks: from now on it passes all locks. In the child, the first call that passes one starts with
 * `repair`. */
void herald_mutex_begin_fork(void (*repair)(void));
/* In the child: runs `repair`, unless a call has run it already. */
void herald_mutex_repair(void);
/* For a call that passes a lock: runs `repair` first if this is the child and nothing has run it. */
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
