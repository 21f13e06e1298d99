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
    /* So many that each batch bears its share of what is done once in thousands: copying and freeing. */
    long count = settings.quick ? 50000 : 200000;
    struct task tasks[] = {{.run = allocate_and_free, .count = count},
                           {.run = add_and_remove, .context = &audience, .count = count}};
    int rounds = settings.rounds;
    if (!settings.quick) settings.rounds = 21;
    if (posting) second_start(&second, post_on, &audience);
    measure(tasks, 2);
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
    REMOVALS = 200 /* in a batch */
};

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

static double time_of_barriers(void) {
    double start = now();
    for (int i = 0; i < REMOVALS; i++) REQUIRE(membarrier(PRIVATE_EXPEDITED) == 0);
    return (now() - start) / REMOVALS;
}

static double time_of_removals(struct audience *a) {
    static uint64_t words[REMOVALS];
    HeraldToken tokens[REMOVALS];
    for (int i = 0; i < REMOVALS; i++) tokens[i] = add_token(a, &words[i]);
    double start = now();
    for (int i = 0; i < REMOVALS; i++) REQUIRE(HeraldCenterRemoveTokenAndWait(a->center, tokens[i]));
    return (now() - start) / REMOVALS;
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
    while (second_may_go_on(second)) {}
}

static void wait_row(void (*meanwhile)(struct second *second), const char *name) {
    struct audience audience = audience_make(1, "ending", NULL);
    struct second second;
    struct task floor = {0}, value = {0};
    second_start(&second, meanwhile, &audience);
    time_of_barriers();
    time_of_removals(&audience);
    for (int i = 0; i < settings.rounds; i++) {
        floor.samples[i] = time_of_barriers();
        value.samples[i] = time_of_removals(&audience);
    }
    second_stop(&second);
    summarize(&floor, settings.rounds);
    summarize(&value, settings.rounds);
    row_add(6, FLOOR_PLUS(300), compare(&floor, &value), "%s", name);
    audience_end(&audience);
}

void wait_rows(void) {
    progress("remove and wait");
    if (membarrier(REGISTER_PRIVATE_EXPEDITED) != 0) {
        fprintf(stderr, "bench: the kernel refuses membarrier(2): the rows of removing and waiting are left out\n");
        return;
    }
    wait_row(sleep_on, "remove and wait, another thread sleeps (floor: membarrier)");
    wait_row(spin_on, "remove and wait, another thread spins (floor: membarrier)");
}

/* ---- Churn ------------------------------------------------------------------------------------------------------- */

enum { SAMPLES = 4000, POSTS = 64 }; /* samples a round; posts in a sample, or the clock would be what is measured */

static void change_on(struct second *second) {
    add_and_remove(second->context, 64);
    second_ready(second);
    uint64_t changes = 0;
    for (; second_may_go_on(second); changes += 64) add_and_remove(second->context, 64);
    atomic_store(&second->done, changes);
}

static void sample(struct audience *audience, double *samples) {
    for (int i = 0; i < SAMPLES; i++) {
        double start = now();
        post_by_name(audience, POSTS);
        samples[i] = (now() - start) / POSTS;
    }
}

static void percentile_row(const char *name, double share, double *quiet, double *churned, size_t count) {
    double floor = percentile(quiet, count, share), value = percentile(churned, count, share);
    row_add(11, NO_BUDGET, (struct figures){"ns", floor, value, value, value / floor}, "%s", name);
}

void churn_rows(void) {
    struct audience audience = audience_make(1, "churn", NULL);
    size_t rounds = settings.quick ? 7 : 25, count = rounds * SAMPLES;
    double *quiet = malloc(count * sizeof *quiet), *churned = malloc(count * sizeof *churned), rates[MOST_ROUNDS];
    REQUIRE(quiet && churned);
    progress("churn");
    for (size_t i = 0; i < rounds; i++) {
        struct second second;
        sample(&audience, quiet + i * SAMPLES);
        second_start(&second, change_on, &audience);
        double start = now();
        sample(&audience, churned + i * SAMPLES);
        atomic_store(&second.stop, true);
        double time = now() - start;
        second_stop(&second);
        rates[i] = (double)atomic_load(&second.done) / time * 1e3;
    }
    percentile_row("post by name while a thread adds and removes, p50", 0.5, quiet, churned, count);
    percentile_row("post by name while a thread adds and removes, p99", 0.99, quiet, churned, count);
    double best = percentile(rates, rounds, 1);
    row_add(11, NO_BUDGET, (struct figures){"adds/us", NAN, best, percentile(rates, rounds, 0.5), NAN},
            "adds, each removed again, of that thread");
    free(quiet);
    free(churned);
    audience_end(&audience);
}
