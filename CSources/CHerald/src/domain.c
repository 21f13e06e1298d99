/* The domain's lock, and threads that sleep on an address, as on a futex. Removers wait in this way for a slot's
 * release.
 *
 * Ordering: That of the mutex.
 * Progress: No thread has the lock while it runs user code or a barrier. A wake looks at all waiters of one list: those
 * of its own address, and the few of other addresses with the same hash.
 * Ownership: A waiter lies on its thread's stack. The lock protects the waiters and their lists.
 */
#include "domain.h"
#include "ground_list.h"
#include "lock.h"
#include "sleeper.h"

#include <string.h>

struct waiter {
    const void *awaited;
    struct waiter *next, **link;
    struct herald_sleeper sleeper;
};

enum { LISTS = 64 };

static struct waiter *waiters[LISTS];

uint32_t herald_domain_forks;

void herald_domain_lock(void) { herald_mutex_lock(HERALD_LOCK(DOMAIN)); }
void herald_domain_unlock(void) { herald_mutex_unlock(HERALD_LOCK(DOMAIN)); }

static struct waiter **list_of(const void *awaited) { return &waiters[(uintptr_t)awaited / HERALD_LINE % LISTS]; }

void herald_domain_wait(const void *awaited) {
    struct waiter self, **list = list_of(awaited);
    self.awaited = awaited;
    GROUND_LIST_PUSH(*list, &self);
    herald_sleeper_begin(&self.sleeper);
    herald_sleeper_sleep(&self.sleeper, HERALD_LOCK(DOMAIN), 0);
    GROUND_LIST_REMOVE(&self);
    herald_sleeper_end(&self.sleeper);
}

void herald_domain_wake(const void *awaited) {
    for (struct waiter *waiter = *list_of(awaited); waiter; waiter = waiter->next)
        if (waiter->awaited == awaited) herald_sleeper_wake(&waiter->sleeper);
}

void herald_domain_after_fork(void) {
    memset(waiters, 0, sizeof waiters); /* their threads are in the parent */
    herald_domain_forks++;
}
