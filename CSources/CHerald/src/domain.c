/* The domain's lock, and the condition that waiting removers sleep on.
 *
 * Ordering. That of the mutex. Progress. No thread has the lock while user code or a barrier runs.
 * Ownership. `waiting` belongs to the lock.
 */
#include "domain.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static uint32_t waiting; /* how many wait on it */

uint64_t herald_domain_forks;

void herald_domain_lock(void) { pthread_mutex_lock(&lock); }
void herald_domain_unlock(void) { pthread_mutex_unlock(&lock); }

void herald_domain_wait(void) {
    waiting++;
    pthread_cond_wait(&released, &lock);
    waiting--;
}

void herald_domain_wake(void) {
    if (waiting) pthread_cond_broadcast(&released);
}

void herald_domain_after_fork(void) {
    waiting = 0;
    pthread_cond_init(&released, NULL);
    herald_domain_forks++;
}
