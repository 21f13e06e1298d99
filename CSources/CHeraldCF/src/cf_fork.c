/* Fork: in the child the locks of the centers, the loop and the queue are free. A thread that has one of them never
 * waits for a lock of the core. It never waits for another of these locks, either, with one exception: a thread that
 * has the loop's lock may wait for the queue's.
 *
 * Ordering: The loop's lock is taken before the queue's, as in cf_loop.c. Progress: bounded. Ownership: none.
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
