/* Fork (R18): the forking thread takes every lock, so that the child finds nothing half done. */
#include "barrier.h"
#include "name.h"
#include "reclaim.h"
#include "release.h"
#include "suspension.h"
#include "turn.h"

static void before(void) {
    herald_names_before_fork();
    herald_locks_before_fork();
    herald_turns_before_fork();
    herald_barrier_before_fork();
    herald_domain_lock();
}

static void unlock(bool in_child) {
    herald_domain_unlock();
    herald_barrier_after_fork(in_child);
    herald_turns_after_fork(in_child);
    herald_locks_after_fork();
    herald_names_after_fork();
}

static void in_parent(void) { unlock(false); }

static void in_child(void) {
    herald_domain_after_fork();
    herald_threads_after_fork();
    herald_reclaim_after_fork();
    for (HeraldCenterRef center = herald_centers; center; center = center->next) {
        herald_release_after_fork(center);
        herald_suspension_after_fork(center);
    }
    unlock(true);
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(before, in_parent, in_child); }
