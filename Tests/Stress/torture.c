/* The torture: threads that do everything at once, and counts of faults.
 *
 *      torture [SECONDS [SEED [hooked|plain]]]     hooked, plain: only the duel, with removals of that kind
 *
 * Posters post by name and by topic; churners add and remove with and without hooks and waiting; callbacks post into
 * other centers, remove themselves and others, and end their thread; threads come and go; centers live and die;
 * suspension comes and goes; posts are kept, taken and forgotten, and followers of them come and go. At the end
 * everything is removed. It prints
 *      late      calls of a registration after its release, or after a waiting removal returned
 *      wrong     calls with another registration's name, calls missing or out of order, stale tokens that worked
 *      doubled   releases that ran twice
 *      leaked    releases that never ran; centers, and with them snapshots and slots, that were never freed; kept posts
 *                that were never released
 * All of them must be 0. It is built with HERALD_TORTURE, so that threads rest in the protocol's gaps, and with a small
 * HERALD_RETIRED_ENOUGH, so that memory is freed as early as the protocol allows. It is chance which threads meet
 * where. The mutations (mutations.sh) show that the chance is good.
 */
#include "center.h"
#include "reclaim.h"
#include "thread.h"
#include <herald/inspect.h>

#include <limits.h>
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
static HeraldTopicRef signals[CENTERS]; /* topics without a name */
static HeraldNameRef names[NAMES];
static char objects[OBJECTS];
static atomic_bool stop;
static atomic_long posts, calls, removals, late, wrong, doubled, stranger, missed, unordered, revived, lost, misheard;
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
    bool hooked, of_signal;
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
    (void)userInfo;
    calls++;
    check_call(context, name, object);
    HeraldToken token = HeraldGetCurrentToken();
    if (token.center != HeraldCenterGetNumber(center) || !token.registration) stranger++;
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

static void on_signal(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo, const void *tag) {
    (void)tag;
    on_post(center, observer, name, object, userInfo);
}

/* When this returns, a hooked context may have ended and serve another registration. */
static struct owned add(struct context *context, bool hooked) {
    uint32_t which = roll(CENTERS);
    struct owned owned = {context, centers[which], {0, 0}, hooked, !roll(4)};
    context->center = owned.center;
    context->name = roll(8) && !owned.of_signal ? names[roll(NAMES)] : NULL;
    context->object = roll(3) || owned.of_signal ? NULL : &objects[roll(OBJECTS)];
    context->hooked = hooked;
    if (owned.of_signal) {
        if (hooked) owed++;
        must(HeraldTopicAddObserver(signals[which], context, on_signal, hooked ? on_release : NULL, &owned.token));
        return owned;
    }
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
    switch (roll(8)) {
    case 0: post_something(centers[roll(CENTERS)]); break;
    case 1:
        if (context->hooked) HeraldCenterRemoveEveryObserver(context->center, context);
        break;
    case 2:
        if (context->hooked) HeraldCenterRemoveEveryObserverAndWait(context->center, context);
        break;
    case 3: add(take_context(), true); break;
    case 4: HeraldCenterSetSuspended(centers[CENTERS - 1], roll(2)); break;
    case 5: HeraldCenterSetTokenBlocked(context->center, HeraldGetCurrentToken(), roll(2)); break;
    case 6:
        if (context->hooked) HeraldTokenRemove(HeraldGetCurrentToken());
        break;
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
            posts += 2;
            HeraldTopicPost(topics[roll(CENTERS * 2)], NULL);
            HeraldTopicPost(signals[roll(CENTERS)], NULL);
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
    if (!roll(4)) HeraldCenterSetTokenBlocked(owned->center, owned->token, roll(2));
    if (owned->of_signal || roll(2)) {
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
    struct owned owned[OWNED], stale[STALE];
    memset(owned, 0, sizeof owned);
    memset(stale, 0, sizeof stale);
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

/* ---- Kept posts (R25) -------------------------------------------------------------------------------------------- */

/* Each thread that keeps posts numbers its own. `always` follows all the time and hears all of them, so it says in
 * which order the posts of several threads were kept. The other followers must have heard them in this order. */
enum { KEEPERS = 5, RANKS = 1 << 16, REMEMBERED = 48 };

struct value { /* what is posted */
    atomic_int references;
    int keeper, about; /* about: an object, or OBJECTS for none */
    long serial, check;
};

static struct {
    HeraldCenterRef center;
    HeraldNameRef name;
    long serials[KEEPERS]; /* each keeper's newest */
    long rank;             /* how much `always` has heard */
    atomic_long heard[KEEPERS];
    struct rank {
        atomic_long serial, rank;
    } ranks[KEEPERS][RANKS]; /* when it has heard the newest of each keeper */
    atomic_long values, kept, begun;
} lanes;

static _Thread_local int keeper = -1; /* this thread's number; -1: it keeps nothing */
static _Thread_local bool ends_soon;  /* the thread may end in the call of a follower */

static const void *retain_value(const void *userInfo) {
    struct value *value = (struct value *)(uintptr_t)userInfo;
    atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
    return value;
}

static void release_value(const void *userInfo) {
    struct value *value = (struct value *)(uintptr_t)userInfo;
    if (atomic_fetch_sub(&value->references, 1) != 1) return;
    value->check = 0;
    free(value);
    lanes.values--;
}

static void check_value(const struct value *value) {
    if (value->references < 1 || value->check != ~value->serial) misheard++;
}

static const void *object_at(int about) { return about == OBJECTS ? NULL : &objects[about]; }

static void on_take(void *context, const void *userInfo, const void *tag) {
    const struct value *value = userInfo;
    long *serial = context;
    (void)tag;
    check_value(value);
    if (!roll(8)) sched_yield();
    check_value(value);
    if (serial && value->keeper == keeper) *serial = value->serial;
}

static void on_visit(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    if (name != lanes.name || object != object_at(((const struct value *)userInfo)->about)) misheard++;
    on_take(context, userInfo, tag);
}

static void keep_something(void) {
    struct value *value = malloc(sizeof *value);
    int about = (int)roll(OBJECTS + 1);
    long serial = ++lanes.serials[keeper], taken = LONG_MAX;
    *value = (struct value){1, keeper, about, serial, ~serial};
    lanes.values++;
    lanes.kept++;
    must(HeraldCenterPostKept(lanes.center, lanes.name, object_at(about), value, NULL, 0, NULL));
    release_value(value);
    if (roll(4)) return;
    HeraldCenterTakeKept(lanes.center, lanes.name, object_at(about), on_take, &taken);
    if (taken < serial) misheard++;
}

struct follower {
    atomic_int state; /* as a context's */
    int about;        /* an object, or OBJECTS for all */
    HeraldSuspensionBehavior behavior;
    HeraldToken token;
    /* What it has heard. One call at a time: the thread sanitizer sees whether one call sees what the last has done. */
    bool is_inside, has_begun;
    long last[KEEPERS];
    int count, kept;
    struct heard {
        int keeper;
        long serial;
    } heard[REMEMBERED];
};

static void on_always(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    const struct value *value = userInfo;
    (void)center, (void)observer, (void)name, (void)object;
    check_value(value);
    if (value->serial != lanes.heard[value->keeper] + 1) misheard++;
    struct rank *rank = &lanes.ranks[value->keeper][value->serial % RANKS];
    rank->serial = 0;
    rank->rank = ++lanes.rank;
    rank->serial = value->serial;
    lanes.heard[value->keeper] = value->serial;
    if (!roll(64)) sched_yield();
}

static void act_in_lane(struct follower *self) {
    switch (roll(24)) {
    case 0:
        if (keeper < 0 || depth == 3) break;
        depth++;
        keep_something();
        depth--;
        break;
    case 1: HeraldCenterRemoveToken(lanes.center, self->token); break;
    case 2: HeraldCenterTakeKept(lanes.center, lanes.name, object_at(self->about), on_take, NULL); break;
    case 3:
        if (!ends_soon) break;
        self->is_inside = false; /* not every C library unwinds (musl) */
        pthread_exit(NULL);
    case 4: sched_yield(); break;
    default:;
    }
}

static void leave_call(struct follower **self) { (*self)->is_inside = false; }

static void on_kept(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    struct follower *self __attribute__((cleanup(leave_call))) = observer;
    const struct value *value = userInfo;
    (void)center, (void)name;
    if (self->state != ALIVE) late++;
    bool is_kept = HeraldPostIsKept();
    if (self->is_inside || is_kept == self->has_begun || value->serial <= self->last[value->keeper]) misheard++;
    if (object != object_at(value->about) || (self->about != OBJECTS && self->about != value->about)) stranger++;
    check_value(value);
    self->is_inside = true;
    self->last[value->keeper] = value->serial;
    if (self->count < REMEMBERED) self->heard[self->count++] = (struct heard){value->keeper, value->serial};
    self->kept += is_kept;
    act_in_lane(self);
    check_value(value);
    if (self->state != ALIVE) late++;
}

static void on_began(void *observer, size_t kept, HeraldStatus status) {
    struct follower *self = observer;
    if (self->state != ALIVE) late++;
    if (self->is_inside || self->has_begun || (int)kept != self->kept || status != HeraldOK) misheard++;
    self->has_begun = true;
    lanes.begun++;
}

static void on_follower_release(void *observer) {
    struct follower *self = observer;
    int alive = ALIVE;
    if (self->is_inside) late++;
    if (!atomic_compare_exchange_strong(&self->state, &alive, ENDED)) doubled++;
    released++;
}

static void follow(struct follower *self) {
    *self = (struct follower){.state = ALIVE,
                              .about = roll(2) ? OBJECTS : (int)roll(OBJECTS),
                              .behavior = (HeraldSuspensionBehavior)(1 + roll(4))};
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = self->behavior,
                                     .release = on_follower_release,
                                     .start = HeraldStartKept,
                                     .began = on_began};
    owed++;
    must(HeraldCenterAddObserverWithOptions(lanes.center, self, on_kept, lanes.name, object_at(self->about), &options,
                                            &self->token));
}

/* When `always` has heard the post; 0: that is too long ago. */
static long rank_of(const struct heard *heard) {
    while (lanes.heard[heard->keeper] < heard->serial) sched_yield();
    const struct rank *at = &lanes.ranks[heard->keeper][heard->serial % RANKS];
    long rank = at->serial == heard->serial ? at->rank : 0;
    return at->serial == heard->serial ? rank : 0;
}

static void check_heard(const struct follower *self) {
    bool is_complete = self->about == OBJECTS &&
                       (self->behavior == HeraldSuspensionHold || self->behavior == HeraldSuspensionDeliverImmediately);
    for (int i = 1; i < self->count; i++) {
        long before = rank_of(&self->heard[i - 1]), rank = rank_of(&self->heard[i]);
        if (!before || !rank) continue;
        if (rank <= before || (is_complete && i > self->kept && rank != before + 1)) misheard++;
    }
}

static void unfollow(struct follower *self) {
    removals++;
    uint32_t way = roll(3);
    if (way == 0) HeraldCenterRemoveToken(lanes.center, self->token);
    if (way == 1) HeraldCenterRemoveTokenAndWait(lanes.center, self->token);
    if (way == 2) HeraldCenterRemoveEveryObserverAndWait(lanes.center, self);
    if (way == 1 && self->state != ENDED) late++;
    while (self->state != ENDED) sched_yield();
    check_heard(self);
}

static void *keep_on(void *number) {
    keeper = (int)(intptr_t)number;
    while (!stop) keep_something();
    return NULL;
}

static void *come_and_go(void *number) {
    struct follower self;
    keeper = (int)(intptr_t)number;
    while (!stop) {
        follow(&self);
        for (uint32_t i = roll(20); i > 0; i--) {
            if (roll(4)) {
                sched_yield();
            } else {
                keep_something();
            }
        }
        unfollow(&self);
    }
    return NULL;
}

static void *follow_briefly(void *self) {
    ends_soon = true;
    follow(self);
    return NULL;
}

static void *disturb(void *number) {
    static struct follower brief;
    keeper = (int)(intptr_t)number;
    while (!stop) {
        pthread_t thread;
        pthread_create(&thread, NULL, follow_briefly, &brief);
        pthread_join(thread, NULL);
        HeraldCenterSetSuspended(lanes.center, true);
        for (uint32_t i = roll(3); i > 0; i--) keep_something();
        if (!roll(4)) usleep(roll(500));
        HeraldCenterSetSuspended(lanes.center, false);
        unfollow(&brief);
        HeraldCenterForget(lanes.center, lanes.name, object_at((int)roll(OBJECTS + 1)));
        HeraldCenterVisitKept(lanes.center, on_visit, NULL);
    }
    return NULL;
}

static struct {
    void *(*body)(void *);
    intptr_t keeper;
} const lane_threads[] = {{keep_on, 0}, {keep_on, 1}, {come_and_go, 2}, {come_and_go, 3}, {disturb, 4}};
enum { LANE_THREADS = sizeof lane_threads / sizeof *lane_threads };

static void begin_lanes(void) {
    HeraldCenterOptions options = {.size = sizeof options,
                                   .retainUserInfo = retain_value,
                                   .releaseUserInfo = release_value,
                                   .heldPostLimit = 1 << 30};
    HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept};
    lanes.center = HeraldCenterCreate(&options);
    lanes.name = HeraldNameCreate("torture.kept");
    must(HeraldCenterAddObserverWithOptions(lanes.center, &lanes, on_always, lanes.name, NULL, &begins, NULL));
}

/* At rest `always` has heard everything. */
static void end_lanes(void) {
    for (int i = 0; i < KEEPERS; i++)
        if (lanes.heard[i] != lanes.serials[i]) misheard++;
    HeraldCenterRelease(lanes.center);
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

static long leaks(void) {
    for (int i = 0; i < CENTERS; i++) HeraldTopicRelease(signals[i]);
    for (int i = 0; i < CENTERS; i++) HeraldCenterRelease(centers[i]);
    HeraldCenterRelease(pairs.center);
    HeraldCenterRelease(duel.center);
    for (int i = 0; i < 4; i++) herald_reclaim();
    long leaked = owed - released + lanes.values;
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
    pthread_t threads[THREADS], keeping[LANE_THREADS];
    static const char *const texts[NAMES] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < NAMES; i++) names[i] = HeraldNameCreate(texts[i]);
    HeraldCenterOptions options = {.size = sizeof options, .retainUserInfo = keep, .retainObject = keep};
    for (int i = 0; i < CENTERS; i++) centers[i] = HeraldCenterCreate(&options);
    for (int i = 0; i < CENTERS; i++) signals[i] = HeraldTopicCreateUnnamed(centers[i]);
    pairs.center = HeraldCenterCreate(NULL);
    pairs.name = HeraldNameCreate("torture.pair");
    cold = calloc(COLD, 1);
    duel.center = HeraldCenterCreate(NULL);
    duel.name = HeraldNameCreate("torture.duel");
    begin_lanes();
    struct timespec nap = {0, 20000000};
    double slept = 0, alone = duel.kind ? seconds : seconds / 3;
    for (int i = 0; i < DUEL; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (; slept < alone && !late; slept += 0.02) nanosleep(&nap, NULL); /* by themselves, for a third of the time */
    for (int i = DUEL; i < THREADS; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < LANE_THREADS; i++)
        pthread_create(&keeping[i], NULL, lane_threads[i].body, (void *)lane_threads[i].keeper);
    for (; slept < seconds && !(late + stranger + missed + unordered + revived + lost + misheard + doubled);
         slept += 0.02)
        nanosleep(&nap, NULL);
    stop = true;
    alarm(60);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < LANE_THREADS; i++) pthread_join(keeping[i], NULL);
    end_lanes();
    wrong = stranger + missed + unordered + revived + lost + misheard;
    long leaked = leaks();
    /* This thread may be offline: its next post puts it on the list again. */
    HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), names[0], NULL, NULL, false);
    size_t records = 0, owned = 0;
    for (struct herald_thread *record = herald_threads_spare; record; record = record->next) records++;
    for (struct herald_thread *record = herald_threads; record; record = record->next) owned++;
    leaked += (long)owned - 1; /* this thread's own */
    printf("torture: %ld posts, %ld calls, %ld removals, %ld kept posts, %ld followers, %zu thread records; late %ld, "
           "wrong %ld (%ld strangers, %ld missed, %ld unordered, %ld revived, %ld lost, %ld misheard), doubled %ld, "
           "leaked %ld\n",
           posts, calls, removals, lanes.kept, lanes.begun, records, late, wrong, stranger, missed, unordered, revived,
           lost, misheard, doubled, leaked);
    return late || wrong || doubled || leaked || records > THREADS + LANE_THREADS + 5;
}
