/* Ordering: that of mutexes. Progress: a thread may wait, briefly, for a thread that works on another center with the
 * same lock. Ownership: static. */
#include "lock.h"

enum { LOCKS = 32 };

static struct {
    pthread_mutex_t mutex;
} __attribute__((aligned(HERALD_LINE))) locks[LOCKS] = {[0 ... LOCKS - 1] = {PTHREAD_MUTEX_INITIALIZER}};

pthread_mutex_t *herald_lock_for(uint64_t number) { return &locks[number % LOCKS].mutex; }

void herald_locks_before_fork(void) {
    for (int i = 0; i < LOCKS; i++) pthread_mutex_lock(&locks[i].mutex);
}

void herald_locks_after_fork(void) {
    for (int i = 0; i < LOCKS; i++) pthread_mutex_unlock(&locks[i].mutex);
}
