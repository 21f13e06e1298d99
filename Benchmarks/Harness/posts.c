/* Posting to none, one and many observers, among many names, and to the observers of one object. */
#include "harness.h"

/* ---- Audiences --------------------------------------------------------------------------------------------------- */

void drop(const struct peer *peer, void *place, void *registration) {
    peer->remove(place, registration);
    if (peer->forget) peer->forget(registration);
}

static uint64_t sum(const struct audience *audience) {
    uint64_t all = 0;
    for (size_t i = 0; i < audience->count; i++) all += audience->words[i];
    return all;
}

const char *audience_make(struct audience *audience, const struct peer *peer, const char *name, size_t count) {
    *audience = (struct audience){.peer = peer, .count = count, .center = peer->make_center()};
    audience->words = calloc(count + 1, sizeof *audience->words);
    REQUIRE(audience->center && audience->words);
    audience->place = peer->make_place(audience->center, name, NULL);
    if (!audience->place) return "it has no such place";
    double start = now(), patience = 1.5e10;
    for (size_t i = 0; i < count; i++) {
        peer->add(audience->place, &audience->words[i]);
        /* A peer that copies its list for each addition takes time with the square of their number. */
        double share = (double)count / (double)(i + 1);
        if (i % 1000 == 999 && i > 19000 && (now() - start) * share * share > patience)
            return "it copies its list for each, and so many observers would take it too long to add";
    }
    peer->post(audience->place, 2);
    return sum(audience) == 2 * count ? NULL : "its posts do not reach its observers";
}

/* Observers, `gone` of which are removed: the first ones, those in the middle, or the last. */
static const char *audience_make_thinned(struct audience *audience, const struct peer *peer, const char *name,
                                         size_t count, size_t gone, const char *at) {
    *audience = (struct audience){.peer = peer, .count = count, .center = peer->make_center()};
    audience->words = calloc(count + 1, sizeof *audience->words);
    void **registrations = calloc(count + 1, sizeof *registrations);
    REQUIRE(audience->center && audience->words && registrations && gone < count);
    audience->place = peer->make_place(audience->center, name, NULL);
    if (!audience->place) return "it has no such place";
    for (size_t i = 0; i < count; i++) registrations[i] = peer->add(audience->place, &audience->words[i]);
    size_t first = strcmp(at, "front") == 0 ? 0 : strcmp(at, "end") == 0 ? count - gone : (count - gone) / 2;
    for (size_t i = 0; i < gone; i++) drop(peer, audience->place, registrations[first + i]);
    free(registrations);
    peer->post(audience->place, 2);
    return sum(audience) == 2 * (count - gone) ? NULL : "its posts do not reach its observers";
}

/* ---- One place: open post observers=N others=M gone=K at=front|middle|end ---------------------------------------- */

/* Other names, each with an observer. */
struct crowd {
    struct audience audience;
    size_t count;
    void **places;
    void **registrations;
    void **objects;
    uint64_t *words;
    void *any;
    uint64_t any_word;
};

static void crowd_add(struct crowd *crowd, size_t count, const char *each, bool objects) {
    const struct peer *peer = crowd->audience.peer;
    crowd->places = calloc(count + 1, sizeof *crowd->places);
    crowd->registrations = calloc(count + 1, sizeof *crowd->registrations);
    crowd->objects = calloc(count + 1, sizeof *crowd->objects);
    crowd->words = calloc(count + 1, sizeof *crowd->words);
    REQUIRE(crowd->places && crowd->registrations && crowd->objects && crowd->words);
    for (; crowd->count < count; crowd->count++) {
        size_t i = crowd->count;
        char name[64];
        snprintf(name, sizeof name, each, i);
        if (objects) crowd->objects[i] = peer->make_object ? peer->make_object() : malloc(16);
        crowd->places[i] = peer->make_place(crowd->audience.center, name, crowd->objects[i]);
        REQUIRE(crowd->places[i]);
        crowd->registrations[i] = peer->add(crowd->places[i], &crowd->words[i]);
    }
}

static struct crowd *crowd_make(struct row *row, const char *name, size_t observers, const char **reason) {
    struct crowd *crowd = calloc(1, sizeof *crowd);
    size_t gone = (size_t)option(row, "gone", 0);
    char at[32];
    REQUIRE(crowd);
    row->state = crowd;
    *reason =
        gone ? audience_make_thinned(&crowd->audience, row->peer, name, observers, gone, option_word(row, "at", at))
             : audience_make(&crowd->audience, row->peer, name, observers);
    return crowd;
}

static void post_here(struct row *row, long count) {
    struct crowd *crowd = row->state;
    row->peer->post(crowd->audience.place, count);
}

static const char *open_post(struct row *row) {
    const char *reason;
    struct crowd *crowd = crowd_make(row, "document.saved", (size_t)option(row, "observers", 1), &reason);
    if (reason) return reason;
    crowd_add(crowd, (size_t)option(row, "others", 1), "another.name.%zu", false);
    calibrate(row, post_here);
    return NULL;
}

static size_t sample_post(struct row *row, double *values) { return time_sample(row, post_here, NULL, values); }

const struct kind post_kind = {"post", open_post, sample_post};

/* ---- Many names: open names count=N ------------------------------------------------------------------------------ */

/* The order is the same for all peers, and neither the compiler nor the prefetcher can know it. */
static size_t next_random(uint64_t *state, size_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((*state >> 32) % below);
}

static void post_random(struct row *row, long count) {
    static uint64_t state = 1;
    struct crowd *crowd = row->state;
    for (; count; count--) row->peer->post(crowd->places[next_random(&state, crowd->count)], 1);
}

static const char *open_names(struct row *row) {
    const char *reason;
    struct crowd *crowd = crowd_make(row, "unheard", 0, &reason);
    if (reason) return reason;
    crowd_add(crowd, (size_t)option(row, "count", 1000), "name.of.many.%zu", false);
    calibrate(row, post_random);
    return NULL;
}

static size_t sample_names(struct row *row, double *values) { return time_sample(row, post_random, NULL, values); }

const struct kind names_kind = {"names", open_names, sample_names};

/* ---- Names that came and went: open miss came=N unheard=M -------------------------------------------------------- */

/* Posts names that nobody observes, one after the other. */
static void post_unheard(struct row *row, long count) {
    struct crowd *crowd = row->state;
    for (; count; count--) row->peer->post(crowd->places[(size_t)count % crowd->count], 1);
}

static const char *open_miss(struct row *row) {
    const char *reason;
    long came = option(row, "came", 0);
    struct crowd *crowd = crowd_make(row, "heard", 1, &reason);
    if (reason) return reason;
    uint64_t word = 0;
    for (long i = 0; i < came; i++) {
        char name[64];
        snprintf(name, sizeof name, "came.and.went.%ld", i);
        void *place = row->peer->make_place(crowd->audience.center, name, NULL);
        drop(row->peer, place, row->peer->add(place, &word));
        row->peer->end_place(place);
    }
    crowd_add(crowd, (size_t)option(row, "unheard", 1), "unheard.%zu", false);
    for (size_t i = 0; i < crowd->count; i++) drop(row->peer, crowd->places[i], crowd->registrations[i]);
    calibrate(row, post_unheard);
    return NULL;
}

static size_t sample_miss(struct row *row, double *values) { return time_sample(row, post_unheard, NULL, values); }

const struct kind miss_kind = {"miss", open_miss, sample_miss};

/* ---- One of many objects: open objects count=N any=0|1 ----------------------------------------------------------- */

static void post_to_object(struct row *row, long count) {
    struct crowd *crowd = row->state;
    row->peer->post(crowd->places[crowd->count / 2], count);
}

static const char *open_objects(struct row *row) {
    const char *reason;
    if (!row->peer->objects) return "it has no objects";
    struct crowd *crowd = crowd_make(row, "unheard", 0, &reason);
    if (reason) return reason;
    crowd_add(crowd, (size_t)option(row, "count", 1000), "changed", true);
    if (row->peer->any && option(row, "any", 1)) {
        crowd->any = row->peer->make_place(crowd->audience.center, NULL, NULL);
        REQUIRE(crowd->any);
        row->peer->add(crowd->any, &crowd->any_word);
    }
    post_to_object(row, 3);
    size_t middle = crowd->count / 2, next = middle + 1 < crowd->count ? middle + 1 : 0;
    if (crowd->words[middle] != 3 || (next != middle && crowd->words[next] != 0) ||
        (crowd->any && crowd->any_word != 3))
        return "its posts about an object reach others";
    calibrate(row, post_to_object);
    return NULL;
}

static size_t sample_objects(struct row *row, double *values) { return time_sample(row, post_to_object, NULL, values); }

const struct kind objects_kind = {"objects", open_objects, sample_objects};
