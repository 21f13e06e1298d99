/* Fork: the child finds none of these locks taken. No thread has one of them while it waits for another, except for the
 * loop's while it waits for the queue's. No thread has one of them while it waits for a lock of the core.
 *
 * Ordering: The loop's lock is taken before the queue's, as elsewhere. Progress: bounded. Ownership: none.
 */
#include "cf_center.h"
#include "cf_loop.h"
#include "cf_queue.h"

static void lock_all(void) {
    herald_cf_lock_centers();
    herald_cf_lock_loop();
    herald_cf_lock_queue();
}

static void unlock_all(void) {
    herald_cf_unlock_queue();
    herald_cf_unlock_loop();
    herald_cf_unlock_centers();
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(lock_all, unlock_all, unlock_all); }
