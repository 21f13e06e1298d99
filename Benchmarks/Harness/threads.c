/* Posting from many threads at once: open threads count=N hot=0|1. A value is in posts a microsecond, of all
 * threads. */
#include "harness.h"

#include <unistd.h>

enum { MOST_THREADS = 64 };

struct poster {
    struct race *race;
    int index;
    pthread_t thread;
    void *place;
    uint64_t posts;
    double ran; /* ns of CPU time */
};

struct race {
    const struct peer *peer;
    void *center;
    int count;
    double deadline;
    pthread_barrier_t start, end;
    struct poster posters[MOST_THREADS];
};

static void post_until(struct poster *poster, double deadline) {
    double ran = time_of_thread();
    poster->posts = 0;
    do {
        poster->race->peer->post(poster->place, 256);
        poster->posts += 256;
    } while (now() < deadline);
    poster->ran = time_of_thread() - ran;
}

static void *take_part(void *argument) {
    struct poster *poster = argument;
    struct race *race = poster->race;
    pin_to(poster->index);
    if (race->peer->begin_thread) race->peer->begin_thread();
    race->peer->post(poster->place, 1);
    for (;;) {
        pthread_barrier_wait(&race->start);
        post_until(poster, race->deadline);
        pthread_barrier_wait(&race->end);
    }
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
            row->peer->add(poster->place, NULL);
        }
        if (i > 0) REQUIRE(pthread_create(&poster->thread, NULL, take_part, poster) == 0);
    }
    return NULL;
}

/* Whether all threads had a CPU all the time. A thread that starts late loses time and gains none. */
static bool race_once(struct race *race, double duration, double *rate) {
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
    *rate = (double)posts / duration * 1e3;
    return all;
}

/* If each thread has a CPU, the sample counts only if all ran all the time. */
static size_t sample_threads(struct row *row, double *values) {
    struct race *race = row->state;
    double duration = (double)option(row, "duration", 20000000);
    static int in_vain;
    for (int attempt = 0; in_vain < 3 && attempt < 8; attempt++) {
        if (race_once(race, duration, values) || race->count > cpu_count()) {
            in_vain = 0;
            return 1;
        }
        usleep(2000);
    }
    in_vain++; /* they wait for each other: the sample is taken as it is */
    race_once(race, duration, values);
    return 1;
}

const struct kind threads_kind = {"threads", open_threads, sample_threads};
