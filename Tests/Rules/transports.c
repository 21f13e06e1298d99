/* transport.h: a small transport that carries posts between the centers of one process. */
#include "check.h"

static int o1;

/* A wire: a post on one of its centers arrives at every center that has asked for the name. */
enum { ENDS = 3 };
struct end {
    struct wire *wire;
    HeraldCenterRef center;
    char log[64]; /* +n for a first observer of name n, -n for a lost last one; n is '*' for any name */
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

static HeraldStatus first_observer(void *context, HeraldCenterRef center, HeraldNameRef name) {
    struct end *end = context;
    CHECK(center == end->center);
    if (end->answer == HeraldOK) note(end, '+', name);
    if (end->adds) {
        struct listener *adds = end->adds;
        end->adds = NULL;
        add(center, adds, name, NULL);
    }
    return end->answer;
}

static void last_observer(void *context, HeraldCenterRef center, HeraldNameRef name) {
    struct end *end = context;
    CHECK(center == end->center);
    note(end, '-', name);
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
    HeraldTransport transport = {.size = sizeof transport,
                                 .context = end,
                                 .firstObserver = first_observer,
                                 .lastObserver = last_observer,
                                 .post = carry,
                                 .destroy = destroy};
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

RULE(27, transport_hears_of_first_and_last_observers_and_again_after_the_last) {
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

/* Hooks that add and remove on their own center. */
static struct {
    HeraldCenterRef center;
    int firsts, lasts, left;
    HeraldStatus answer;
    struct listener listeners[3];
    bool keeps;
} nested;
static HeraldStatus nested_first(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context;
    nested.firsts++;
    if (nested.left-- <= 0) return HeraldOK;
    add(center, &nested.listeners[1], name, NULL);
    if (!nested.keeps) HeraldCenterRemoveToken(center, nested.listeners[1].token);
    return nested.answer;
}
static void nested_last(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)name;
    nested.lasts++;
    HeraldCenterRemoveEveryObserver(center, &nested.listeners[2]);
}
static void make_nested(void) {
    HeraldTransport transport = {.size = sizeof transport, .firstObserver = nested_first, .lastObserver = nested_last};
    memset(&nested, 0, sizeof nested);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &nested.center) == HeraldOK);
}

RULE(27, transport_is_told_again_when_its_hook_has_added_and_removed) {
    make_nested();
    nested.left = 1;
    add(nested.center, &nested.listeners[0], name_of("a"), NULL);
    CHECK(nested.firsts == nested.lasts + 1); /* it knows that there is an observer */
    HeraldCenterRemoveEveryObserver(nested.center, &nested.listeners[0]);
    CHECK(nested.firsts == nested.lasts);
    HeraldCenterRelease(nested.center);
}

RULE(27, transport_that_adds_and_then_refuses_is_told_of_what_it_added) {
    make_nested();
    nested.left = 1;
    nested.keeps = true;
    nested.answer = HeraldTransportFailed;
    CHECK(HeraldCenterAddObserver(nested.center, &nested, listener_hear, name_of("a"), NULL, HeraldSuspensionDrop) ==
          HeraldTransportFailed);
    CHECK(HeraldCenterPostNotification(nested.center, name_of("a"), NULL, NULL, false) == 1);
    HeraldCenterRemoveToken(nested.center, nested.listeners[1].token);
    CHECK(nested.lasts == 1);
    HeraldCenterRelease(nested.center);
    CHECK(nested.lasts == 1);
}

RULE(27, transport_may_remove_while_its_center_is_closed) {
    make_nested();
    static const char *const texts[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) add(nested.center, &nested.listeners[i / 2 ? 2 : 0], name_of(texts[i]), NULL);
    HeraldCenterRelease(nested.center);
    CHECK(nested.firsts == 4 && nested.lasts == 4);
    CHECK(nested.listeners[0].released == 2 && nested.listeners[2].released == 2);
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

/* Threads add and remove observers of the same names: for each name the transport gets +, -, +, - in turns. */
static struct {
    atomic_int known[4];
    atomic_int wrong;
} turns;
static HeraldStatus turn_first(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)center;
    turns.wrong += turns.known[letter(name) - 'a']++ != 0;
    return HeraldOK;
}
static void turn_last(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)center;
    turns.wrong += turns.known[letter(name) - 'a']-- != 1;
}
static void *take_turns(void *center) {
    static const char *const names[] = {"a", "b", "c", "d"};
    struct listener listener = {0};
    for (int i = 0; i < 4000; i++) {
        add(center, &listener, name_of(names[i % 4]), NULL);
        turns.wrong += turns.known[i % 4] != 1;
        CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token));
        listener.released = 0;
    }
    return NULL;
}
RULE(27, transport_hears_in_turns_whatever_threads_add_and_remove) {
    HeraldTransport transport = {.size = sizeof transport, .firstObserver = turn_first, .lastObserver = turn_last};
    HeraldCenterRef center;
    memset(&turns, 0, sizeof turns);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, take_turns, center);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) CHECK(turns.known[i] == 0);
    CHECK(turns.wrong == 0);
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
static void announce_in_child(void) {
    struct listener second = {0}, third = {0};
    add(inherited->center, &second, name_of("a"), NULL);
    add(inherited->center, &third, name_of("a"), NULL);
    HeraldCenterRemoveToken(inherited->center, first_of_three.token);
    HeraldCenterRemoveToken(inherited->center, second.token);
    HeraldCenterRemoveToken(inherited->center, third.token);
    CHECK_LOG(inherited, "+a-a");
}
RULE(18, child_announces_names_to_its_transport_anew) {
    struct wire wire = {0};
    make_end(&wire, 0);
    inherited = &wire.ends[0];
    first_of_three = (struct listener){0};
    add(inherited->center, &first_of_three, name_of("a"), NULL);
    CHECK_LOG(inherited, "+a");
    CHECK(child_passed(announce_in_child));
    struct listener second = {0};
    add(inherited->center, &second, name_of("a"), NULL);
    CHECK_LOG(inherited, "");
    release_end(inherited);
}

/* ---- Hooks of two centers that change each other's -----------------------------------------------------------------
 */

struct crossing {
    HeraldCenterRef center, other;
    struct step *met;
    struct listener listener, other_listener;
    bool removes;
    HeraldStatus status; /* of the hook's own call */
    atomic_int firsts, lasts;
};
static HeraldStatus cross(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)center;
    struct crossing *self = context;
    self->firsts++;
    if (strcmp(HeraldNameGetUTF8String(name), "cross") != 0 || !self->met) return HeraldOK;
    self->met->reached++;
    CHECK(step_await(self->met, 2)); /* both have their turns */
    if (self->removes) {
        HeraldCenterRemoveObserver(self->other, &self->other_listener, NULL, NULL);
    } else {
        self->status = HeraldCenterAddObserver(self->other, &self->other_listener, listener_hear, name_of("crossed"),
                                               NULL, HeraldSuspensionDeliverImmediately);
    }
    return HeraldOK;
}
static void count_last(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)center, (void)name;
    ((struct crossing *)context)->lasts++;
}
static void *add_to_its_own(void *context) {
    struct crossing *self = context;
    add(self->center, &self->listener, name_of("cross"), NULL);
    return NULL;
}
static void cross_each_other(bool remove) {
    struct step met = {0};
    struct crossing ends[2];
    pthread_t threads[2];
    memset(ends, 0, sizeof ends);
    for (int i = 0; i < 2; i++) {
        HeraldTransport transport = {
            .size = sizeof transport, .context = &ends[i], .firstObserver = cross, .lastObserver = count_last};
        ends[i].removes = remove;
        CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &ends[i].center) == HeraldOK);
    }
    for (int i = 0; i < 2; i++) {
        ends[i].other = ends[1 - i].center;
        if (remove) add(ends[i].other, &ends[i].other_listener, name_of("crossed"), NULL);
        ends[i].met = &met;
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add_to_its_own, &ends[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (remove) {
        CHECK(ends[0].lasts == 1 && ends[1].lasts == 1);
        CHECK(ends[0].other_listener.released == 1 && ends[1].other_listener.released == 1);
    } else {
        CHECK((ends[0].status == HeraldOK) + (ends[1].status == HeraldOK) == 1);
        CHECK(ends[0].status + ends[1].status == HeraldTransportFailed);
        CHECK(ends[0].firsts + ends[1].firsts == 3);
    }
    for (int i = 0; i < 2; i++) HeraldCenterRelease(ends[i].center);
    CHECK(ends[0].listener.released == 1 && ends[1].listener.released == 1);
}
RULE(7, hooks_that_add_to_each_others_centers_do_not_deadlock) { cross_each_other(false); }
RULE(7, hooks_that_remove_from_each_others_centers_do_not_deadlock) { cross_each_other(true); }

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
    CHECK(strcmp(end->log, "+*-*") == 0); /* although an observer of any name is left */
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
