/* The forking thread has all locks already. So it does not lock a mutex again: it *passes* the mutex (mutex.h).
 *
 * Ordering: A thread compares `herald_forking` only with its own HERALD_MUTEX_SELF, a value that no other thread
 * stores. So the variable needs no order.
 * Progress: To pass a lock costs a call of getpid while `to_repair` is set.
 * Ownership: The variables in this file belong to the forking thread.
 */
#include "mutex.h"

#include <unistd.h>

const void *herald_forking;
#ifndef HERALD_EXPLORE
__thread char herald_mutex_self __attribute__((tls_model("initial-exec")));
#endif

static pid_t parent;
static void (*to_repair)(void); /* repairs the child after the fork (fork.c); NULL once it has run */

void herald_mutex_begin_fork(void (*repair)(void)) {
    parent = getpid();
    to_repair = repair;
    __atomic_store_n(&herald_forking, HERALD_MUTEX_SELF, __ATOMIC_RELAXED);
}

void herald_mutex_repair(void) {
    void (*repair)(void) = to_repair;
    to_repair = NULL;
    if (repair) repair();
}

HERALD_SLOW void herald_mutex_pass(void) {
    if (to_repair && getpid() != parent) herald_mutex_repair();
}

void herald_mutex_end_fork(void) { __atomic_store_n(&herald_forking, NULL, __ATOMIC_RELAXED); }
