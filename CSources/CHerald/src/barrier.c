/* The heavy fence: a writer's barrier, by membarrier(2). The scheme: asymmetric fences (P1202's
 * asymmetric_thread_fence_heavy and _light).
 *
 * Ordering: Take one thread's call of herald_fence_heavy() and another thread's herald_fence_light(). At least one of
 * the two sees the other's writes. Either the light thread's reads after its fence see all that the heavy thread wrote
 * before its call; or the heavy thread's reads after its call see all that the light thread wrote before its fence.
 * Progress: Callers that come while a barrier runs wait for it to end, and then share the next one. A barrier costs 0.2
 * us if no other thread of the process is running, otherwise 5 to 10 us.
 * Ownership: `lock` protects the numbers of barriers.
 */
#include "barrier.h"
#include "ground_sanitizer.h"
#include "ground_time.h"
#include "lock.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { /* from linux/membarrier.h, which old kernel headers lack */
       MEMBARRIER_QUERY = 0,
       MEMBARRIER_PRIVATE_EXPEDITED = 1 << 3,
       MEMBARRIER_REGISTER_PRIVATE_EXPEDITED = 1 << 4
};

static struct {
    pthread_cond_t ended;
    uint64_t started, finished; /* under the barrier's lock: the number of the newest barrier that has started, and of
                                   the newest that has finished */
    bool running;
} barrier = {PTHREAD_COND_INITIALIZER, 0, 0, false};

enum herald_barrier herald_barrier; /* atomic */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static long membarrier(int command) {
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0, 0);
#else
    (void)command;
    return -1;
#endif
}

/* For a thread sanitizer that does not see into the library, posts carry fences, too. A post with fences goes through
 * herald_deliver_slowly, which reports its calls. So posts without fences need not look for a sanitizer. */
static bool has_membarrier(void) {
    if (ground_is_watched()) return false;
    const char *wanted = secure_getenv("HERALD_BARRIER");
    if (wanted && strcmp(wanted, "fence") == 0) return false;
    long supported = membarrier(MEMBARRIER_QUERY);
    return supported >= 0 && supported & MEMBARRIER_PRIVATE_EXPEDITED &&
           membarrier(MEMBARRIER_REGISTER_PRIVATE_EXPEDITED) == 0;
}

static void decide(void) {
    store_release(&herald_barrier, has_membarrier() ? HERALD_BARRIER_MEMBARRIER : HERALD_BARRIER_FENCE);
}

/* Also called at the first use, because another constructor may make a center before decide_early() runs. Decides
 * once. */
HERALD_SLOW void herald_barrier_decide(void) { pthread_once(&once, decide); }

/* Early, because registering with the kernel takes microseconds while the process has one thread, but 10 ms once it has
 * several. */
__attribute__((constructor)) static void decide_early(void) { herald_barrier_decide(); }

/* How long a barrier takes, in nanoseconds: a running mean of durations, each cut at `MOST`. Only the thread that runs
 * a barrier writes the mean. Read relaxed: a stale value only makes a writer wait a little longer or shorter. */
enum { MOST = 20000, WEIGHT = 8 };
static uint64_t price = 10000; /* atomic */

static void run_barrier(void) {
    uint64_t begin = ground_now();
    if (membarrier(MEMBARRIER_PRIVATE_EXPEDITED) != 0)
        herald_abort("herald: the kernel now refuses membarrier(2), which it granted when the program started "
                     "(a seccomp filter?). Posts rely on it; start with HERALD_BARRIER=fence instead.");
    uint64_t took = ground_now() - begin;
    store_relaxed(&price, (price * (WEIGHT - 1) + (took < MOST ? took : MOST)) / WEIGHT);
}

void herald_fence_heavy(void) {
    herald_pause();
    /* Partners: the fences of fencing posts, and the fence in herald_thread_attach. Either herald_thread_has_company()
     * below counts the record of a new thread, or the new thread sees what we wrote. */
    fence_full();
    if (herald_barrier_is_fencing() || !herald_thread_has_company()) return;

    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    herald_mutex_lock(HERALD_LOCK(BARRIER));
    uint64_t mine = barrier.started + 1; /* a barrier that is running may have started before our writes */
    while (barrier.finished < mine) {
        if (barrier.running) {
            pthread_cond_wait(&barrier.ended, HERALD_LOCK(BARRIER));
            continue;
        }
        barrier.running = true;
        uint64_t number = ++barrier.started;
        herald_mutex_unlock(HERALD_LOCK(BARRIER));
        run_barrier();
        herald_mutex_lock(HERALD_LOCK(BARRIER));
        barrier.running = false;
        barrier.finished = number;
        pthread_cond_broadcast(&barrier.ended);
    }
    herald_mutex_unlock(HERALD_LOCK(BARRIER));
    pthread_setcancelstate(cancel, NULL);
}

/* ---- Patience ---------------------------------------------------------------------------------------------------- */

#ifdef HERALD_EXPLORE
bool herald_patience_is_out(struct herald_patience *patience) {
    return ++patience->moments > 3 || explore_patience_is_out();
}
#else
enum { MOMENTS = 8 /* between looks at the clock */ };

static void rest_a_moment(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#else
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

bool herald_patience_is_out(struct herald_patience *patience) {
    rest_a_moment();
    if (++patience->moments % MOMENTS) return false;
    uint64_t now = ground_now();
    if (!patience->end) patience->end = now + load_relaxed(&price);
    return now >= patience->end;
}
#endif

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

void herald_barrier_in_child(void) {
    barrier.running = false;
    barrier.finished = barrier.started; /* the threads that ran a barrier or waited for one are in the parent */
    pthread_cond_init(&barrier.ended, NULL);
}
