/* A handler for SIGBUS, like those of systemd's journal and libwayland. Any program of the user's may cut the file
 * short at any moment, so a check before each access does not help.
 *
 * Ordering: A guard is complete before it is listed (sequentially consistent).
 * Progress: The handler is async-signal-safe.
 * Ownership: Guards are never taken off the list.
 */
#include "fault.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static struct herald_host_guard *_Atomic guards; /* newest first, linked by `older` */
static struct sigaction others;                  /* the action for SIGBUS before ours */

/* Maps zeros over the guarded memory that contains `at`. False: no guarded memory contains `at`, or the mapping fails.
 * Async-signal-safe. */
static bool put_zeros(void *at) {
    for (struct herald_host_guard *guard = guards; guard; guard = guard->older) {
        if ((char *)at < guard->memory || (char *)at >= guard->memory + guard->size) continue;
        void *zeros = mmap(guard->memory, guard->size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        if (zeros == MAP_FAILED) return false;
        guard->lost = true;
        *guard->superseded = 1;
        return true;
    }
    return false;
}

static void handle(int number, siginfo_t *about, void *context) {
    if (HERALD_HOST_STEP(FAULT) && about->si_code > 0 && put_zeros(about->si_addr))
        return; /* a fault in our memory, which can be read now: the instruction runs again */
    if (others.sa_flags & SA_SIGINFO) {
        others.sa_sigaction(number, about, context);
    } else if (others.sa_handler == SIG_IGN && about->si_code <= 0) {
        return;
    } else if (others.sa_handler == SIG_DFL || others.sa_handler == SIG_IGN) {
        signal(number, SIG_DFL); /* the fault happens again, and ends the process */
        if (about->si_code <= 0) raise(number);
    } else {
        others.sa_handler(number);
    }
}

static void install(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &others);
}

void herald_host_fault_guard(struct herald_host_guard *guard, void *memory, size_t size, _Atomic uint32_t *superseded) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    *guard = (struct herald_host_guard){memory, size, superseded, false, guards};
    guards = guard;
}
