/* Fork: the child finds none of these locks taken. None is held by a thread that waits for another, but for the queue's
 * under the loop's, or for one of the core's.
 *
 * Ordering. In the order in which they are taken. Progress: bounded. Ownership: none. */
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
