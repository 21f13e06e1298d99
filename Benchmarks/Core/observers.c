/* Changing observers: adding and removing in peace and while others post, removing and waiting, churn. */
#include "bench.h"

#include <sys/syscall.h>
#include <unistd.h>

/* ---- Adding and removing ----------------------------------------------------------------------------------------- */

static HeraldToken add_token(struct audience *a, uint64_t *observer) {
    HeraldToken token;
    REQUIRE(HeraldCenterAddObserverWithOptions(a->center, observer, hear, a->name, NULL, NULL, &token) == HeraldOK);
    return token;
}

static void add_and_remove(void *context, long count) {
    static uint64_t newest;
    struct audience *a = context;
    for (; count; count--) HeraldCenterRemoveToken(a->center, add_token(a, &newest));
}

/* What any list of observers pays: 24 bytes of memory, a store that publishes them. */
static void allocate_and_free(void *context, long count) {
    static _Atomic(void *) published;
    (void)context;
    for (; count; count--) {
        void *memory = malloc(24);
        atomic_store_explicit(&published, memory, memory_order_release);
        free(memory);
    }
}

static void post_on(struct second *second) {
    post_by_name(second->context, 1);
    second_ready(second);
    while (second_may_go_on(second)) post_by_name(second->context, 64);
}

static void change_row(size_t observers, bool posting, const char *name) {
    struct audience audience = audience_make(observers, "changing", NULL);
    struct second second;
    /* So many that each batch bears its share of what is done once in thousands: copying and freeing. With a second
     * thread less, for batches count only while that is not interrupted. */
    long count = posting ? 4000 : settings.quick ? 50000 : 200000;
    struct task tasks[] = {{.run = allocate_and_free, .count = count},
                           {.run = add_and_remove, .context = &audience, .count = count}};
    int rounds = settings.rounds;
    if (!settings.quick && !posting) settings.rounds = 21;
    if (posting) second_start(&second, post_on, &audience);
    measure(tasks, 2, posting ? &second : NULL);
    if (posting) second_stop(&second);
    settings.rounds = rounds;
    row_add(5, VALUE_AT_MOST(posting ? 250 : 150), compare(&tasks[0], &tasks[1]), name, observers,
            observers == 1 ? "" : "s");
    audience_end(&audience);
}

void change_rows(void) {
    progress("add and remove");
    change_row(1, false, "add and remove the newest of %zu observer%s");
    change_row(1000, false, "add and remove the newest of %zu observer%s");
    change_row(100000, false, "add and remove the newest of %zu observer%s");
    if (settings.other_cpu < 0) return;
    change_row(1, true, "the same, %zu observer%s, while a thread posts the name");
    change_row(1000, true, "the same, %zu observer%s, while a thread posts the name");
}

/* ---- Removing and waiting ---------------------------------------------------------------------------------------- */

enum { /* from linux/membarrier.h */
       PRIVATE_EXPEDITED = 1 << 3,
       REGISTER_PRIVATE_EXPEDITED = 1 << 4,
       REMOVALS = 100 /* in a batch */
};

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

static void run_barriers(void *context, long count) {
    (void)context;
    for (; count; count--) REQUIRE(membarrier(PRIVATE_EXPEDITED) == 0);
}

static HeraldToken tokens[REMOVALS];

static void add_many(void *context, long count) {
    static uint64_t words[REMOVALS];
    for (; count; count--) tokens[count - 1] = add_token(context, &words[count - 1]);
}

static void remove_many(void *context, long count) {
    struct audience *a = context;
    for (; count; count--) REQUIRE(HeraldCenterRemoveTokenAndWait(a->center, tokens[count - 1]));
}

/* Both have posted before, or Herald would see that it is alone and leave the barrier out. */
static void sleep_on(struct second *second) {
    post_by_name(second->context, 1);
    second_ready(second);
    while (second_may_go_on(second)) usleep(50000); /* each waking disturbs one removal of many */
}

static void spin_on(struct second *second) {
    post_by_name(second->context, 1);
    second_ready(second);
    while (second_may_go_on(second)) {
    }
}

static void wait_row(void (*meanwhile)(struct second *second), bool busy, const char *name) {
    struct audience audience = audience_make(1, "ending", NULL);
    struct second second;
    struct task tasks[] = {{.run = run_barriers, .count = REMOVALS},
                           {.run = remove_many, .prepare = add_many, .context = &audience, .count = REMOVALS}};
    second_start(&second, meanwhile, &audience);
    measure(tasks, 2, busy ? &second : NULL);
    second_stop(&second);
    row_add(6, FLOOR_PLUS(300), compare(&tasks[0], &tasks[1]), "%s", name);
    audience_end(&audience);
}

void wait_rows(void) {
    progress("remove and wait");
    if (membarrier(REGISTER_PRIVATE_EXPEDITED) != 0) {
        fprintf(stderr, "bench: the kernel refuses membarrier(2): the rows of removing and waiting are left out\n");
        return;
    }
    wait_row(sleep_on, false, "remove and wait, another thread sleeps (floor: membarrier)");
    wait_row(spin_on, true, "remove and wait, another thread spins (floor: membarrier)");
}

/* ---- Churn ------------------------------------------------------------------------------------------------------- */

/* Samples are taken by the hundred, so that few are lost when a thread is interrupted; and a sample is of many posts,
 * or the clock would be what is measured. */
enum { SAMPLES = 250, POSTS = 64 };

static void change_on(struct second *second) {
    add_and_remove(second->context, 64);
    second_ready(second);
    for (uint64_t changes = 0; second_may_go_on(second); changes += 32) {
        atomic_store_explicit(&second->done, changes, memory_order_relaxed);
        add_and_remove(second->context, 32);
    }
}

static void sample(struct audience *audience, double *samples) {
    for (int i = 0; i < SAMPLES; i++) {
        double start = now();
        post_by_name(audience, POSTS);
        samples[i] = (now() - start) / POSTS;
    }
}

static void percentile_row(const char *name, double share, double *quiet, double *churned, size_t stretches) {
    size_t count = stretches * SAMPLES;
    double floor = percentile(quiet, count, share), value = percentile(churned, count, share);
    row_add(11, NO_BUDGET, (struct figures){"ns", floor, value, value, value / floor}, "%s", name);
}

/* Fills `samples` and `rates`, the changes a microsecond; returns how many stretches counted. With NULL, quiet. */
static size_t sample_stretches(struct audience *audience, struct second *second, size_t stretches, double *samples,
                               double *rates) {
    size_t taken = 0;
    for (size_t attempt = 0; taken < stretches && attempt < stretches * ATTEMPTS; attempt++) {
        struct stretch stretch = stretch_begin(second);
        uint64_t before = second ? atomic_load(&second->done) : 0;
        double start = now();
        sample(audience, samples + taken * SAMPLES);
        double time = now() - start;
        if (second) rates[taken] = (double)(atomic_load(&second->done) - before) / time * 1e3;
        if (both_ran(&stretch, second)) taken++;
    }
    return taken;
}

void churn_rows(void) {
    struct audience audience = audience_make(1, "churn", NULL);
    struct audience calm = audience_make(1, "calm", NULL); /* after churn a snapshot keeps some dead entries */
    struct second second;
    size_t stretches = settings.quick ? 100 : 1000;
    double *quiet = malloc(stretches * SAMPLES * sizeof *quiet), *rates = malloc(stretches * sizeof *rates);
    double *churned = malloc(stretches * SAMPLES * sizeof *churned);
    REQUIRE(quiet && churned && rates);
    progress("churn");
    sample_stretches(&calm, NULL, stretches, quiet, NULL);
    second_start(&second, change_on, &audience);
    size_t taken = sample_stretches(&audience, &second, stretches, churned, rates);
    second_stop(&second);
    if (taken) {
        percentile_row("post by name while a thread adds and removes, p50", 0.5, quiet, churned, taken);
        percentile_row("post by name while a thread adds and removes, p99", 0.99, quiet, churned, taken);
        double best = percentile(rates, taken, 1), median = percentile(rates, taken, 0.5);
        row_add(11, NO_BUDGET, (struct figures){"adds/us", NAN, best, median, NAN},
                "adds, each removed again, of that thread");
    } else {
        fprintf(stderr, "bench: the two threads never ran undisturbed; the rows of churn are left out\n");
    }
    free(quiet);
    free(churned);
    free(rates);
    audience_end(&audience);
    audience_end(&calm);
}
