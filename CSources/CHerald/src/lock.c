/* Ordering: that of mutexes. Progress: a thread may wait, briefly, for a thread that works on another center with the
 * same lock. Ownership: static. */
#include "lock.h"

struct herald_lock herald_locks[HERALD_LOCKS] = {[0 ... HERALD_LOCKS - 1] = {PTHREAD_MUTEX_INITIALIZER}};

void herald_locks_take(void) {
    for (int i = 0; i < HERALD_LOCKS; i++) pthread_mutex_lock(&herald_locks[i].mutex);
}

void herald_locks_give_back(void) {
    for (int i = HERALD_LOCKS; i--;) pthread_mutex_unlock(&herald_locks[i].mutex);
}
