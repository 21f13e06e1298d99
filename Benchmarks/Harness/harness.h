/* Declarations that the files of the harness share. */
#ifndef HERALD_BENCH_HARNESS_H
#define HERALD_BENCH_HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "peer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Time and CPUs (clock.c) ------------------------------------------------------------------------------------- */

void choose_cpus(void);
double time_of_thread(void); /* CPU time in ns */
int cpu_count(void);
uint64_t ticks(void);      /* of the finest clock available */
double time_of_tick(void); /* ns */

/* A period in which some threads should run all the time. */
struct stretch {
    double start, mine, theirs;
};
struct stretch stretch_begin(const clockid_t *other);

/* Whether a sample has to be taken again because something else had the CPU: a few times only. Where threads wait for
 * each other no sample is undisturbed: after some samples in vain they are taken as they are. */
bool again(const struct stretch *stretch, const clockid_t *other, int *attempt);

/* A thread on the other CPU. run() calls second_ready() when its preparations for the measurement are done. */
struct second {
    void (*run)(struct second *second);
    void *context;
    const struct peer *peer;
    pthread_t thread;
    clockid_t clock;
    pthread_barrier_t ready;
};
void second_start(struct second *second, const struct peer *peer, void (*run)(struct second *second), void *context);
void second_ready(struct second *second);

/* ---- Rows (serve.c) ---------------------------------------------------------------------------------------------- */

enum { MOST_VALUES = 8192 };

struct row {
    const struct peer *peer;
    const struct task *task;
    char line[256]; /* the runner's line that opened it */
    void *state;    /* belongs to the kind */
    long count;     /* operations in a sample */
};

/* One kind of row. `sample` returns how many values it took. Memory that a row takes ends with the process: each row
 * has its own process.
 */
struct kind {
    const char *name;
    const char *(*open)(struct row *row); /* NULL, or why this peer has no such row */
    size_t (*sample)(struct row *row, double *values);
};
extern const struct kind post_kind, names_kind, objects_kind, miss_kind, change_kind,
    wait_kind,                                                                          /* posts.c, changes.c */
    threads_kind, churn_kind, churn_memory_kind, single_kind, waiting_kind, paced_kind, /* threads.c, latency.c */
    bytes_kind, allocations_kind, thread_memory_kind,                                   /* memory.c */
    slots_kind;                                                                         /* slots.c */

long option(const struct row *row, const char *key, long otherwise);
const char *option_word(const struct row *row, const char *key, char word[32]);

/* Finds how many operations fill a sample; takes a sample, which is the time of one operation. */
void calibrate(struct row *row, void (*run)(struct row *row, long count));
size_t time_sample(struct row *row, void (*run)(struct row *row, long count), const clockid_t *other, double *values);

/* ---- Observers (posts.c) ----------------------------------------------------------------------------------------- */

/* A place in a center of its own, with observers that each have a word of their own. */
struct audience {
    const struct peer *peer;
    void *center, *place;
    size_t count;
    uint64_t *words;
};
const char *audience_make(struct audience *audience, const struct peer *peer, const char *name, size_t count);
void drop(const struct peer *peer, void *place, void *registration); /* removes and forgets */

size_t heap_size(void);
uint64_t allocations_here(void);

/* ---- Rules (gate.c) ---------------------------------------------------------------------------------------------- */

int put_to(const struct peer *peer, const char *rule);

#endif
