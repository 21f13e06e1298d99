/* The torture: threads that do everything at once, and counts of faults.
 *
 *      torture [SECONDS [SEED [hooked|plain]]]     hooked, plain: only the duel, with removals of that kind
 *
 * Posters post by name and by topic; churners add and remove with and without hooks and waiting; callbacks post into
 * other centers, remove themselves and others, and end their thread; threads come and go; centers live and die;
 * suspension comes and goes. At the end everything is removed. It prints
 *      late      calls of a registration after its release, or after a waiting removal returned
 *      wrong     calls with another registration's name, calls missing or out of order, stale tokens that worked
 *      doubled   releases that ran twice
 *      leaked    releases that never ran; centers, and with them snapshots and slots, that were never freed
 * All of them must be 0. It is built with HERALD_TORTURE, so that threads rest in the protocol's gaps, and with a small
 * HERALD_RETIRED_ENOUGH, so that memory is freed as early as the protocol allows. It is chance which threads meet
 * where. The mutations (mutations.sh) show that the chance is good.
 */
#include "center.h"
#include "reclaim.h"
#include "thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CENTERS = 3, NAMES = 6, OBJECTS = 3, OWNED = 12, STALE = 64, CONTEXTS = 1 << 16 };

static HeraldCenterRef centers[CENTERS];
static HeraldNameRef names[NAMES];
static char objects[OBJECTS];
static atomic_bool stop;
static atomic_long posts, calls, removals, late, wrong, doubled, stranger, missed, unordered, revived, lost;
static atomic_long owed, released;

/* ---- Chance ----------------------------------------------------------------------------------------------------- */

static uint64_t seed = 1;
static _Thread_local uint64_t dice;

static void must(HeraldStatus status) {
    if (status != HeraldOK) abort();
}

static uint32_t roll(uint32_t sides) {
    if (!dice) dice = __atomic_add_fetch(&seed, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED) | 1;
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (uint32_t)((dice >> 32) % sides);
}

void herald_torture_pause(void) {
    if (roll(256)) return;
    if (roll(16)) {
        for (volatile int i = (int)roll(400); i > 0; i--) {
        }
    } else {
        sched_yield();
    }
}

/* ---- Registrations ---------------------------------------------------------------------------------------------- */

/* One registration as its owner remembers it. A hooked one may have ended since, and its context may serve another. */
struct owned {
    struct context *context;
    HeraldCenterRef center;
    HeraldToken token;
    bool hooked;
};

enum { FREE, ALIVE, ENDED };

/* Never returned to the heap, so that a late call can be counted instead of crashing. */
struct context {
    atomic_int state;
    HeraldNameRef name;
    const void *object;
    HeraldCenterRef center;
    bool hooked;
};
static struct context contexts[CONTEXTS];

static struct context *take_context(void) {
    for (;;) {
        struct context *context = &contexts[roll(CONTEXTS)];
        int free_state = FREE;
        if (atomic_compare_exchange_strong(&context->state, &free_state, ALIVE)) return context;
    }
}

static void rest_in_peace(struct context *context) {
    context->state = ENDED;
    if (!roll(4)) sched_yield();
    context->state = FREE;
}

static void on_release(void *observer) {
    struct context *context = observer;
    int alive = ALIVE;
    if (!atomic_compare_exchange_strong(&context->state, &alive, ENDED)) {
        doubled++;
        return;
    }
    released++;
    if (!stop && !roll(8)) HeraldCenterPostNotification(centers[0], names[roll(NAMES)], NULL, NULL, false);
    context->state = FREE;
}

/* Stores that miss every cache: later stores wait behind them in the processor's store buffer, for microseconds, while
 * loads go ahead. The fences exist because of this reordering. */
enum { COLD = 64 << 20 };
static char *cold;
static void scatter(void) {
    size_t at = (size_t)roll(COLD / 64) * 64;
    for (int i = 0; i < 50; i++) { /* each in another page */
        at = (at + 17 * 4096 + 5 * 64) % COLD;
        __atomic_store_n(&cold[at], (char)i, __ATOMIC_RELAXED);
    }
}

static _Thread_local int depth;
static void act(struct context *context);

static void check_call(const struct context *context, HeraldNameRef name, const void *object) {
    if (context->state != ALIVE) {
        late++;
    } else if ((context->name && context->name != name) || (context->object && context->object != object)) {
        stranger++;
    }
}

static void on_post(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    struct context *context = observer;
    (void)center, (void)userInfo;
    calls++;
    check_call(context, name, object);
    if (!roll(8)) scatter();
    if (depth < 3 && !roll(20)) {
        depth++;
        act(context);
        depth--;
    } else if (!roll(200)) {
        sched_yield();
    } else if (!roll(4)) {
        for (volatile int i = 300; i > 0; i--) {
        }
    }
    check_call(context, name, object);
}

/* When this returns, a hooked context may have ended and serve another registration. */
static struct owned add(struct context *context, bool hooked) {
    struct owned owned = {context, centers[roll(CENTERS)], {0, 0}, hooked};
    context->center = owned.center;
    context->name = roll(8) ? names[roll(NAMES)] : NULL;
    context->object = roll(3) ? NULL : &objects[roll(OBJECTS)];
    context->hooked = hooked;
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = (HeraldSuspensionBehavior)(1 + roll(4)),
                                     .release = hooked ? on_release : NULL};
    if (hooked) owed++;
    if (HeraldCenterAddObserverWithOptions(context->center, context, on_post, context->name, context->object, &options,
                                           &owned.token) != HeraldOK)
        abort();
    return owned;
}

static void post_something(HeraldCenterRef center) {
    posts++;
    HeraldCenterPostNotification(center, names[roll(NAMES)], roll(2) ? &objects[roll(OBJECTS)] : NULL, NULL,
                                 roll(16) == 0);
}

/* The actions of a callback, to any depth. Its owner may remove its registration at the same time. */
static void act(struct context *context) {
    switch (roll(6)) {
    case 0: post_something(centers[roll(CENTERS)]); break;
    case 1:
        if (context->hooked) HeraldCenterRemoveEveryObserver(context->center, context);
        break;
    case 2:
        if (context->hooked) HeraldCenterRemoveEveryObserverAndWait(context->center, context);
        break;
    case 3: add(take_context(), true); break;
    case 4: HeraldCenterSetSuspended(centers[CENTERS - 1], roll(2)); break;
    default: sched_yield();
    }
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

static void *poster(void *unused) {
    (void)unused;
    HeraldTopicRef topics[CENTERS * 2];
    for (int i = 0; i < CENTERS * 2; i++)
        topics[i] = HeraldTopicCreate(centers[i / 2], names[i % NAMES], i % 2 ? &objects[0] : NULL);
    while (!stop) {
        for (int i = 0; i < 32; i++) {
            post_something(centers[roll(CENTERS)]);
            posts++;
            HeraldTopicPost(topics[roll(CENTERS * 2)], NULL);
        }
    }
    for (int i = 0; i < CENTERS * 2; i++) HeraldTopicRelease(topics[i]);
    return NULL;
}

static void end_owned(struct owned *owned) {
    removals++;
    if (owned->hooked) {
        if (roll(2)) HeraldCenterRemoveToken(owned->center, owned->token);
        return;
    }
    if (roll(2)) {
        if (!HeraldCenterRemoveTokenAndWait(owned->center, owned->token)) lost++;
    } else {
        if (roll(2) && !HeraldCenterRemoveToken(owned->center, owned->token)) lost++;
        HeraldCenterRemoveEveryObserverAndWait(owned->center, owned->context);
    }
    rest_in_peace(owned->context);
}

/* Registrations with a hook end in the hook, those without when a waiting removal has returned. */
static void *churner(void *unused) {
    (void)unused;
    struct owned owned[OWNED] = {{NULL, NULL, {0, 0}, false}}, stale[STALE] = {{NULL, NULL, {0, 0}, false}};
    for (uint32_t round = 0; !stop || round % OWNED; round++) {
        struct owned *one = &owned[round % OWNED];
        if (one->context) {
            end_owned(one);
            struct owned *old = &stale[roll(STALE)];
            if (old->context && !old->hooked && HeraldCenterRemoveToken(old->center, old->token)) revived++;
            *old = *one;
            one->context = NULL;
        }
        if (stop) continue;
        *one = add(take_context(), roll(2));
    }
    for (int i = 0; i < OWNED; i++)
        if (owned[i].context) end_owned(&owned[i]);
    return NULL;
}

/* Adds an observer of all names and then one of a name, and removes them in the other order. A post that calls the
 * second must have called the first (R2). */
static struct {
    HeraldNameRef name;
    HeraldCenterRef center;
} pairs;
static _Thread_local uint64_t saw_first;
static void on_first(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *info) {
    (void)center, (void)name, (void)object, (void)info;
    saw_first = (uint64_t)(uintptr_t)observer;
}
static void on_second(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *info) {
    (void)center, (void)name, (void)object, (void)info;
    if (saw_first != (uint64_t)(uintptr_t)observer) unordered++;
}
static void *pairer(void *unused) {
    (void)unused;
    HeraldNameRef fresh[64];
    char text[32];
    for (int i = 0; i < 64; i++) {
        snprintf(text, sizeof text, "torture.fresh.%d", i);
        fresh[i] = HeraldNameCreate(text);
    }
    for (uintptr_t round = 1; !stop; round++) {
        HeraldToken first, second;
        void *observer = (void *)(round * 2);
        /* A name by itself: a thread that adds and then posts must be heard, even if it has posted the name before
         * without an observer. */
        HeraldNameRef alone = fresh[round % 64];
        HeraldCenterPostNotification(pairs.center, alone, NULL, NULL, false);
        must(HeraldCenterAddObserverWithOptions(pairs.center, observer, on_first, round % 2 ? NULL : pairs.name,
                                                round % 2 ? NULL : &objects[0], NULL, &first));
        must(HeraldCenterAddObserverWithOptions(pairs.center, observer, on_second, pairs.name,
                                                round % 3 ? NULL : &objects[0], NULL, &second));
        HeraldToken third;
        must(HeraldCenterAddObserverWithOptions(pairs.center, observer, on_first, alone, NULL, NULL, &third));
        if (HeraldCenterPostNotification(pairs.center, alone, NULL, NULL, false) < 1) missed++;
        HeraldCenterRemoveToken(pairs.center, third);
        HeraldCenterRemoveToken(pairs.center, second);
        HeraldCenterRemoveToken(pairs.center, first);
    }
    return NULL;
}
static void *pair_poster(void *unused) {
    (void)unused;
    HeraldTopicRef topic = HeraldTopicCreate(pairs.center, pairs.name, &objects[0]);
    while (!stop) {
        saw_first = 0;
        posts++;
        HeraldCenterPostNotification(pairs.center, pairs.name, &objects[0], NULL, false);
        saw_first = 0;
        HeraldTopicPost(topic, NULL);
    }
    HeraldTopicRelease(topic);
    return NULL;
}

static void on_post_exit(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    pthread_exit(NULL);
}
static void *short_life(void *arg) {
    for (uint32_t i = roll(4); i > 0; i--) post_something(centers[roll(CENTERS)]);
    if (!roll(4)) HeraldCenterPostNotification(centers[0], arg, NULL, NULL, false); /* ends in its callback */
    return NULL;
}
static void *midwife(void *unused) {
    (void)unused;
    HeraldNameRef exit_name = HeraldNameCreate("torture.exit");
    while (!stop) {
        pthread_t threads[3];
        HeraldToken token;
        must(HeraldCenterAddObserverWithOptions(centers[0], &token, on_post_exit, exit_name, NULL, NULL, &token));
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, short_life, (void *)(uintptr_t)exit_name);
        for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
        HeraldCenterRemoveTokenAndWait(centers[0], token);
        /* A center that lives for a moment, and dies with registrations in it. */
        HeraldCenterRef brief = HeraldCenterCreate(NULL);
        HeraldTopicRef topic = HeraldTopicCreate(brief, names[0], NULL);
        for (int i = 0; i < 5; i++) {
            struct context *context = take_context();
            context->center = centers[0]; /* its callbacks use this center */
            context->name = names[0];
            context->object = NULL;
            context->hooked = true;
            owed++;
            HeraldObserverOptions options = {.size = sizeof options, .release = on_release};
            must(HeraldCenterAddObserverWithOptions(brief, context, on_post, names[0], NULL, &options, NULL));
        }
        HeraldCenterRelease(brief);
        HeraldTopicPost(topic, NULL);
        HeraldTopicRelease(topic);
    }
    return NULL;
}

/* Two threads that only post and remove, as fast as they can: the fences matter here. Removals have hooks or wait for
 * some time, and then for some time they do not, because the handshake of such a removal would serve the reclaimer,
 * too.
 */
static struct {
    HeraldCenterRef center;
    HeraldNameRef name;
    struct context context;
    char kind; /* 'h', 'p' or both */
} duel;
static void on_duel_first(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                          const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    scatter();
}
static void on_duel(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    struct context *context = observer;
    (void)center, (void)name, (void)object, (void)userInfo;
    for (uint32_t i = roll(3000); i > 0; i--)
        if (context->state != ALIVE) {
            late++;
            return;
        }
}
/* Names that have an observer now and then, so that buckets come and go. */
enum { BRIEF = 80 };
static HeraldNameRef brief_name(uint32_t index) { return HeraldNameForAddress((char *)contexts + 64 * (index + 1)); }
static void on_brief(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                     const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static void *duel_poster(void *unused) {
    (void)unused;
    HeraldTopicRef topic = HeraldTopicCreate(duel.center, duel.name, NULL);
    while (!stop) {
        posts++;
        if (roll(2)) {
            HeraldTopicPost(topic, NULL);
        } else {
            HeraldCenterPostNotification(duel.center, duel.name, NULL, NULL, false);
        }
        if (duel.kind == 'h') continue;
        HeraldCenterPostNotification(duel.center, brief_name(roll(BRIEF)), &objects[roll(OBJECTS)], NULL, false);
    }
    HeraldTopicRelease(topic);
    return NULL;
}
static void *duel_remover(void *unused) {
    (void)unused;
    must(HeraldCenterAddObserver(duel.center, &duel.name, on_duel_first, duel.name, NULL, HeraldSuspensionDrop));
    for (int i = 0; i < 3; i++) /* so that the post goes on in the snapshot after that */
        must(HeraldCenterAddObserver(duel.center, &duel.name, on_brief, duel.name, NULL, HeraldSuspensionDrop));
    for (uint32_t round = 0; !stop; round++) {
        HeraldToken token;
        if (duel.kind == 'p' || (duel.kind != 'h' && round >> 12 & 1)) {
            HeraldNameRef name = roll(8) ? duel.name : brief_name(roll(BRIEF));
            must(HeraldCenterAddObserverWithOptions(duel.center, &duel, on_brief, name, roll(2) ? &objects[0] : NULL,
                                                    NULL, &token));
            HeraldCenterRemoveToken(duel.center, token);
            continue;
        }
        duel.context.state = ALIVE;
        must(HeraldCenterAddObserverWithOptions(duel.center, &duel.context, on_duel, duel.name, NULL, NULL, &token));
        for (volatile uint32_t i = roll(2000); i > 0; i--) {
        }
        HeraldCenterRemoveTokenAndWait(duel.center, token);
        duel.context.state = ENDED;
        for (volatile uint32_t i = roll(1000); i > 0; i--) {
        }
    }
    HeraldCenterRemoveEveryObserverAndWait(duel.center, &duel.name);
    return NULL;
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

static long leaks(void) {
    for (int i = 0; i < CENTERS; i++) HeraldCenterRelease(centers[i]);
    HeraldCenterRelease(pairs.center);
    HeraldCenterRelease(duel.center);
    for (int i = 0; i < 4; i++) herald_reclaim();
    long leaked = owed - released;
    for (HeraldCenterRef center = herald_centers; center; center = center->next) leaked++;
    return leaked;
}

static const void *keep(const void *word) { return word; }

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    if (argc > 2) seed = strtoull(argv[2], NULL, 10);
    if (argc > 3) duel.kind = argv[3][0];
    static void *(*const bodies[])(void *) = {duel_poster, duel_remover, poster,      poster, churner,
                                              churner,     pairer,       pair_poster, midwife};
    enum { THREADS = sizeof bodies / sizeof *bodies, DUEL = 2 };
    pthread_t threads[THREADS];
    static const char *const texts[NAMES] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < NAMES; i++) names[i] = HeraldNameCreate(texts[i]);
    HeraldCenterOptions options = {.size = sizeof options, .retainUserInfo = keep, .retainObject = keep};
    for (int i = 0; i < CENTERS; i++) centers[i] = HeraldCenterCreate(&options);
    pairs.center = HeraldCenterCreate(NULL);
    pairs.name = HeraldNameCreate("torture.pair");
    cold = calloc(COLD, 1);
    duel.center = HeraldCenterCreate(NULL);
    duel.name = HeraldNameCreate("torture.duel");
    struct timespec nap = {0, 20000000};
    double slept = 0, alone = duel.kind ? seconds : seconds / 3;
    for (int i = 0; i < DUEL; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (; slept < alone && !late; slept += 0.02) nanosleep(&nap, NULL); /* by themselves, for a third of the time */
    for (int i = DUEL; i < THREADS; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (; slept < seconds && !(late + stranger + missed + unordered + revived + lost + doubled); slept += 0.02)
        nanosleep(&nap, NULL);
    stop = true;
    alarm(60);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    wrong = stranger + missed + unordered + revived + lost;
    long leaked = leaks();
    /* This thread may be offline: its next post puts it on the list again. */
    HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), names[0], NULL, NULL, false);
    size_t records = 0, owned = 0;
    for (struct herald_thread *record = herald_threads_spare; record; record = record->next) records++;
    for (struct herald_thread *record = herald_threads; record; record = record->next) owned++;
    leaked += (long)owned - 1; /* this thread's own */
    printf("torture: %ld posts, %ld calls, %ld removals, %zu thread records; late %ld, wrong %ld (%ld strangers, %ld "
           "missed, %ld unordered, %ld revived, %ld lost), doubled %ld, "
           "leaked %ld\n",
           posts, calls, removals, records, late, wrong, stranger, missed, unordered, revived, lost, doubled, leaked);
    return late || wrong || doubled || leaked || records > THREADS + 4;
}
