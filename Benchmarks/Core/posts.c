/* Posting: to none, one and many observers, from two threads, among many names. */
#include "bench.h"

/* ---- Audiences --------------------------------------------------------------------------------------------------- */

/* Adds to the observer's own word: a shared one would measure the cache line, not the post. */
__attribute__((noinline)) void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                    const void *userInfo) {
    *(uint64_t *)observer += 1;
    __asm__ volatile("" : : "r"(center), "r"(name), "r"(object), "r"(userInfo));
}

static void add(HeraldCenterRef center, void *observer, HeraldCallback call, HeraldNameRef name, const void *object) {
    REQUIRE(HeraldCenterAddObserver(center, observer, call, name, object, HeraldSuspensionDeliverImmediately) ==
            HeraldOK);
}

struct audience audience_make(size_t count, const char *name, const void *object) {
    static uint64_t somebody;
    struct audience audience = {.center = HeraldCenterCreate(NULL),
                                .name = HeraldNameCreate(name),
                                .object = object,
                                .userInfo = "what happened",
                                .count = count,
                                .words = calloc(count + 1, sizeof(uint64_t)),
                                .pairs = calloc(count + 1, sizeof(struct pair))};
    REQUIRE(audience.center && audience.name && audience.words && audience.pairs);
    add(audience.center, &somebody, hear, HeraldNameCreate("another name"), NULL); /* no center is quite empty */
    for (size_t i = 0; i < count; i++) {
        audience.pairs[i] = (struct pair){hear, &audience.words[i]};
        add(audience.center, &audience.words[i], hear, audience.name, object);
    }
    audience.topic = HeraldTopicCreate(audience.center, audience.name, object);
    REQUIRE(HeraldTopicPost(audience.topic, NULL) == count);
    REQUIRE(HeraldCenterPostNotification(audience.center, audience.name, object, NULL, false) == count);
    return audience;
}

void audience_end(struct audience *audience) {
    HeraldTopicRelease(audience->topic);
    HeraldCenterRelease(audience->center);
    free(audience->words);
    free(audience->pairs);
}

/* The floor: what somebody would write by hand who needs neither removal nor threads. */
__attribute__((noinline)) static void call_each(const struct pair *pairs, size_t count, HeraldCenterRef center,
                                                HeraldNameRef name, const void *object, const void *userInfo) {
    for (size_t i = 0; i < count; i++) pairs[i].call(center, pairs[i].context, name, object, userInfo);
    __asm__ volatile("" : : : "memory");
}

void call_pairs(void *context, long count) {
    struct audience *a = context;
    for (; count; count--) call_each(a->pairs, a->count, a->center, a->name, a->object, a->userInfo);
}

void post_by_name(void *context, long count) {
    struct audience *a = context;
    for (; count; count--) HeraldCenterPostNotification(a->center, a->name, a->object, a->userInfo, false);
}

void post_by_topic(void *context, long count) {
    struct audience *a = context;
    for (; count; count--) HeraldTopicPost(a->topic, a->userInfo);
}

/* ---- One thread -------------------------------------------------------------------------------------------------- */

struct costs {
    struct task floor, topic, name;
};

static struct costs costs_of(size_t observers, const void *object) {
    struct audience audience = audience_make(observers, "document.saved", object);
    struct task tasks[] = {{.run = call_pairs, .context = &audience},
                           {.run = post_by_topic, .context = &audience},
                           {.run = post_by_name, .context = &audience}};
    measure(tasks, 3, NULL);
    audience_end(&audience);
    return (struct costs){tasks[0], tasks[1], tasks[2]};
}

static void slope_row(const char *how, const struct task *floor, const struct task *way) {
    double ideal = (floor[1].least - floor[0].least) / 900, slope = (way[1].least - way[0].least) / 900;
    double median = (way[1].median - way[0].median) / 900;
    row_add(2, RATIO_AT_MOST(1.3), (struct figures){"ns", ideal, slope, median, slope / ideal},
            "each observer more, from 100 to 1000, %s", how);
}

void post_rows(void) {
    static const int object;
    static const size_t many[] = {10, 100, 1000, 10000};
    struct task floors[4], topics[4], names[4];
    progress("posts to none and to one");
    struct costs none = costs_of(0, NULL), one = costs_of(1, NULL), of_object = costs_of(1, &object);
    row_add(1, NO_BUDGET, compare(&none.floor, &none.topic), "post by topic, 0 observers");
    row_add(1, NO_BUDGET, compare(&none.floor, &none.name), "post by name, 0 observers");
    row_add(1, RATIO_AT_MOST(2), compare(&one.floor, &one.topic), "post by topic, 1 observer");
    row_add(1, RATIO_AT_MOST(7), compare(&one.floor, &one.name), "post by name, 1 observer");
    row_add(1, RATIO_AT_MOST(11), compare(&of_object.floor, &of_object.name),
            "post by name with an object, 1 observer of both");
    progress("posts to many");
    for (int i = 0; i < 4; i++) {
        struct costs costs = costs_of(many[i], NULL);
        floors[i] = costs.floor, topics[i] = costs.topic, names[i] = costs.name;
    }
    slope_row("by topic", floors + 1, topics + 1);
    slope_row("by name", floors + 1, names + 1);
    for (int i = 0; i < 4; i++) {
        row_add(2, NO_BUDGET, compare(&floors[i], &topics[i]), "post by topic, %zu observers", many[i]);
        row_add(2, NO_BUDGET, compare(&floors[i], &names[i]), "post by name, %zu observers", many[i]);
    }
}

/* ---- Two threads ------------------------------------------------------------------------------------------------- */

static __thread uint64_t heard_here;

static void hear_here(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    heard_here++;
    __asm__ volatile("" : : "r"(center), "r"(observer), "r"(name), "r"(object), "r"(userInfo));
}

/* What both threads do in a round. */
static struct race {
    pthread_barrier_t start, end;
    const struct task *task; /* this and the deadline are published by the start barrier */
    double deadline;
} race;

static uint64_t post_until(const struct task *task, double deadline) {
    uint64_t posts = 0;
    for (; now() < deadline; posts += 512) task->run(task->context, 512);
    return posts;
}

static void take_part(struct second *second) {
    post_by_name(second->context, 1);
    second_ready(second);
    for (;;) {
        pthread_barrier_wait(&race.start);
        if (!second_may_go_on(second)) return;
        atomic_store(&second->done, post_until(race.task, race.deadline));
        pthread_barrier_wait(&race.end);
    }
}

/* Posts a microsecond, of one thread or of both. A thread that starts late loses time and wins none. */
static double rate(const struct task *task, struct second *second, double duration) {
    race.task = task;
    race.deadline = now() + duration;
    if (second) pthread_barrier_wait(&race.start);
    uint64_t posts = post_until(task, race.deadline);
    if (second) pthread_barrier_wait(&race.end);
    if (second) posts += atomic_load(&second->done);
    return (double)posts / duration * 1e3;
}

struct rates {
    double one[MOST_ROUNDS], two[MOST_ROUNDS], ratio[MOST_ROUNDS];
};

static void race_rows(const char *how, struct budget budget, struct rates *r, size_t rounds) {
    double ratio = percentile(r->ratio, rounds, 0.5);
    double one = percentile(r->one, rounds, 0.5), two = percentile(r->two, rounds, 0.5);
    double best_one = percentile(r->one, rounds, 1), best_two = percentile(r->two, rounds, 1);
    row_add(3, budget, (struct figures){"posts/us", best_one, best_two, two, best_two / best_one},
            "two threads beside one, %s, best rounds", how);
    row_add(3, budget, (struct figures){"posts/us", one, two, two, ratio}, "two threads beside one, %s, median round",
            how);
}

static void run_races(struct audience *audience) {
    const struct task tasks[] = {{.run = post_by_name, .context = audience},
                                 {.run = post_by_topic, .context = audience},
                                 {.run = call_pairs, .context = audience}};
    static struct rates rates[3];
    struct second second;
    size_t rounds = settings.quick ? 5 : 21;
    double duration = settings.quick ? 20e6 : 100e6;
    second_start(&second, take_part, audience);
    for (size_t i = 0; i < rounds; i++) {
        for (int k = 0; k < 3; k++) {
            struct rates *r = &rates[k];
            r->one[i] = rate(&tasks[k], NULL, duration);
            r->two[i] = rate(&tasks[k], &second, duration);
            r->ratio[i] = r->two[i] / r->one[i];
        }
    }
    atomic_store(&second.stop, true);
    pthread_barrier_wait(&race.start);
    second_stop(&second);
    race_rows("one hot name", RATIO_AT_LEAST(1.9), &rates[0], rounds);
    race_rows("one hot topic", RATIO_AT_LEAST(1.9), &rates[1], rounds);
    /* What two threads are worth here: CPUs that share a core never give 2. */
    race_rows("plain calls", NO_BUDGET, &rates[2], rounds);
}

void throughput_rows(void) {
    struct audience audience = audience_make(0, "hot", NULL);
    uint64_t observer = 0;
    progress("two threads");
    add(audience.center, &observer, hear_here, audience.name, NULL);
    audience.pairs[0] = (struct pair){hear_here, &observer};
    audience.count = 1;
    REQUIRE(pthread_barrier_init(&race.start, NULL, 2) == 0 && pthread_barrier_init(&race.end, NULL, 2) == 0);
    run_races(&audience);
    REQUIRE(heard_here > 0);
    audience_end(&audience);
}

/* ---- Many names -------------------------------------------------------------------------------------------------- */

enum { MANY_NAMES = 1000000, ENOUGH_NAMES = 100000, MISSES = 1024 };

/* The names are the addresses of the words, each with one observer. */
static struct audience crowd_make(size_t names) {
    struct audience crowd = audience_make(0, "unheard", NULL);
    crowd.count = 1; /* of each name */
    free(crowd.words);
    free(crowd.pairs);
    crowd.words = calloc(names, sizeof *crowd.words);
    crowd.pairs = calloc(names, sizeof *crowd.pairs);
    REQUIRE(crowd.words && crowd.pairs);
    for (size_t i = 0; i < names; i++) {
        crowd.pairs[i] = (struct pair){hear, &crowd.words[i]};
        add(crowd.center, &crowd.words[i], hear, HeraldNameForAddress(&crowd.words[i]), NULL);
    }
    crowd.name = HeraldNameForAddress(&crowd.words[names / 2]);
    return crowd;
}

/* The order is the same for floor and value, and known to neither the compiler nor the prefetcher. */
static size_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((*state >> 32) % MANY_NAMES);
}

static uint64_t floor_state = 1, value_state = 1;

static void call_random(void *context, long count) {
    struct audience *a = context;
    for (; count; count--) {
        size_t i = next_random(&floor_state);
        call_each(&a->pairs[i], 1, a->center, a->name, NULL, a->userInfo);
    }
}

static void post_random(void *context, long count) {
    struct audience *a = context;
    for (; count; count--) {
        HeraldNameRef name = HeraldNameForAddress(&a->words[next_random(&value_state)]);
        HeraldCenterPostNotification(a->center, name, NULL, a->userInfo, false);
    }
}

static void many_name_rows(void) {
    progress("one of 1,000,000 names");
    struct audience few = crowd_make(10), many = crowd_make(MANY_NAMES);
    struct task hot[] = {{.run = post_by_name, .context = &few}, {.run = post_by_name, .context = &many}};
    struct task cold[] = {{.run = call_random, .context = &many}, {.run = post_random, .context = &many}};
    measure(hot, 2, NULL);
    measure(cold, 2, NULL);
    row_add(4, RATIO_AT_MOST(1.5), compare(&hot[0], &hot[1]), "post of one hot name of 1,000,000, beside one of 10");
    row_add(4, NO_BUDGET, compare(&cold[0], &cold[1]), "post of random names of 1,000,000 (addresses), cold");
    audience_end(&few);
    audience_end(&many);
}

static char unheard[MISSES][2]; /* names nobody ever registers */

static void miss_one(void *context, long count) {
    struct audience *a = context;
    HeraldNameRef name = HeraldNameForAddress(unheard[0]);
    for (; count; count--) HeraldCenterPostNotification(a->center, name, NULL, a->userInfo, false);
}

static void miss_many(void *context, long count) {
    struct audience *a = context;
    for (; count; count--) {
        HeraldNameRef name = HeraldNameForAddress(unheard[count % MISSES]);
        HeraldCenterPostNotification(a->center, name, NULL, a->userInfo, false);
    }
}

/* "Before" is a center like it that has seen nothing, so that both can be measured in turn. */
static void miss_rows(void) {
    progress("misses");
    struct audience before = audience_make(1, "heard", NULL), after = audience_make(1, "heard", NULL);
    uint64_t *words = calloc(ENOUGH_NAMES, sizeof *words);
    REQUIRE(words);
    for (size_t i = 0; i < ENOUGH_NAMES; i++) add(after.center, &words[i], hear, HeraldNameForAddress(&words[i]), NULL);
    for (size_t i = 0; i < ENOUGH_NAMES; i++) HeraldCenterRemoveEveryObserver(after.center, &words[i]);
    struct task one[] = {{.run = miss_one, .context = &before}, {.run = miss_one, .context = &after}};
    struct task many[] = {{.run = miss_many, .context = &before}, {.run = miss_many, .context = &after}};
    measure(one, 2, NULL);
    measure(many, 2, NULL);
    row_add(8, RATIO_AT_MOST(1.5), compare(&one[0], &one[1]), "miss after 100,000 names came and went, one name");
    row_add(8, RATIO_AT_MOST(1.5), compare(&many[0], &many[1]),
            "miss after 100,000 names came and went, 1024 names in turn");
    audience_end(&before);
    audience_end(&after);
    free(words);
}

void name_rows(void) {
    many_name_rows();
    miss_rows();
}
