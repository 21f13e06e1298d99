/* The locks of centers. All centers share a few locks, so that an empty center is small and fork can take every lock.
 * No thread has two of these locks at once, except in fork. */
#ifndef HERALD_LOCK_H
#define HERALD_LOCK_H

#include "mutex.h"

HERALD_BEGIN
pthread_mutex_t *herald_lock_for(uint64_t number);
void herald_locks_before_fork(void);
void herald_locks_after_fork(void);
HERALD_END
#endif
