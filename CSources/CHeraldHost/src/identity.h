/* The identity tells this process from all others that use the file. A process number does not: two containers that
 * share the folder may each have a process 1. The process number is only shown to people. */
#ifndef HERALD_HOST_IDENTITY_H
#define HERALD_HOST_IDENTITY_H

#include "host_platform.h"

HERALD_BEGIN
extern _Atomic uint64_t herald_host_identity_known; /* 0: not made yet */
uint64_t herald_host_identity_make(void) __attribute__((cold));
static inline uint64_t herald_host_identity(void) {
    /* Relaxed: only the number itself is read, and it is the same for all threads. A stale 0 is harmless, because
     * herald_host_identity_make then returns the number that is kept. */
    uint64_t identity = atomic_load_explicit(&herald_host_identity_known, memory_order_relaxed);
    return herald_likely(identity != 0) ? identity : herald_host_identity_make();
}

/* Draws a random number, which other users cannot guess. */
uint64_t herald_host_identity_draw(void);

/* The child of a fork is another process, and forgets the identity of its parent. */
void herald_host_identity_in_child(void);
HERALD_END
#endif
