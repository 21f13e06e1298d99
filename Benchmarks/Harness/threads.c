/* Posting from many threads at once: open threads count=N hot=0|1. A value is in posts a microsecond, of all. */
#include "harness.h"

enum { MOST_THREADS = 64 };

struct poster {
    struct race *race;
    int index;
    pthread_t thread;
    void *place, *registration;
    uint64_t posts;
    double ran; /* ns of CPU time */
};

struct race {
    const struct peer *peer;
    void *center;
    int count;
    bool over;
    double deadline;
    pthread_barrier_t start, end;
    struct poster posters[MOST_THREADS];
};

static double cpu_time(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void post_until(struct poster *poster, double deadline) {
    double ran = cpu_time();
    for (poster->posts = 0; now() < deadline; poster->posts += 256) poster->race->peer->post(poster->place, 256);
    poster->ran = cpu_time() - ran;
}

static void *take_part(void *argument) {
    struct poster *poster = argument;
    struct race *race = poster->race;
    pin_to(poster->index);
    if (race->peer->begin_thread) race->peer->begin_thread();
    race->peer->post(poster->place, 1);
    for (;;) {
        pthread_barrier_wait(&race->start);
        if (race->over) break;
        post_until(poster, race->deadline);
        pthread_barrier_wait(&race->end);
    }
    if (race->peer->end_thread) race->peer->end_thread();
    return NULL;
}

static const char *open_threads(struct row *row) {
    if (!row->peer->thread_safe) return "it is not thread-safe";
    struct race *race = calloc(1, sizeof *race);
    REQUIRE(race);
    row->state = race;
    race->peer = row->peer;
    race->count = (int)option(row, "count", 2);
    REQUIRE(race->count >= 1 && race->count <= MOST_THREADS);
    race->center = row->peer->make_center();
    bool hot = option(row, "hot", 1);
    REQUIRE(pthread_barrier_init(&race->start, NULL, (unsigned)race->count) == 0);
    REQUIRE(pthread_barrier_init(&race->end, NULL, (unsigned)race->count) == 0);
    for (int i = 0; i < race->count; i++) {
        struct poster *poster = &race->posters[i];
        char name[32];
        snprintf(name, sizeof name, "hot.%d", hot ? 0 : i);
        poster->race = race;
        poster->index = i;
        if (hot && i > 0) {
            poster->place = race->posters[0].place;
        } else {
            poster->place = row->peer->make_place(race->center, name, NULL);
            REQUIRE(poster->place);
            poster->registration = row->peer->add(poster->place, NULL);
        }
        if (i > 0) REQUIRE(pthread_create(&poster->thread, NULL, take_part, poster) == 0);
    }
    return NULL;
}

/* A thread that starts late loses time and wins none. With a CPU for each the sample counts only if all had theirs. */
static size_t sample_threads(struct row *row, double *values) {
    struct race *race = row->state;
    double duration = (double)option(row, "duration", 20000000);
    static int attempts = 8;
    for (int attempt = 0; attempt < attempts; attempt++) {
        uint64_t posts = 0;
        bool all = true;
        race->deadline = now() + duration;
        pthread_barrier_wait(&race->start);
        post_until(&race->posters[0], race->deadline);
        pthread_barrier_wait(&race->end);
        for (int i = 0; i < race->count; i++) {
            posts += race->posters[i].posts;
            all = all && race->posters[i].ran >= 0.9 * duration;
        }
        *values = (double)posts / duration * 1e3;
        if (all || race->count > cpu_count()) return 1;
    }
    attempts = 1; /* they wait for each other */
    return 1;
}

static void close_threads(struct row *row) {
    struct race *race = row->state;
    race->over = true;
    pthread_barrier_wait(&race->start);
    for (int i = 1; i < race->count; i++) pthread_join(race->posters[i].thread, NULL);
    for (int i = 0; i < race->count; i++) {
        if (!race->posters[i].registration) continue;
        drop(row->peer, race->posters[i].place, race->posters[i].registration);
        row->peer->end_place(race->posters[i].place);
    }
    row->peer->end_center(race->center);
    free(race);
}

const struct kind threads_kind = {"threads", open_threads, sample_threads, close_threads};
