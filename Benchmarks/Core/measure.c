/* Time: tasks in turn, the CPUs they run on, and the second thread. */
#include "bench.h"

#include <sched.h>
#include <time.h>

struct settings settings;

void bench_stop(const char *file, int line, const char *what) {
    fprintf(stderr, "bench: %s:%d: this should hold: %s\n", file, line, what);
    exit(1);
}

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

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
    double start = now();
    task->run(task->context, count);
    return now() - start;
}

/* Warms up as well. */
static void calibrate(struct task *task) {
    for (task->count = 1; time_of(task, task->count) < settings.batch && task->count < 1L << 40; task->count *= 2) {}
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double percentile(double *values, size_t count, double share) {
    qsort(values, count, sizeof *values, ascending);
    return values[(size_t)(share * (double)(count - 1) + 0.5)];
}

void summarize(struct task *task, int rounds) {
    task->median = percentile(task->samples, (size_t)rounds, 0.5);
    task->least = task->samples[0];
}

void measure(struct task *tasks, int count) {
    for (int i = 0; i < count; i++) {
        if (tasks[i].count) {
            time_of(&tasks[i], tasks[i].count);
        } else {
            calibrate(&tasks[i]);
        }
    }
    for (int round = 0; round < settings.rounds; round++)
        for (int i = 0; i < count; i++)
            tasks[i].samples[round] = time_of(&tasks[i], tasks[i].count) / (double)tasks[i].count;
    for (int i = 0; i < count; i++) summarize(&tasks[i], settings.rounds);
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
    second_ready(second);
}

void second_ready(struct second *second) { pthread_barrier_wait(&second->ready); }

bool second_may_go_on(struct second *second) { return !atomic_load_explicit(&second->stop, memory_order_relaxed); }

void second_stop(struct second *second) {
    atomic_store(&second->stop, true);
    pthread_join(second->thread, NULL);
    pthread_barrier_destroy(&second->ready);
}
