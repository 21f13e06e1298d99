/* Fork: the child finds none of these locks taken. None is held by a thread that waits for another, or for one of the
 * core's. */
#include "darwin.h"

static void lock_all(void) {
    herald_cf_lock_centers();
    herald_cf_lock_list();
}

static void unlock_all(void) {
    herald_cf_unlock_list();
    herald_cf_unlock_centers();
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(lock_all, unlock_all, unlock_all); }
