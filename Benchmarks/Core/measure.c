/* Time: tasks in turn, the CPUs they run on, and the second thread. */
#include "bench.h"

#include <sched.h>

struct settings settings;

void bench_stop(const char *file, int line, const char *what) {
    fprintf(stderr, "bench: %s:%d: this should hold: %s\n", file, line, what);
    exit(1);
}

static double read_clock(clockid_t clock) {
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double now(void) { return read_clock(CLOCK_MONOTONIC); }

/* The last CPU for the measuring thread: the first one often serves the interrupts. */
void choose_cpus(void) {
    cpu_set_t allowed;
    settings.cpu = settings.other_cpu = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        if (settings.cpu < 0) {
            settings.cpu = cpu;
        } else if (settings.other_cpu < 0) {
            settings.other_cpu = cpu;
        }
    }
}

void pin_to(int cpu) {
    cpu_set_t one;
    if (cpu < 0) return;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (pthread_setaffinity_np(pthread_self(), sizeof one, &one) != 0)
        fprintf(stderr, "bench: cannot stay on CPU %d; the figures will be rougher\n", cpu);
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

static double time_of(const struct task *task, long count) {
    if (task->prepare) task->prepare(task->context, count);
    double start = now();
    task->run(task->context, count);
    return now() - start;
}

/* Warms up as well. */
static void calibrate(struct task *task) {
    for (task->count = 1; time_of(task, task->count) < settings.batch && task->count < 1L << 40; task->count *= 2) {
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double percentile(double *values, size_t count, double share) {
    qsort(values, count, sizeof *values, ascending);
    return values[(size_t)(share * (double)(count - 1) + 0.5)];
}

/* A few attempts at a batch that counts; the last counts anyhow when `anyhow` says so. */
static void take_sample(struct task *task, const struct second *beside, bool anyhow) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct stretch stretch = stretch_begin(beside);
        double time = time_of(task, task->count);
        if (!both_ran(&stretch, beside) && !(anyhow && attempt == ATTEMPTS - 1)) continue;
        task->samples[task->taken++] = time / (double)task->count;
        return;
    }
}

static void summarize(struct task *task, const struct second *beside) {
    if (!task->taken) {
        fprintf(stderr, "bench: the two threads never ran undisturbed; the next row is rough\n");
        for (int round = 0; round < settings.rounds; round++) take_sample(task, beside, true);
    }
    task->median = percentile(task->samples, task->taken, 0.5);
    task->least = task->samples[0];
}

void measure(struct task *tasks, int count, const struct second *beside) {
    for (int i = 0; i < count; i++) {
        if (tasks[i].count) {
            time_of(&tasks[i], tasks[i].count);
        } else {
            calibrate(&tasks[i]);
        }
    }
    for (int round = 0; round < settings.rounds; round++)
        for (int i = 0; i < count; i++) take_sample(&tasks[i], beside, false);
    for (int i = 0; i < count; i++) summarize(&tasks[i], beside);
}

/* ---- The second thread ------------------------------------------------------------------------------------------- */

static void *second_main(void *argument) {
    struct second *second = argument;
    pin_to(settings.other_cpu);
    second->run(second);
    return NULL;
}

void second_start(struct second *second, void (*run)(struct second *second), void *context) {
    second->run = run;
    second->context = context;
    atomic_store(&second->stop, false);
    atomic_store(&second->done, 0);
    REQUIRE(pthread_barrier_init(&second->ready, NULL, 2) == 0);
    REQUIRE(pthread_create(&second->thread, NULL, second_main, second) == 0);
    REQUIRE(pthread_getcpuclockid(second->thread, &second->clock) == 0);
    second_ready(second);
}

struct stretch stretch_begin(const struct second *second) {
    struct stretch none = {0, 0, 0};
    if (!second) return none;
    return (struct stretch){now(), read_clock(CLOCK_THREAD_CPUTIME_ID), read_clock(second->clock)};
}

bool both_ran(const struct stretch *stretch, const struct second *second) {
    if (!second) return true;
    double mine = read_clock(CLOCK_THREAD_CPUTIME_ID) - stretch->mine;
    double theirs = read_clock(second->clock) - stretch->theirs, time = now() - stretch->start;
    return mine >= 0.9 * time && theirs >= 0.9 * time;
}

void second_ready(struct second *second) { pthread_barrier_wait(&second->ready); }

bool second_may_go_on(struct second *second) { return !atomic_load_explicit(&second->stop, memory_order_relaxed); }

void second_stop(struct second *second) {
    atomic_store(&second->stop, true);
    pthread_join(second->thread, NULL);
    pthread_barrier_destroy(&second->ready);
}
