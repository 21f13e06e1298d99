/* transport.h: a small transport that carries posts between the centers of one process. */
#include "check.h"
#include <herald/inspect.h>

static int o1;

/* A wire: a post on one of its centers arrives at every center that has observers of the name. */
enum { ENDS = 3, NAMES = 4 };
struct end {
    struct wire *wire;
    HeraldCenterRef center;
    char log[64]; /* +n: name n is observed now; -n: it is not; n is '*' for any name */
    struct told {
        HeraldNameRef name;
        bool is_observed;
        uint64_t version;
    } told[NAMES];
    int destroyed, posts;
    HeraldStatus answer;
    struct listener *adds; /* added by the hook itself */
};
struct wire {
    struct end ends[ENDS];
};

static char letter(HeraldNameRef name) { return name ? HeraldNameGetUTF8String(name)[0] : '*'; }

static void note(struct end *end, char sign, HeraldNameRef name) {
    size_t length = strlen(end->log);
    if (length + 3 > sizeof end->log) return;
    end->log[length] = sign;
    end->log[length + 1] = letter(name);
}

static struct told *told_of(struct end *end, HeraldNameRef name) {
    for (int i = 0; i < NAMES; i++)
        if (end->told[i].version == 0 || end->told[i].name == name) return &end->told[i];
    return NULL;
}

static HeraldStatus observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                             uint64_t version) {
    struct end *end = context;
    CHECK(center == end->center);
    if (is_observed && end->answer != HeraldOK) return end->answer;
    struct told *told = told_of(end, name);
    if (version < told->version) return HeraldOK;
    if (is_observed != told->is_observed) note(end, is_observed ? '+' : '-', name);
    *told = (struct told){name, is_observed, version};
    if (is_observed && end->adds) {
        struct listener *adds = end->adds;
        end->adds = NULL;
        add(center, adds, name, NULL);
    }
    return HeraldOK;
}

static size_t carry(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                    const void *tag, unsigned options) {
    struct end *end = context;
    size_t called = 0;
    CHECK(center == end->center);
    end->posts++;
    for (int i = 0; i < ENDS; i++) {
        HeraldCenterRef other = end->wire->ends[i].center;
        if (other && HeraldCenterHasObservers(other, name))
            called += HeraldCenterDeliver(other, name, object, userInfo, tag, options);
    }
    return called;
}

static void destroy(void *context) { ((struct end *)context)->destroyed++; }

static void make_end(struct wire *wire, int index) {
    struct end *end = &wire->ends[index];
    end->wire = wire;
    HeraldTransport transport = {
        .size = sizeof transport, .context = end, .observed = observed, .post = carry, .destroy = destroy};
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &end->center) == HeraldOK);
}

static void release_end(struct end *end) {
    HeraldCenterRef center = end->center;
    HeraldCenterRelease(center);
    CHECK(end->destroyed == 1);
    end->center = NULL;
}

#define CHECK_LOG(end, expected)                                                                                       \
    do {                                                                                                               \
        struct record heard = {.lock = PTHREAD_MUTEX_INITIALIZER};                                                     \
        snprintf(heard.heard, sizeof heard.heard, "%s", (end)->log);                                                   \
        CHECK_HEARD(&heard, expected);                                                                                 \
        memset((end)->log, 0, sizeof(end)->log);                                                                       \
    } while (0)

RULE(27, transport_is_told_of_the_first_observer_and_the_last_and_again_after_it) {
    struct wire wire = {0};
    make_end(&wire, 0);
    struct end *end = &wire.ends[0];
    HeraldNameRef a = name_of("a"), b = name_of("b");
    struct listener one = {0}, two = {0};
    for (int round = 0; round < 3; round++) { /* KKWatchAppNotificationCenter's bug: never registered again */
        add(end->center, &one, a, NULL);
        add(end->center, &two, a, &o1); /* the same name, another object */
        CHECK_LOG(end, "+a");
        HeraldCenterRemoveEveryObserver(end->center, &one);
        CHECK_LOG(end, "");
        CHECK(HeraldCenterPostNotification(end->center, a, &o1, NULL, false) == 1);
        HeraldCenterRemoveTokenAndWait(end->center, two.token);
        CHECK_LOG(end, "-a");
        CHECK(HeraldCenterPostNotification(end->center, a, &o1, NULL, false) == 0);
        one.released = two.released = 0;
    }
    add(end->center, &one, NULL, NULL);
    add(end->center, &one, b, NULL);
    add(end->center, &two, NULL, &o1);
    CHECK_LOG(end, "+*+b");
    HeraldCenterRemoveEveryObserver(end->center, &one);
    CHECK_LOG(end, "-b");
    release_end(end);
    CHECK_LOG(end, "-*");
}

RULE(27, transport_carries_posts_to_the_other_centers) {
    struct wire wire = {0};
    for (int i = 0; i < ENDS; i++) make_end(&wire, i);
    struct listener listeners[ENDS];
    memset(listeners, 0, sizeof listeners);
    HeraldNameRef a = name_of("a");
    for (int i = 1; i < ENDS; i++) add(wire.ends[i].center, &listeners[i], a, NULL);
    CHECK(HeraldCenterPostTagged(wire.ends[0].center, a, NULL, &o1, &wire, HeraldPostToAllSessions) == 2);
    HeraldTopicRef topic = HeraldTopicCreate(wire.ends[0].center, a, NULL);
    CHECK(HeraldTopicPostTagged(topic, &o1, &wire) == 2);
    HeraldTopicRelease(topic);
    CHECK(wire.ends[0].posts == 2);
    for (int i = 1; i < ENDS; i++)
        CHECK(listeners[i].calls == 2 && listeners[i].userInfo == &o1 && listeners[i].tag == &wire);
    HeraldCenterSetSuspended(wire.ends[1].center, true); /* suspension applies to posts that arrive */
    HeraldCenterRemoveEveryObserver(wire.ends[1].center, &listeners[1]);
    add_with(wire.ends[1].center, &listeners[1], a, NULL, HeraldSuspensionHold);
    listeners[1].released = 0;
    CHECK(HeraldCenterPostNotification(wire.ends[0].center, a, NULL, NULL, false) == 1);
    CHECK(listeners[1].calls == 2);
    HeraldCenterSetSuspended(wire.ends[1].center, false);
    CHECK(listeners[1].calls == 3);
    for (int i = 0; i < ENDS; i++) release_end(&wire.ends[i]);
    CHECK(listeners[2].released == 1);
}

RULE(27, transport_that_refuses_a_name_makes_the_add_fail) {
    struct wire wire = {0};
    make_end(&wire, 0);
    struct end *end = &wire.ends[0];
    struct listener listener = {0};
    HeraldObserverOptions options = {.size = sizeof options, .release = listener_released};
    end->answer = HeraldTransportFailed;
    HeraldToken token = {1, 1};
    CHECK(HeraldCenterAddObserverWithOptions(end->center, &listener, listener_hear, name_of("a"), NULL, &options,
                                             &token) == HeraldTransportFailed);
    CHECK(token.center == 0 && listener.released == 0);
    CHECK(!HeraldCenterHasObservers(end->center, name_of("a")));
    end->answer = HeraldOK;
    add(end->center, &listener, name_of("a"), NULL);
    CHECK_LOG(end, "+a");
    CHECK(HeraldCenterHasObservers(end->center, name_of("a")));
    release_end(end);
    CHECK_LOG(end, "-a");
}

RULE(27, transport_hooks_may_use_the_center) {
    struct wire wire = {0};
    make_end(&wire, 0);
    struct end *end = &wire.ends[0];
    struct listener outer = {0}, inner = {0};
    end->adds = &inner;
    add(end->center, &outer, name_of("a"), NULL);
    CHECK_LOG(end, "+a");
    CHECK(HeraldCenterPostNotification(end->center, name_of("a"), NULL, NULL, false) == 2);
    HeraldCenterRemoveEveryObserver(end->center, &outer);
    CHECK_LOG(end, "");
    HeraldCenterRemoveEveryObserver(end->center, &inner);
    CHECK_LOG(end, "-a");
    release_end(end);
}

static void release_own_center(struct listener *self, HeraldCenterRef center) {
    HeraldCenterRelease(center);
    CHECK(((struct end *)self->context)->destroyed == 0); /* not during a post that it carries */
}
RULE(27, transport_is_destroyed_after_the_posts_it_carries) {
    struct wire wire = {0};
    make_end(&wire, 0);
    struct end *end = &wire.ends[0];
    struct listener listener = {.then = release_own_center, .context = end};
    add(end->center, &listener, name_of("a"), NULL);
    CHECK(HeraldCenterPostNotification(end->center, name_of("a"), NULL, NULL, false) == 1);
    CHECK(end->destroyed == 1 && listener.released == 1);
}

RULE(27, transport_with_bad_arguments_is_refused) {
    HeraldCenterRef center = (HeraldCenterRef)&o1;
    HeraldTransport transport = {.size = 3};
    CHECK(HeraldCenterCreateWithTransport(NULL, NULL, &center) == HeraldInvalidArgument && !center);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldInvalidArgument && !center);
    transport.size = sizeof transport;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, NULL) == HeraldInvalidArgument);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK); /* a transport without hooks */
    struct listener listener = {0};
    add(center, &listener, name_of("a"), NULL);
    CHECK(HeraldCenterPostNotification(center, name_of("a"), NULL, NULL, false) == 1);
    CHECK(HeraldCenterDeliver(NULL, name_of("a"), NULL, NULL, NULL, 0) == 0);
    CHECK(HeraldCenterDeliver(center, NULL, NULL, NULL, NULL, 0) == 0);
    CHECK(!HeraldCenterHasObservers(NULL, name_of("a")) && !HeraldCenterHasObservers(center, NULL));
    HeraldCenterRelease(center);
}

/* ---- Levels ------------------------------------------------------------------------------------------------------ */

/* A transport whose hook waits, so that two changes of a name are under way at once. */
static struct {
    HeraldCenterRef center;
    struct step step;
    bool waits, refuses, is_on;
    uint64_t version;
    int calls, late;
    struct listener listener;
} level;

static HeraldStatus level_observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                   uint64_t version) {
    (void)context, (void)center, (void)name;
    level.calls++;
    if (level.waits) {
        level.waits = false;
        step_reach(&level.step, 1);
        CHECK(step_await(&level.step, 2));
    }
    if (is_observed && level.refuses) return HeraldTransportFailed;
    if (version < level.version) {
        level.late++;
        return HeraldOK;
    }
    level.version = version;
    level.is_on = is_observed;
    return HeraldOK;
}

static void begin_level(void) {
    memset(&level, 0, sizeof level);
    HeraldTransport transport = {.size = sizeof transport, .observed = level_observed};
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &level.center) == HeraldOK);
}

static void *add_slowly(void *unused) {
    (void)unused;
    add(level.center, &level.listener, name_of("a"), NULL);
    return NULL;
}

static void *remove_slowly(void *unused) {
    (void)unused;
    CHECK(HeraldCenterRemoveToken(level.center, level.listener.token));
    return NULL;
}

/* Another thread adds and removes while an add is in the hook: the add tells the transport again. */
RULE(27, transport_is_told_again_when_a_name_was_taken_back_during_an_add) {
    struct listener other = {0};
    pthread_t thread;
    begin_level();
    level.waits = true;
    pthread_create(&thread, NULL, add_slowly, NULL);
    CHECK(step_await(&level.step, 1));
    add(level.center, &other, name_of("a"), NULL); /* is not held up */
    CHECK(level.is_on);
    CHECK(HeraldCenterRemoveToken(level.center, other.token));
    CHECK(!level.is_on);
    step_reach(&level.step, 2);
    pthread_join(thread, NULL);
    CHECK(level.late == 1 && level.is_on);
    CHECK(HeraldCenterRemoveToken(level.center, level.listener.token));
    CHECK(!level.is_on);
    HeraldCenterRelease(level.center);
}

/* A removal is in the hook while another thread adds: what the removal tells comes late, and has no effect. */
RULE(27, transport_that_hears_of_a_removal_late_ignores_it) {
    struct listener other = {0};
    pthread_t thread;
    begin_level();
    add(level.center, &level.listener, name_of("a"), NULL);
    level.waits = true;
    pthread_create(&thread, NULL, remove_slowly, NULL);
    CHECK(step_await(&level.step, 1));
    add(level.center, &other, name_of("a"), NULL);
    step_reach(&level.step, 2);
    pthread_join(thread, NULL);
    CHECK(level.late == 1 && level.is_on);
    HeraldCenterRelease(level.center);
    CHECK(!level.is_on);
}

/* An add that is refused after another was accepted takes nothing away. */
RULE(27, transport_that_refuses_one_of_two_adds_keeps_the_other) {
    struct listener other = {0};
    begin_level();
    add(level.center, &other, name_of("a"), NULL);
    level.refuses = true;
    CHECK(HeraldCenterAddObserver(level.center, &level, listener_hear, name_of("b"), NULL, HeraldSuspensionDrop) ==
          HeraldTransportFailed);
    CHECK(strcmp(HeraldGetErrorDescription(), HeraldStatusGetDescription(HeraldTransportFailed)) == 0);
    add(level.center, &level.listener, name_of("a"), NULL); /* it is known: the transport is not called */
    CHECK(level.calls == 2 && level.is_on);
    HeraldCenterRelease(level.center);
    CHECK(level.calls == 3 && !level.is_on);
}

/* The hook of one add releases the center. */
static HeraldStatus release_in_hook(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                    uint64_t version) {
    struct end *end = context;
    (void)version;
    note(end, is_observed ? '+' : '-', name);
    if (is_observed) HeraldCenterRelease(center);
    CHECK(end->destroyed == 0);
    return HeraldOK;
}
RULE(27, transport_is_destroyed_after_the_hook_that_releases_its_center) {
    struct end end = {0};
    HeraldTransport transport = {
        .size = sizeof transport, .context = &end, .observed = release_in_hook, .destroy = destroy};
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &end.center) == HeraldOK);
    CHECK(HeraldCenterAddObserver(end.center, &end, listener_hear, name_of("a"), NULL, HeraldSuspensionDrop) ==
          HeraldInvalidArgument);
    CHECK(end.destroyed == 1);
    CHECK_LOG(&end, "+a-a");
}

/* During an add's hook, other names come and go by the hundred: the add is not told again. */
static int told_of_a;
static HeraldStatus use_other_names(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                    uint64_t version) {
    (void)context, (void)version;
    if (name != name_of("a") || !is_observed) return HeraldOK;
    told_of_a++;
    static char others[400];
    for (int i = 0; i < 200; i++) {
        struct listener listener = {0};
        add(center, &listener, HeraldNameForAddress(&others[2 * i + ((uintptr_t)others & 1)]), NULL);
        CHECK(HeraldCenterRemoveToken(center, listener.token));
    }
    return HeraldOK;
}
RULE(27, transport_is_told_once_of_a_name_while_others_come_and_go) {
    struct listener listener = {0};
    HeraldTransport transport = {.size = sizeof transport, .observed = use_other_names};
    HeraldCenterRef center;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    told_of_a = 0;
    add(center, &listener, name_of("a"), NULL);
    CHECK(told_of_a == 1);
    HeraldCenterRelease(center);
}

/* Threads add and remove observers of the same names: a name is on whenever an add has returned, and off at the end. */
static struct {
    pthread_mutex_t lock;
    bool is_on[NAMES];
    uint64_t version[NAMES];
    atomic_int wrong;
} levels;
static HeraldStatus many_observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                  uint64_t version) {
    (void)context, (void)center;
    int at = letter(name) - 'a';
    pthread_mutex_lock(&levels.lock);
    if (version > levels.version[at]) {
        levels.version[at] = version;
        levels.is_on[at] = is_observed;
    }
    pthread_mutex_unlock(&levels.lock);
    return HeraldOK;
}
static void *come_and_go(void *center) {
    static const char *const names[] = {"a", "b", "c", "d"};
    struct listener listener = {0};
    for (int i = 0; i < 4000; i++) {
        add(center, &listener, name_of(names[i % 4]), NULL);
        pthread_mutex_lock(&levels.lock);
        levels.wrong += !levels.is_on[i % 4];
        pthread_mutex_unlock(&levels.lock);
        CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token));
        listener.released = 0;
    }
    return NULL;
}
RULE(27, transport_knows_each_observed_name_whatever_threads_add_and_remove) {
    HeraldTransport transport = {.size = sizeof transport, .observed = many_observed};
    HeraldCenterRef center;
    memset(&levels, 0, sizeof levels);
    pthread_mutex_init(&levels.lock, NULL);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, come_and_go, center);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) CHECK(!levels.is_on[i]);
    CHECK(levels.wrong == 0);
    HeraldCenterRelease(center);
}

/* ---- Transports of names alone, centers that live for ever, forks ------------------------------------------------ */

static const void *must_not_retain(const void *object) {
    (void)object;
    CHECK(!"an object that does not count was retained");
    return NULL;
}
RULE(27, transport_that_ignores_objects_makes_them_count_as_any) {
    HeraldTransport transport = {.size = sizeof transport, .ignoresObjects = true};
    HeraldCenterRef center;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    struct listener one = {0}, other = {0};
    add(center, &one, name_of("a"), &o1);
    HeraldObserverOptions options = {.size = sizeof options, .retainObject = must_not_retain};
    CHECK(HeraldCenterAddObserverWithOptions(center, &other, listener_hear, name_of("a"), &o1, &options, NULL) ==
          HeraldOK);
    CHECK(HeraldCenterPostNotification(center, name_of("a"), NULL, NULL, false) == 2);
    HeraldCenterRemoveObserver(center, &other, name_of("a"), &center);
    CHECK(HeraldCenterPostNotification(center, name_of("a"), NULL, NULL, false) == 1);
    HeraldCenterRelease(center);
}

RULE(27, transport_whose_center_lives_for_ever_is_not_closed) {
    HeraldTransport transport = {.size = sizeof transport, .livesForever = true};
    HeraldCenterRef center;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    struct listener listener = {0};
    add(center, &listener, name_of("a"), NULL);
    for (int i = 0; i < 3; i++) HeraldCenterRelease(center);
    CHECK(HeraldCenterRetain(center) == center);
    CHECK(HeraldCenterPostNotification(center, name_of("a"), NULL, NULL, false) == 1 && !listener.released);
    CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token));
}

RULE(27, transport_by_a_caller_that_knows_the_shorter_form) {
    struct {
        HeraldTransport transport;
        char beyond[16];
    } given;
    memset(&given, 0xff, sizeof given); /* memory beyond its size is not read */
    memset(&given.transport, 0, offsetof(HeraldTransport, ignoresObjects));
    given.transport.size = offsetof(HeraldTransport, ignoresObjects);
    HeraldCenterRef center;
    CHECK(HeraldCenterCreateWithTransport(NULL, &given.transport, &center) == HeraldOK);
    struct listener listener = {0};
    add(center, &listener, name_of("a"), &o1);
    CHECK(HeraldCenterPostNotification(center, name_of("a"), NULL, NULL, false) == 0);
    HeraldCenterRelease(center);
    CHECK(listener.released == 1);
}

static struct end *inherited;
static struct listener first_of_three;
static void tell_in_child(void) {
    memset(inherited->told, 0, sizeof inherited->told); /* in the child it reaches out for nothing yet */
    struct listener second = {0}, third = {0};
    add(inherited->center, &second, name_of("a"), NULL);
    add(inherited->center, &third, name_of("a"), NULL);
    HeraldCenterRemoveToken(inherited->center, first_of_three.token);
    HeraldCenterRemoveToken(inherited->center, second.token);
    HeraldCenterRemoveToken(inherited->center, third.token);
    CHECK_LOG(inherited, "+a-a");
}
RULE(18, child_tells_its_transport_of_names_again) {
    struct wire wire = {0};
    make_end(&wire, 0);
    inherited = &wire.ends[0];
    first_of_three = (struct listener){0};
    add(inherited->center, &first_of_three, name_of("a"), NULL);
    CHECK_LOG(inherited, "+a");
    CHECK(child_passed(tell_in_child));
    struct listener second = {0};
    add(inherited->center, &second, name_of("a"), NULL);
    CHECK_LOG(inherited, "");
    release_end(inherited);
}

/* ---- Under a prefix ---------------------------------------------------------------------------------------------- */

static void count_end(void *context) { atomic_fetch_add((atomic_int *)context, 1); }

static HeraldToken add_under(HeraldCenterRef center, struct listener *listener, const char *prefix, atomic_int *ended) {
    HeraldObserverOptions options = {.size = sizeof options, .release = listener_released};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverUnder(center, listener, listener_hear, prefix, &options, ended ? count_end : NULL,
                                       ended, &token) == HeraldOK);
    return token;
}

RULE(2, under_a_prefix_is_heard_in_the_order_of_registration) {
    struct wire wire = {0};
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener a = {.letter = 'a', .record = &record}, b = {.letter = 'b', .record = &record},
                    c = {.letter = 'c', .record = &record};
    make_end(&wire, 0);
    struct end *end = &wire.ends[0];
    HeraldNameRef below = HeraldNameCreate("under.x");
    atomic_int ended = 0;
    add(end->center, &a, below, NULL);
    HeraldToken token = add_under(end->center, &b, "under", &ended);
    add(end->center, &c, below, NULL);
    CHECK(strcmp(end->log, "+u") == 0); /* for the observer under the prefix the transport is not called, */
    CHECK(HeraldCenterPostNotification(end->center, below, NULL, NULL, false) == 3);
    CHECK_HEARD(&record, "abc");
    HeraldCenterDeliver(end->center, HeraldNameCreate("under"), NULL, NULL, NULL, 0);
    HeraldCenterDeliver(end->center, HeraldNameCreate("underdog.x"), NULL, NULL, NULL, 0);
    CHECK_HEARD(&record, "");
    CHECK(HeraldCenterRemoveToken(end->center, token));
    CHECK(ended == 1 && b.released == 1);
    CHECK(HeraldCenterPostNotification(end->center, below, NULL, NULL, false) == 2);
    CHECK_HEARD(&record, "ac");
    release_end(end);
}

RULE(26, transport_is_told_of_any_name_beside_those_under_a_prefix) {
    struct wire wire = {0};
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener all = {.letter = 'a', .record = &record}, under = {.letter = 'u', .record = &record},
                    told = {.letter = 't', .record = &record};
    make_end(&wire, 0);
    struct end *end = &wire.ends[0];
    atomic_int ended = 0;
    HeraldToken token = add_under(end->center, &under, "p", &ended);
    CHECK(strcmp(end->log, "") == 0);
    add(end->center, &all, NULL, NULL);
    CHECK(strcmp(end->log, "+*") == 0);
    HeraldCenterRemoveObserver(end->center, &all, NULL, NULL);
    CHECK(strcmp(end->log, "+*-*") == 0); /* although an observer of all names is left */
    CHECK(HeraldCenterHasObservers(end->center, HeraldNameCreate("p.q")));
    HeraldCenterDeliver(end->center, HeraldNameCreate("p.q"), NULL, NULL, NULL, 0);
    CHECK_HEARD(&record, "u");
    HeraldToken second = add_under(end->center, &told, "p", NULL);
    CHECK(strcmp(end->log, "+*-*+*") == 0);
    CHECK(HeraldCenterRemoveToken(end->center, second));
    CHECK(strcmp(end->log, "+*-*+*-*") == 0);
    end->answer = HeraldTransportFailed; /* it is not called */
    struct listener more = {.letter = 'm', .record = &record};
    add_under(end->center, &more, "p", &ended);
    CHECK(HeraldCenterRemoveToken(end->center, token) && ended == 1);
    release_end(end);
    CHECK(ended == 2 && under.released == 1 && more.released == 1);
}

RULE(26, under_refuses_what_is_no_prefix) {
    struct wire wire = {0};
    make_end(&wire, 0);
    HeraldCenterRef center = wire.ends[0].center;
    HeraldObserverOptions large = {.size = sizeof large + 8}, tagged = {.size = sizeof tagged};
    tagged.taggedCallback = (HeraldTaggedCallback)(void (*)(void))listener_hear;
    HeraldToken token = {1, 1};
    struct listener listener = {.letter = 'x'};
    const char *const prefixes[] = {NULL, "", "p.", "."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        CHECK(HeraldCenterAddObserverUnder(center, &listener, listener_hear, prefixes[i], NULL, NULL, NULL, &token) ==
              HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserverUnder(NULL, &listener, listener_hear, "p", NULL, NULL, NULL, NULL) ==
          HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserverUnder(center, &listener, NULL, "p", NULL, NULL, NULL, NULL) == HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserverUnder(center, &listener, listener_hear, "p", &tagged, NULL, NULL, NULL) ==
          HeraldInvalidArgument);
    large.size = 3;
    CHECK(HeraldCenterAddObserverUnder(center, &listener, listener_hear, "p", &large, NULL, NULL, NULL) ==
          HeraldInvalidArgument);
    CHECK(token.center == 0 && token.registration == 0);
    release_end(&wire.ends[0]);
}

static HeraldCenterRef retained_at_end;
static void try_at_end(void *context) {
    ((struct end *)context)->destroyed++;
    CHECK(!HeraldCenterTryRetain(retained_at_end));
}

RULE(19, reference_of_a_transport_thread_is_had_only_while_others_have_one) {
    struct end end = {0};
    HeraldTransport transport = {.size = sizeof transport, .context = &end, .destroy = try_at_end};
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &end.center) == HeraldOK);
    retained_at_end = end.center;
    CHECK(HeraldCenterTryRetain(end.center));
    HeraldCenterRelease(end.center);
    CHECK(end.destroyed == 0);
    HeraldCenterRelease(end.center);
    CHECK(end.destroyed == 1);
    CHECK(!HeraldCenterTryRetain(NULL));
    CHECK(HeraldCenterTryRetain(HeraldCenterGetLocalCenter()));
}

/* A callback releases the last reference, and then posts. The transport is gone by then. */
static void release_and_post(HeraldCenterRef center, void *end, HeraldNameRef name, const void *object,
                             const void *userInfo) {
    (void)object, (void)userInfo;
    HeraldMessage message = {.size = sizeof message};
    HeraldCenterRelease(center);
    if (HeraldTraceIsOn()) return; /* a traced post keeps the transport until it has been reported */
    CHECK(((struct end *)end)->destroyed == 1);
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 0);
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldInvalidArgument);
    CHECK(!HeraldCenterIsHeard(center, name) && !HeraldTopicCreate(center, name, NULL));
}
static size_t post_at_end(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object,
                          const void *userInfo, const void *tag, unsigned options) {
    (void)center, (void)name, (void)object, (void)userInfo, (void)tag, (void)options;
    CHECK(!((struct end *)context)->destroyed);
    return 1;
}
static HeraldStatus post_message_at_end(void *context, HeraldCenterRef center, HeraldNameRef name,
                                        const HeraldMessage *message) {
    (void)center, (void)name, (void)message;
    CHECK(!((struct end *)context)->destroyed);
    return HeraldOK;
}
static bool is_heard_at_end(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)center, (void)name;
    CHECK(!((struct end *)context)->destroyed);
    return true;
}
static void destroy_once(void *context) { ((struct end *)context)->destroyed++; }

RULE(19, center_that_has_ended_gives_its_transport_no_posts) {
    struct end end = {0};
    HeraldTransport transport = {.size = sizeof transport,
                                 .context = &end,
                                 .post = post_at_end,
                                 .postMessage = post_message_at_end,
                                 .isHeard = is_heard_at_end,
                                 .destroy = destroy_once};
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &end.center) == HeraldOK);
    CHECK(HeraldCenterAddObserver(end.center, &end, release_and_post, HeraldNameCreate("end"), NULL, 0) == HeraldOK);
    CHECK(HeraldCenterDeliver(end.center, HeraldNameCreate("end"), NULL, NULL, NULL, 0) == 1);
    CHECK(end.destroyed == 1);
}
