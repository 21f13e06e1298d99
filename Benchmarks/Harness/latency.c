/* Single values for percentiles: posts under churn, in batches and one by one; posts at a pace; removals that wait. */
#include "harness.h"

#include <time.h>
#include <unistd.h>

struct scene {
    struct audience audience;
    struct second second;
    long rate;       /* changes a second; 0: none; -1: as many as possible */
    double callback; /* ns that a call runs for */
    size_t heap;     /* before the measurement */
    atomic_long calls;
};

static struct scene *make_scene(struct row *row, const char **reason) {
    struct scene *scene = calloc(1, sizeof *scene);
    REQUIRE(scene);
    row->state = scene;
    *reason = audience_make(&scene->audience, row->peer, "scene", (size_t)option(row, "observers", 1));
    return scene;
}

static void begin_second(struct scene *scene, void (*run)(struct second *second)) {
    second_start(&scene->second, scene->audience.peer, run, scene);
}

static void pause_until(double time) {
    struct timespec until = {(time_t)(time / 1e9), (long)(time - (double)(time_t)(time / 1e9) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* ---- Churn: open churn rate=R ------------------------------------------------------------------------------------ */

static void change(const struct peer *peer, void *place, int count) {
    static uint64_t word;
    for (; count; count--) drop(peer, place, peer->add(place, &word));
}

/* In bursts: all changes of a millisecond at once. */
static void change_on(struct second *second) {
    struct scene *scene = second->context;
    void *place = scene->audience.place;
    change(second->peer, place, 8);
    second_ready(second);
    double period = scene->rate > 0 ? 1e6 : 0, next = now();
    int burst = scene->rate > 1000 ? (int)(scene->rate / 1000) : scene->rate > 0 ? 1 : 32;
    for (;;) {
        change(second->peer, place, burst);
        if (!period) continue;
        next += period;
        if (next < now()) next = now(); /* a thread that was stopped or is late does not make up for it */
        pause_until(next);
    }
}

static const char *open_churn(struct row *row) {
    const char *reason;
    long rate = option(row, "rate", -1);
    if (rate && !row->peer->thread_safe) return "it is not thread-safe";
    if (rate && cpu_count() < 2) return "there is one CPU";
    struct scene *scene = make_scene(row, &reason);
    if (reason) return reason;
    scene->rate = rate;
    scene->heap = heap_size();
    if (rate) begin_second(scene, change_on);
    return NULL;
}

enum { BATCHES = 250, FEW_BATCHES = 25, BATCH = 64 };

/* Posts are timed in batches, so that the clock's own cost does not dominate. A few hundred at a time, so that an
 * interrupt costs few of them; fewer where posts take long. */
static size_t sample_churn(struct row *row, double *values) {
    struct scene *scene = row->state;
    const clockid_t *other = scene->rate < 0 ? &scene->second.clock : NULL;
    struct stretch stretch;
    int attempt = 0;
    size_t count;
    do {
        double until = scene->rate > 0 ? now() + (double)option(row, "duration", 5000000) : 0;
        stretch = stretch_begin(other);
        double start = now(), late = start + 2 * (double)option(row, "duration", 20000000);
        for (count = 0; count < MOST_VALUES && (count < BATCHES || start < until); count++) {
            if (count >= FEW_BATCHES && start > late) break;
            start = now();
            row->peer->post(scene->audience.place, BATCH);
            values[count] = (now() - start) / BATCH;
        }
    } while (again(&stretch, other, &attempt));
    return count;
}

const struct kind churn_kind = {"churn", open_churn, sample_churn};

/* ---- Single posts under churn: open single rate=R ---------------------------------------------------------------- */

/* Each post is timed by itself, so that a slow one does not hide among others. The clock's cost is in every value, and
 * in the floor's.
 */
static size_t sample_single(struct row *row, double *values) {
    struct scene *scene = row->state;
    const clockid_t *other = scene->rate < 0 ? &scene->second.clock : NULL;
    double tick = time_of_tick(), duration = (double)option(row, "batch", 5000000);
    struct stretch stretch;
    int attempt = 0;
    size_t count;
    do {
        double until = now() + duration;
        stretch = stretch_begin(other);
        for (count = 0; count < MOST_VALUES && (count % 64 || count < 64 || now() < until); count++) {
            uint64_t start = ticks();
            row->peer->post(scene->audience.place, 1);
            values[count] = (double)(ticks() - start) * tick;
        }
    } while (again(&stretch, other, &attempt));
    return count;
}

const struct kind single_kind = {"single", open_churn, sample_single};

/* ---- Memory under churn: open churn_memory rate=R ---------------------------------------------------------------- */

/* Bytes in use after some time of posts and changes, less those in use before. */
static size_t sample_churn_memory(struct row *row, double *values) {
    struct scene *scene = row->state;
    for (double end = now() + 2 * (double)option(row, "duration", 20000000); now() < end;)
        row->peer->post(scene->audience.place, 1000);
    size_t heap = heap_size();
    *values = heap > scene->heap ? (double)(heap - scene->heap) : 0;
    return 1;
}

const struct kind churn_memory_kind = {"churn_memory", open_churn, sample_churn_memory};

/* ---- Removals that wait for a call: open waiting callback=NS ----------------------------------------------------- */

static void run_a_while(void *context) {
    struct scene *scene = context;
    atomic_fetch_add_explicit(&scene->calls, 1, memory_order_relaxed);
    for (double end = now() + scene->callback; now() < end;) {
    }
}

static void post_all_the_time(struct second *second) {
    struct scene *scene = second->context;
    second->peer->post(scene->audience.place, 1);
    second_ready(second);
    for (;;) second->peer->post(scene->audience.place, 1);
}

static const char *open_waiting(struct row *row) {
    const char *reason;
    if (!row->peer->remove_and_wait || !row->peer->observe)
        return "it has no removal that waits for a call that is running";
    if (cpu_count() < 2) return "there is one CPU";
    struct scene *scene = make_scene(row, &reason);
    if (reason) return reason;
    scene->callback = (double)option(row, "callback", 10000);
    begin_second(scene, post_all_the_time);
    return NULL;
}

/* The observer is the only one of the place that takes time, so a call of it is running nearly always. */
static size_t sample_waiting(struct row *row, double *values) {
    struct scene *scene = row->state;
    const struct peer *peer = row->peer;
    struct listener listener = {run_a_while, NULL, scene};
    for (int i = 0; i < 100; i++) {
        long calls = atomic_load(&scene->calls);
        void *registration = peer->observe(scene->audience.place, &listener);
        while (atomic_load(&scene->calls) < calls + 2) {
        }
        double start = now();
        peer->remove_and_wait(scene->audience.place, registration);
        values[i] = now() - start;
        if (peer->forget) peer->forget(registration);
    }
    return 100;
}

const struct kind waiting_kind = {"waiting", open_waiting, sample_waiting};

/* ---- At a pace: open paced rate=R -------------------------------------------------------------------------------- */

static const char *open_paced(struct row *row) {
    const char *reason;
    make_scene(row, &reason);
    return reason;
}

enum { PACED = 4000 };

/* Measured from the time at which a post was due, not from its start: a post that waits behind a slow one counts the
 * wait. */
static size_t sample_paced(struct row *row, double *values) {
    struct scene *scene = row->state;
    double period = 1e9 / (double)option(row, "rate", 200000), due = now() + period;
    for (int i = 0; i < PACED; i++, due += period) {
        while (now() < due) {
        }
        row->peer->post(scene->audience.place, 1);
        values[i] = now() - due;
    }
    return PACED;
}

const struct kind paced_kind = {"paced", open_paced, sample_paced};
