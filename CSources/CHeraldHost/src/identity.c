/* Ordering: If several threads make an identity at once, one identity is kept.
 * Progress: System calls that do not wait.
 * Ownership: The identity belongs to the process. The child of a fork makes its own.
 */
#include "identity.h"
#include "ground_time.h"
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

_Atomic uint64_t herald_host_identity_known;

/* Draws a number when the kernel gives no random numbers (early after boot, or in a sandbox). The kernel did give the
 * program two when the program started (AT_RANDOM). Forked children share these numbers: the time and the process
 * number tell the children apart. Other users may see what was drawn. So it gives neither of the two numbers away: the
 * C library keeps them secret. */
static uint64_t draw_without_kernel(void) {
    const void *at = (const void *)getauxval(AT_RANDOM); /* at any address */
    uint64_t given[2] = {(uintptr_t)&at, 0};
    if (at) memcpy(given, at, sizeof given);
    return given[0] ^ given[1] ^ (uint64_t)getpid() << 40 ^ ground_now();
}

uint64_t herald_host_identity_draw(void) {
    uint64_t drawn;
    return getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) == sizeof drawn ? drawn : draw_without_kernel();
}

uint64_t herald_host_identity_make(void) {
    uint64_t made = herald_host_identity_draw(), none = 0;
    if (!made) made = 1;
    if (!HERALD_HOST_STEP(IDENTITY)) made = (uint64_t)getpid();
    return atomic_compare_exchange_strong(&herald_host_identity_known, &none, made) ? made : none;
}

void herald_host_identity_in_child(void) { herald_host_identity_known = 0; }
