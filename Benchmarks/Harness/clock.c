/* Time, the CPUs that threads run on, and the second thread. */
#include "harness.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

static int cpus[64], cpus_here;

void bench_stop(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: this should hold: %s\n", file, line, what);
    exit(1);
}

static double read_clock(clockid_t clock) {
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double now(void) { return read_clock(CLOCK_MONOTONIC); }
double time_of_thread(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

/* ---- Ticks ------------------------------------------------------------------------------------------------------- */

/* For single posts: the CPU's own counter costs half of the kernel's clock. No access is reordered across it. */
uint64_t ticks(void) {
#ifdef __x86_64__
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#else
    return (uint64_t)now();
#endif
}

double time_of_tick(void) {
    static double time;
    if (time > 0) return time;
    double start = now();
    uint64_t first = ticks();
    while (now() < start + 1e7) {
    }
    return time = (now() - start) / (double)(ticks() - first);
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* The measuring thread gets the last CPU: the first one often serves the interrupts. */
void choose_cpus(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && cpus_here < 64; cpu--)
        if (CPU_ISSET(cpu, &allowed)) cpus[cpus_here++] = cpu;
}

int cpu_count(void) { return cpus_here; }

void pin_to(int index) {
    cpu_set_t some;
    if (cpus_here == 0) return;
    CPU_ZERO(&some);
    for (int i = 0; i < cpus_here; i++)
        if (index < 0 || index % cpus_here == i) CPU_SET(cpus[i], &some);
    if (pthread_setaffinity_np(pthread_self(), sizeof some, &some) != 0)
        fprintf(stderr, "cannot choose a CPU; the figures will be rougher\n");
}

/* ---- Both at once ------------------------------------------------------------------------------------------------ */

struct stretch stretch_begin(const clockid_t *other) {
    struct stretch none = {0, 0, 0};
    if (!other) return none;
    return (struct stretch){now(), time_of_thread(), read_clock(*other)};
}

/* True if both ran for at least nine tenths of the time. */
static bool both_ran(const struct stretch *stretch, const clockid_t *other) {
    if (!other) return true;
    double mine = time_of_thread() - stretch->mine;
    double theirs = read_clock(*other) - stretch->theirs, time = now() - stretch->start;
    return mine >= 0.9 * time && theirs >= 0.9 * time;
}

bool again(const struct stretch *stretch, const clockid_t *other, int *attempt) {
    enum { ATTEMPTS = 8, ENOUGH = 3 };
    static int in_vain; /* samples in a row without an undisturbed attempt */
    if (both_ran(stretch, other)) {
        in_vain = 0;
        return false;
    }
    if (in_vain < ENOUGH && ++*attempt < ATTEMPTS) {
        usleep(2000); /* until the thread that took the CPU has used its slice */
        return true;
    }
    in_vain++;
    return false;
}

/* ---- The second thread ------------------------------------------------------------------------------------------- */

static void *second_main(void *argument) {
    struct second *second = argument;
    pin_to(1);
    if (second->peer->begin_thread) second->peer->begin_thread();
    second->run(second);
    return NULL;
}

void second_start(struct second *second, const struct peer *peer, void (*run)(struct second *second), void *context) {
    second->run = run;
    second->peer = peer;
    second->context = context;
    REQUIRE(pthread_barrier_init(&second->ready, NULL, 2) == 0);
    REQUIRE(pthread_create(&second->thread, NULL, second_main, second) == 0);
    REQUIRE(pthread_getcpuclockid(second->thread, &second->clock) == 0);
    second_ready(second);
}

void second_ready(struct second *second) { pthread_barrier_wait(&second->ready); }
