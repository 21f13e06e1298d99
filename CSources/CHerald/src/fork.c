/* Fork (R18): the forking thread takes every lock, so that the child finds nothing half done. Fork handlers that were
 * registered before ours run while the forking thread has the locks, and may make calls: see mutex.h. */
#include "barrier.h"
#include "edges.h"
#include "first.h"
#include "follower.h"
#include "reclaim.h"
#include "release.h"
#include "suspension.h"
#include "told.h"

/* In the child: everything that other threads were doing is over. */
static void repair(void) {
    herald_domain_after_fork();
    herald_threads_after_fork();
    herald_reclaim_after_fork();
    herald_barrier_in_child();
    herald_told_in_child();
    herald_edges_in_child();
    for (HeraldCenterRef center = herald_centers; center; center = center->next) {
        herald_told_after_fork(center);
        herald_release_after_fork(center);
        herald_suspension_after_fork(center);
        herald_follower_after_fork(center);
    }
}

/* Under first.c's lock. False: another copy has the centers and all else that the locks protect (R22). */
static bool is_first;

static void before(void) {
    herald_first_before_fork();
    is_first = !herald_first_known();
    if (!is_first) return;
    herald_locks_take();
    herald_mutex_begin_fork(repair);
}

static void unlock(void) {
    if (is_first) {
        herald_mutex_end_fork();
        herald_locks_give_back();
    }
    herald_first_after_fork();
}

static void in_child(void) {
    if (is_first) herald_mutex_repair();
    unlock();
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(before, unlock, in_child); }
