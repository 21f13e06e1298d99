/* What the files of the benchmark share: rounds, rows, observers to post to, a second thread. */
#ifndef HERALD_BENCH_H
#define HERALD_BENCH_H

#define _GNU_SOURCE
#include <herald/herald.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A benchmark that measures a failing call measures nothing: it stops. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) bench_stop(__FILE__, __LINE__, #condition);                                                  \
    } while (0)
_Noreturn void bench_stop(const char *file, int line, const char *what);

/* ---- Time (measure.c) -------------------------------------------------------------------------------------------- */

enum { MOST_ROUNDS = 64, ATTEMPTS = 8 };

/* Set once, before the first row. */
extern struct settings {
    bool quick;
    int rounds;
    double batch;       /* ns that one batch of a task should take */
    int cpu, other_cpu; /* of the measuring thread, of the second thread; other_cpu is -1 when there is no other */
} settings;

double now(void); /* ns */
void choose_cpus(void);
void pin_to(int cpu);

/* One side of a comparison. Zero count: measure() finds how many fill a batch. */
struct task {
    void (*run)(void *context, long count);
    void (*prepare)(void *context, long count); /* before each batch, not timed; may be NULL */
    void *context;
    long count;
    size_t taken;
    double samples[MOST_ROUNDS]; /* ns for one operation */
    double least, median;
};

struct second;

/* Runs the tasks in turn, A B A B, so that what disturbs one is as likely to disturb the other. With a second thread
 * only batches count during which both were running: on a busy machine the best times are those when it was not. */
void measure(struct task *tasks, int count, const struct second *beside);
double percentile(double *values, size_t count, double share); /* sorts the values */

/* A thread on the other CPU. run() calls second_ready() when it has done what must precede the measurement. */
struct second {
    void (*run)(struct second *second);
    void *context;
    pthread_t thread;
    clockid_t clock;
    pthread_barrier_t ready;
    atomic_bool stop;
    _Atomic uint64_t done; /* what it has to tell */
};
void second_start(struct second *second, void (*run)(struct second *second), void *context);
void second_ready(struct second *second);
void second_stop(struct second *second);
bool second_may_go_on(struct second *second);

/* The start of a time in which both threads should run; and whether both have, for nearly all of it. */
struct stretch {
    double start, mine, theirs;
};
struct stretch stretch_begin(const struct second *second);
bool both_ran(const struct stretch *stretch, const struct second *second);

/* ---- Rows (results.c) -------------------------------------------------------------------------------------------- */

struct budget {
    enum { NONE, RATIO_MOST, RATIO_LEAST, VALUE_MOST, ABOVE_FLOOR } kind;
    double limit;
};
#define NO_BUDGET ((struct budget){NONE, 0})
#define RATIO_AT_MOST(limit) ((struct budget){RATIO_MOST, limit})
#define RATIO_AT_LEAST(limit) ((struct budget){RATIO_LEAST, limit})
#define VALUE_AT_MOST(limit) ((struct budget){VALUE_MOST, limit})
#define FLOOR_PLUS(limit) ((struct budget){ABOVE_FLOOR, limit})

struct figures {
    const char *unit;
    double floor, value, median, ratio; /* NAN where there is none; the verdict is about value or ratio */
};

/* Rows are shown by group, in a group in the order they were added. */
void row_add(int group, struct budget budget, struct figures figures, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
struct figures compare(const struct task *floor, const struct task *value); /* in ns */
void rows_print(void);
FILE *results_open(const char *path); /* exits with a sentence when it cannot be written */
void results_write(FILE *file, const char *path);
void progress(const char *what);

/* ---- Observers (posts.c) ----------------------------------------------------------------------------------------- */

struct pair {
    HeraldCallback call;
    void *context;
};

/* A center with `count` observers of (name, object), each with a word of its own, and the same calls as pairs. */
struct audience {
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object;
    const void *userInfo;
    HeraldTopicRef topic;
    size_t count;
    uint64_t *words;
    struct pair *pairs;
};

void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo);
struct audience audience_make(size_t count, const char *name, const void *object);
void audience_end(struct audience *audience);

/* Operations of tasks; the context is a struct audience. */
void call_pairs(void *audience, long count);
void post_by_name(void *audience, long count);
void post_by_topic(void *audience, long count);

void post_rows(void);
void throughput_rows(void);
void name_rows(void);
void change_rows(void);
void wait_rows(void);
void churn_rows(void);
void memory_rows(void);

#endif
