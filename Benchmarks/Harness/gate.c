/* Puts a rule to a peer, one rule in a process, because a peer may crash or hang. Prints "pass", "fail REASON", or
 * "none REASON" if the rule does not apply to the peer. */
#include "harness.h"

#include <unistd.h>

/* ---- Observers that keep a log ----------------------------------------------------------------------------------- */

static struct log {
    _Atomic int count;
    int numbers[4096];
} heard;

struct witness {
    const struct peer *peer;
    void *center, *place, *registration;
    int number;
    void (*then)(struct witness *witness); /* what its call does in addition */
    struct witness *other;
    _Atomic int calls, running, released, late;
    atomic_bool dead, hold;
};

static void witness_call(void *context) {
    struct witness *witness = context;
    int at = atomic_fetch_add(&heard.count, 1);
    if (at < 4096) heard.numbers[at] = witness->number;
    atomic_fetch_add(&witness->running, 1);
    if (atomic_load(&witness->dead) || atomic_load(&witness->released)) atomic_fetch_add(&witness->late, 1);
    atomic_fetch_add(&witness->calls, 1);
    if (witness->then) witness->then(witness);
    if (atomic_load(&witness->released)) atomic_fetch_add(&witness->late, 1);
    atomic_fetch_sub(&witness->running, 1);
}

static void (*then_release)(struct witness *witness);

static void witness_release(void *context) {
    struct witness *witness = context;
    if (then_release) then_release(witness);
    atomic_fetch_add(&witness->released, 1);
}

static void watch(struct witness *witness) {
    struct listener listener = {witness_call, witness_release, witness};
    witness->registration = witness->peer->observe(witness->place, &listener);
}

static void unwatch(struct witness *witness) { witness->peer->remove(witness->place, witness->registration); }

static struct witness witness_at(const struct peer *peer, void *center, void *place, int number) {
    return (struct witness){.peer = peer, .center = center, .place = place, .number = number};
}

/* A visitor: it observes, and removes itself. On the heap, because a peer may release it late. */
static struct witness *visitor(const struct witness *at) {
    struct witness *witness = malloc(sizeof *witness);
    REQUIRE(witness);
    *witness = witness_at(at->peer, at->center, at->place, 9);
    watch(witness);
    return witness;
}

static int post(const struct peer *peer, void *place) {
    atomic_store(&heard.count, 0);
    peer->post(place, 1);
    return atomic_load(&heard.count);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

struct work {
    const struct peer *peer;
    void (*run)(struct witness *witness);
    struct witness *witness;
};

static void *work_main(void *context) {
    struct work *work = context;
    if (work->peer->begin_thread) work->peer->begin_thread();
    work->run(work->witness);
    if (work->peer->end_thread) work->peer->end_thread();
    return NULL;
}

static pthread_t begin(struct work *work) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, work_main, work) == 0);
    return thread;
}

/* A peer that holds a lock during the call hangs here; the runner's time limit finds it. */
static void elsewhere(struct witness *witness, void (*run)(struct witness *witness)) {
    struct work work = {witness->peer, run, witness};
    pthread_join(begin(&work), NULL);
}

static bool in_time(_Atomic int *number, int value) {
    for (int i = 0; i < 1500 && atomic_load(number) != value; i++) usleep(1000);
    return atomic_load(number) == value;
}

/* Released once, and not again a little later. */
static bool is_released_once(struct witness *witness) {
    if (!in_time(&witness->released, 1)) return false;
    usleep(20000);
    return atomic_load(&witness->released) == 1;
}

static void *object_of(const struct peer *peer) { return peer->make_object ? peer->make_object() : malloc(16); }

static void end_object(const struct peer *peer, void *object) {
    if (peer->end_object) {
        peer->end_object(object);
    } else {
        free(object);
    }
}

/* ---- Rules ------------------------------------------------------------------------------------------------------- */

static const char *who_is_called(const struct peer *peer) {
    if (!peer->objects) return "-a signal is one name of one object";
    void *center = peer->make_center(), *one = object_of(peer), *two = object_of(peer);
    struct {
        const char *name;
        void *object;
    } const of[] = {{"n", one}, {"n", NULL}, {NULL, one}, {NULL, NULL}, {"m", one}, {"n", two}};
    struct witness witnesses[6];
    for (int i = 0; i < 6; i++) {
        if (!of[i].name && !peer->any) continue;
        void *place = peer->make_place(center, of[i].name, of[i].object);
        if (!place) continue; /* a peer whose names are types has one place */
        witnesses[i] = witness_at(peer, center, place, i);
        watch(&witnesses[i]);
    }
    int count = post(peer, witnesses[0].place);
    if (count != (peer->any ? 4 : 2)) return "a post about an object does not reach exactly those whom it concerns";
    for (int i = 0; i < count; i++)
        if (heard.numbers[i] >= 4) return "an observer of another name or object is called";
    void *of_none = peer->make_place(center, "n", NULL);
    count = post(peer, of_none);
    for (int i = 0; i < count; i++)
        if (of[heard.numbers[i]].object) return "a post about no object reaches observers of one";
    return count == (peer->any ? 2 : 1) ? NULL : "a post about no object does not reach those of any";
}

static const char *order(const struct peer *peer) {
    enum { MANY = 200 };
    static struct witness witnesses[MANY];
    void *center = peer->make_center(), *object = peer->objects ? object_of(peer) : NULL;
    void *place = peer->make_place(center, "n", object), *wider = peer->make_place(center, "n", NULL);
    if (!peer->objects) wider = place;
    for (int i = 0; i < MANY; i++) {
        witnesses[i] = witness_at(peer, center, i % 3 ? place : wider, i);
        watch(&witnesses[i]);
    }
    for (int gap = 50; gap < 60; gap++) unwatch(&witnesses[gap]); /* removals leave the order intact */
    if (post(peer, place) != MANY - 10) return "not all are called";
    for (int i = 1; i < MANY - 10; i++)
        if (heard.numbers[i] < heard.numbers[i - 1]) return "the order is not that of registration";
    return NULL;
}

static void watch_other(struct witness *witness) {
    if (!witness->other->registration) watch(witness->other);
}

static void watch_two(struct witness *witness) {
    if (witness->other->registration) return;
    watch(witness->other);
    if (witness->peer->thread_safe) elsewhere(witness->other, watch_other);
}

static const char *added_during_a_post(const struct peer *peer) {
    void *center = peer->make_center(), *place = peer->make_place(center, "n", NULL);
    static struct witness third, second, first;
    third = witness_at(peer, center, place, 3);
    second = witness_at(peer, center, place, 2);
    first = witness_at(peer, center, place, 1);
    first.other = &second;
    first.then = watch_two;
    second.other = &third;
    watch(&first);
    if (post(peer, place) != 1) return "who is added during a post is called by it";
    return post(peer, place) == (peer->thread_safe ? 3 : 2) ? NULL : "who was added is not called afterwards";
}

static void unwatch_other(struct witness *witness) { unwatch(witness->other); }
static void unwatch_other_elsewhere(struct witness *witness) { elsewhere(witness, unwatch_other); }

/* Many times: the peer may call in any order. */
static const char *removed_during_a_post(const struct peer *peer) {
    for (int round = 0; round < 40; round++) {
        bool by_thread = round % 2 && peer->thread_safe;
        void *center = peer->make_center(), *place = peer->make_place(center, "n", NULL);
        struct witness at = witness_at(peer, center, place, 1), *first = visitor(&at), *second = visitor(&at);
        first->other = second, second->other = first;
        first->then = second->then = by_thread ? unwatch_other_elsewhere : unwatch_other;
        if (post(peer, place) != 1)
            return by_thread ? "an observer that another thread removed during the post is called"
                             : "an observer removed during the post is called";
        unwatch(first);
        unwatch(second);
    }
    return NULL;
}

static void do_everything(struct witness *witness) {
    if (atomic_load(&witness->calls) > 10) return;
    struct witness *passing = visitor(witness);
    witness->peer->post(witness->place, 1);
    unwatch(passing);
    if (atomic_load(&witness->calls) == 11 && !witness->number) {
        witness->number = 1;
        unwatch(witness);
    }
}

static const char *reentrancy(const struct peer *peer) {
    void *center = peer->make_center(), *place = peer->make_place(center, "n", NULL);
    static struct witness first, last;
    first = witness_at(peer, center, place, 0);
    last = witness_at(peer, center, place, 2);
    first.then = do_everything;
    watch(&first);
    watch(&last);
    post(peer, place);
    if (atomic_load(&first.calls) != 11) return "nested posts do not reach the observer that posts them";
    if (atomic_load(&last.calls) != 11) return "nested posts do not reach others";
    return post(peer, place) == 1 ? NULL : "an observer that has removed itself is called";
}

static const char *stale_tokens(const struct peer *peer) {
    void *center = peer->make_center(), *place = peer->make_place(center, "n", NULL);
    struct witness at = witness_at(peer, center, place, 0);
    for (int i = 0; i < 100; i++) {
        struct witness *gone = visitor(&at);
        unwatch(gone);
        struct witness *stranger = visitor(&at);
        for (int again = 0; again < 3; again++) unwatch(gone);
        if (post(peer, place) != 1) return "a stale token removes a stranger";
        unwatch(stranger);
    }
    return NULL;
}

static void unwatch_self(struct witness *witness) {
    unwatch(witness);
    if (atomic_load(&witness->released)) atomic_fetch_add(&witness->late, 1);
}

static void hold_on(struct witness *witness) {
    while (atomic_load(&witness->hold)) usleep(1000);
}

static void post_it(struct witness *witness) { witness->peer->post(witness->place, 1); }

/* A call on another thread that runs until the test lets it return. */
static pthread_t begin_held_call(struct work *work) {
    work->witness->then = hold_on;
    atomic_store(&work->witness->hold, true);
    watch(work->witness);
    return begin(work);
}

static void use_the_center(struct witness *witness) {
    if (witness->number != 1) return;
    witness->number = 2;
    struct witness *passing = visitor(witness);
    witness->peer->post(witness->place, 1);
    unwatch(passing);
    if (witness->other) unwatch(witness->other);
}

static const char *release(const struct peer *peer) {
    if (!peer->owns) return "-it does not own what an observer holds";
    void *center = peer->make_center(), *place = peer->make_place(center, "n", NULL);
    static struct witness self;
    self = witness_at(peer, center, place, 0);
    self.then = unwatch_self;
    watch(&self);
    post(peer, place);
    if (atomic_load(&self.late)) return "it is released while its call is running";
    if (!is_released_once(&self)) return "it is not released once when the last call has returned";
    if (peer->thread_safe) {
        static struct witness held;
        held = witness_at(peer, center, place, 0);
        struct work work = {peer, post_it, &held};
        pthread_t thread = begin_held_call(&work);
        if (!in_time(&held.running, 1)) return "the post of another thread does not begin";
        struct work removal = {peer, unwatch, &held};
        pthread_t remover = begin(&removal); /* it may wait */
        usleep(50000);
        bool early = atomic_load(&held.released);
        atomic_store(&held.hold, false);
        pthread_join(remover, NULL);
        pthread_join(thread, NULL);
        if (early) return "it is released while another thread's call is running";
        if (!is_released_once(&held)) return "it is not released once when the other thread's call has returned";
    }
    /* Its release hook uses the center. */
    static struct witness user, neighbor;
    then_release = use_the_center;
    user = witness_at(peer, center, place, 1);
    neighbor = witness_at(peer, center, place, 3);
    user.other = &neighbor;
    watch(&user);
    watch(&neighbor);
    unwatch(&user);
    if (!is_released_once(&user)) return "it is not released once";
    if (post(peer, place) != 0) return "what its release removes is called";
    return NULL;
}

static void post_until_dead(struct witness *witness) {
    while (!atomic_load(&witness->hold)) witness->peer->post(witness->place, 1);
}

static void *end_later(void *context) {
    struct witness *witness = context;
    usleep(100000);
    atomic_store(&witness->hold, false);
    return NULL;
}

static const char *removal_that_waits(const struct peer *peer) {
    if (!peer->thread_safe) return "-it is not thread-safe";
    void (*removal)(void *place, void *registration) = peer->remove_and_wait ? peer->remove_and_wait : peer->remove;
    void *center = peer->make_center(), *place = peer->make_place(center, "n", NULL);
    static struct witness held, poster;
    held = witness_at(peer, center, place, 1);
    struct work work = {peer, post_it, &held};
    pthread_t thread = begin_held_call(&work);
    if (!in_time(&held.running, 1)) return "the post of another thread does not begin";
    /* The call returns after a tenth of a second; a removal that waits returns after that. */
    double start = now();
    pthread_t ender;
    REQUIRE(pthread_create(&ender, NULL, end_later, &held) == 0);
    removal(place, held.registration);
    bool running = atomic_load(&held.running) != 0;
    bool long_enough = now() - start >= 5e7;
    pthread_join(ender, NULL);
    pthread_join(thread, NULL);
    if (running || !long_enough) return "no removal waits: it returns while a call is running";
    /* No call begins after that. */
    poster = witness_at(peer, center, place, 2);
    struct work posting = {peer, post_until_dead, &poster};
    thread = begin(&posting);
    static struct witness many[20000];
    int late = 0;
    for (int i = 0; i < 20000 && now() - start < 5e8; i++) {
        many[i] = witness_at(peer, center, place, 3);
        watch(&many[i]);
        removal(place, many[i].registration);
        atomic_store(&many[i].dead, true);
        if (atomic_load(&many[i].running)) late++;
    }
    atomic_store(&poster.hold, true);
    pthread_join(thread, NULL);
    for (int i = 0; i < 20000; i++) late += atomic_load(&many[i].late);
    return late ? "calls begin after it has returned" : NULL;
}

/* A callback of each center adds, removes and posts in the other center. */
static void cross_over(struct witness *witness) {
    static __thread int depth;
    if (depth) return;
    depth++;
    struct witness *passing = visitor(witness->other);
    witness->peer->post(witness->other->place, 1);
    unwatch(passing);
    depth--;
}

static void post_often(struct witness *witness) {
    for (double end = now() + 3e8; now() < end;) witness->peer->post(witness->place, 10);
}

static const char *two_centers(const struct peer *peer) {
    if (!peer->thread_safe) return "-it is not thread-safe";
    static struct witness one, two;
    void *a = peer->make_center(), *b = peer->make_center();
    one = witness_at(peer, a, peer->make_place(a, "a", NULL), 1);
    two = witness_at(peer, b, peer->make_place(b, "b", NULL), 2);
    one.other = &two, two.other = &one;
    one.then = two.then = cross_over;
    watch(&one);
    watch(&two);
    struct work first = {peer, post_often, &one}, second = {peer, post_often, &two};
    pthread_t threads[] = {begin(&first), begin(&second)};
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return NULL;
}

static const char *dead_subject(const struct peer *peer) {
    static struct witness witness;
    if (!peer->objects) { /* the signal is its subject */
        for (int i = 0; i < 100; i++) {
            void *center = peer->make_center(), *place = peer->make_place(center, "n", NULL);
            witness = witness_at(peer, center, place, 1);
            watch(&witness);
            peer->end_place(place);
            peer->end_center(center);
            center = peer->make_center();
            if (post(peer, peer->make_place(center, "n", NULL)))
                return "a newcomer at a dead signal's address is heard";
        }
        return NULL;
    }
    void *center = peer->make_center();
    for (int i = 0; i < 1000; i++) {
        void *object = object_of(peer), *place = peer->make_place(center, "n", object);
        witness = witness_at(peer, center, place, 1);
        watch(&witness);
        peer->end_place(place); /* the observer stays */
        end_object(peer, object);
        void *newcomer = object_of(peer), *its_place = peer->make_place(center, "n", newcomer);
        int count = post(peer, its_place);
        if (count) return "a newcomer at a dead object's address is heard by its observers";
        peer->end_place(its_place);
        end_object(peer, newcomer);
    }
    return NULL;
}

/* ---- A single rule ----------------------------------------------------------------------------------------------- */

static const struct rule {
    const char *name;
    const char *(*put)(const struct peer *peer); /* NULL: passed; "-reason": does not apply; else why it failed */
} rules[] = {{"R1", who_is_called},
             {"R2", order},
             {"R5", added_during_a_post},
             {"R6", removed_during_a_post},
             {"R7", reentrancy},
             {"R9", stale_tokens},
             {"R10", release},
             {"R11", removal_that_waits},
             {"ABBA", two_centers},
             {"subject", dead_subject}};

int put_to(const struct peer *peer, const char *name) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].name, name) != 0) continue;
        if (peer->begin_thread) peer->begin_thread();
        const char *reason = rules[i].put(peer);
        printf("%s%s\n",
               !reason          ? "pass"
               : *reason == '-' ? "none "
                                : "fail ",
               !reason ? "" : reason + (*reason == '-'));
        fflush(stdout);
        _exit(0); /* without the peer's clean-up: only the rule is judged */
    }
    fprintf(stderr, "no such rule: %s\n", name);
    return 64;
}
