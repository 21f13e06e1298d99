/* Ordering: If several threads make an identity at once, one identity is kept.
 * Progress: One system call, which does not wait.
 * Ownership: The identity belongs to the process. The child of a fork makes its own.
 */
#include "identity.h"
#include <sys/auxv.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

_Atomic uint64_t herald_host_identity_known;

/* Makes an identity when the kernel gives no random numbers (early after boot, or in a sandbox). The kernel did give
 * the program some when the program started (AT_RANDOM). Forked children share these numbers: the time and the process
 * number tell the children apart. */
static uint64_t make_without_kernel(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t *given = (const uint64_t *)getauxval(AT_RANDOM); /* sixteen bytes */
    uint64_t mixed = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    mixed ^= (given ? *given : (uint64_t)(uintptr_t)&now) ^ (uint64_t)getpid() << 40;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

uint64_t herald_host_identity_make(void) {
    uint64_t made = 0, none = 0;
    if (getrandom(&made, sizeof made, GRND_NONBLOCK) != sizeof made) made = make_without_kernel();
    if (!made) made = 1;
    if (!HERALD_HOST_STEP(IDENTITY)) made = (uint64_t)getpid();
    return atomic_compare_exchange_strong(&herald_host_identity_known, &none, made) ? made : none;
}

void herald_host_identity_in_child(void) { herald_host_identity_known = 0; }
