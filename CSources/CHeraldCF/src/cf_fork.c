/* Fork: the child finds the locks of the centers, the loop and the queue free. A thread that has one of them waits for
 * no lock of the core, and for none of the others, except that with the loop's it may wait for the queue's.
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
