/* The locks of the core, in the order in which a thread that needs several of them takes them. (A fork takes the one of
 * first.c before them.) All centers share a few locks, so that an empty center is small. */
#ifndef HERALD_LOCK_H
#define HERALD_LOCK_H

#include "mutex.h"

enum {
    HERALD_LOCK_NAMES,
    HERALD_LOCK_CENTERS, /* no thread has two of these, except in fork */
    HERALD_LOCK_EDGES = HERALD_LOCK_CENTERS + 32,
    HERALD_LOCK_BARRIER,
    HERALD_LOCK_POOL,
    HERALD_LOCK_DESCRIBERS,
    HERALD_LOCK_CARRIERS,
    HERALD_LOCK_DOMAIN,
    HERALD_LOCK_ROOTS, /* of the leak checker: pages.c */
    HERALD_LOCKS
};

HERALD_BEGIN
extern struct herald_lock { pthread_mutex_t mutex; } __attribute__((aligned(HERALD_LINE))) herald_locks[HERALD_LOCKS];

/* For a fork: takes all locks, or gives them back. */
void herald_locks_take(void);
void herald_locks_give_back(void);
HERALD_END

#define HERALD_LOCK(name) (&herald_locks[HERALD_LOCK_##name].mutex)

static inline pthread_mutex_t *herald_lock_for(uint64_t center) {
    return &herald_locks[HERALD_LOCK_CENTERS + center % (HERALD_LOCK_EDGES - HERALD_LOCK_CENTERS)].mutex;
}
#endif
