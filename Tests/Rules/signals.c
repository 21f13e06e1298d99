/* R29: signals, which are topics without a name; observers that are added and removed by topic; quiet centers. */
#include "check.h"
#include <herald/inspect.h>
#include <herald/message.h>
#include <sys/wait.h>

static void hear_tagged(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo, const void *tag) {
    CHECK(HeraldGetCurrentTag() == tag);
    listener_hear(center, observer, name, object, userInfo);
}

static void connect(HeraldTopicRef topic, struct listener *listener) {
    CHECK(HeraldTopicAddObserver(topic, listener, hear_tagged, listener_released, &listener->token) == HeraldOK);
    CHECK(listener->token.center && listener->token.registration);
}

static HeraldTopicRef new_signal(HeraldCenterRef center) {
    HeraldTopicRef signal = HeraldTopicCreateUnnamed(center);
    CHECK(signal != NULL);
    return signal;
}

RULE(29, a_signal_calls_its_own_observers_in_their_order) {
    HeraldCenterRef center = new_center();
    struct record record = {PTHREAD_MUTEX_INITIALIZER, "", 0};
    HeraldTopicRef signal = new_signal(center), other = new_signal(center);
    static const char tag;
    struct listener all[6];
    CHECK(HeraldTopicPost(signal, NULL) == 0);
    for (int i = 0; i < 6; i++) {
        all[i] = (struct listener){.letter = (char)('a' + i), .record = &record};
        connect(i % 2 ? other : signal, &all[i]);
    }
    CHECK(HeraldTopicPostTagged(signal, &record, &tag) == 3);
    CHECK_HEARD(&record, "ace");
    CHECK(all[0].userInfo == &record && all[0].tag == &tag && !all[0].object);
    CHECK(HeraldTopicPost(other, NULL) == 3);
    CHECK_HEARD(&record, "bdf");
    CHECK(all[0].name && all[1].name && all[0].name != all[1].name && all[0].name == all[2].name);
    CHECK(HeraldCenterRemoveToken(center, all[2].token) && !HeraldCenterRemoveToken(center, all[2].token));
    CHECK(HeraldTopicPost(signal, NULL) == 2);
    CHECK_HEARD(&record, "ae");
    CHECK(all[2].released == 1);
    HeraldTopicRelease(signal);
    HeraldTopicRelease(other);
    for (int i = 0; i < 6; i++) CHECK(all[i].released == 1);
    HeraldCenterRelease(center);
}

RULE(29, a_signal_has_a_name_that_reaches_nobody_else) {
    HeraldCenterRef center = new_center();
    HeraldTopicRef signal = new_signal(center);
    struct listener own = {0}, named = {0}, any = {0};
    connect(signal, &own);
    add(center, &any, NULL, NULL);
    CHECK(HeraldTopicPost(signal, NULL) == 2);
    CHECK(own.calls == 1 && any.calls == 1 && any.name == own.name && !HeraldNameGetUTF8String(own.name));
    add(center, &named, own.name, NULL);
    CHECK(HeraldTopicPost(signal, NULL) == 2);
    CHECK(HeraldCenterPostNotification(center, own.name, NULL, NULL, false) == 2);
    CHECK(own.calls == 2 && any.calls == 3 && named.calls == 1);
    HeraldTopicRelease(signal);
    HeraldCenterRelease(center);
}

RULE(29, observers_that_are_added_by_a_topic_are_those_of_its_name_and_object) {
    HeraldCenterRef center = new_center();
    struct record record = {PTHREAD_MUTEX_INITIALIZER, "", 0};
    HeraldNameRef name = name_of("r29.named");
    static const char object;
    struct listener a = {.letter = 'a', .record = &record}, b = {.letter = 'b', .record = &record},
                    c = {.letter = 'c', .record = &record}, d = {.letter = 'd', .record = &record};
    HeraldTopicRef plain = HeraldTopicCreate(center, name, NULL), about = HeraldTopicCreate(center, name, &object);
    connect(plain, &a);
    add(center, &b, name, NULL);
    connect(about, &c);
    add(center, &d, name, &object);
    CHECK(HeraldTopicGetObserverCount(plain) == 2 && HeraldTopicGetObserverCount(about) == 2);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK_HEARD(&record, "ab");
    HeraldCenterPostNotification(center, name, &object, NULL, false);
    CHECK_HEARD(&record, "abcd");
    HeraldCenterRemoveEveryObserver(center, &a); /* only its token removes it, as it has a tagged callback */
    HeraldTopicPost(about, NULL);
    CHECK_HEARD(&record, "abcd");
    HeraldTopicRemoveEveryObserver(plain);
    CHECK(a.released == 1 && b.released == 1 && !c.released && !HeraldCenterHasToken(center, a.token));
    HeraldTopicPost(about, NULL);
    CHECK_HEARD(&record, "cd");
    CHECK(HeraldTopicGetObserverCount(plain) == 0 && HeraldTopicGetObserverCount(about) == 2);
    HeraldTopicRelease(plain);
    HeraldTopicRelease(about);
    HeraldCenterPostNotification(center, name, &object, NULL, false);
    CHECK_HEARD(&record, "cd"); /* registrations outlive a topic that has a name */
    HeraldCenterRelease(center);
    CHECK(c.released == 1 && d.released == 1);
}

RULE(29, every_observer_of_a_topic_is_removed_however_many_there_are) {
    HeraldCenterRef center = new_center();
    HeraldTopicRef signal = new_signal(center);
    enum { MANY = 1000 };
    static struct listener all[MANY];
    for (int round = 0; round < 3; round++) {
        memset(all, 0, sizeof all);
        for (int i = 0; i < MANY; i++) connect(signal, &all[i]);
        for (int i = 0; i < MANY; i += 3) CHECK(HeraldCenterRemoveToken(center, all[i].token));
        CHECK(HeraldTopicGetObserverCount(signal) == MANY - (MANY + 2) / 3);
        CHECK(HeraldTopicPost(signal, NULL) == MANY - (MANY + 2) / 3);
        if (round < 2) HeraldTopicRemoveEveryObserver(signal);
        if (round == 2) HeraldTopicRelease(signal);
        for (int i = 0; i < MANY; i++) CHECK(all[i].released == 1 && !HeraldCenterHasToken(center, all[i].token));
        if (round < 2) CHECK(HeraldTopicPost(signal, NULL) == 0 && HeraldTopicGetObserverCount(signal) == 0);
    }
    HeraldTopicRemoveEveryObserver(NULL);
    CHECK(HeraldCenterGetRegistrationCount(center, NULL) == 0);
    HeraldCenterRelease(center);
}

RULE(29, a_signal_keeps_its_center) {
    HeraldCenterRef center = new_center();
    HeraldTopicRef signal = new_signal(center);
    struct listener own = {0}, named = {0};
    connect(signal, &own);
    add(center, &named, name_of("r29.center"), NULL);
    HeraldCenterRelease(center);
    CHECK(HeraldTopicPost(signal, NULL) == 1 && own.calls == 1 && !named.released);
    HeraldTopicRelease(signal);
    CHECK(own.released == 1 && named.released == 1);
}

static HeraldTopicRef ending; /* released by end_signal */

static void end_signal(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    HeraldTopicRef signal = ending;
    ending = NULL;
    HeraldTopicRelease(signal);
}

static void remove_all(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    HeraldTopicRemoveEveryObserver(ending);
}

RULE(29, a_signal_may_be_released_or_emptied_in_its_own_post) {
    HeraldCenterRef center = new_center();
    for (int others = 0; others < 6; others++) {
        for (int ends = 0; ends < 2; ends++) {
            struct listener first = {.then = ends ? end_signal : remove_all}, rest[6];
            memset(rest, 0, sizeof rest);
            HeraldTopicRef signal = ending = new_signal(center);
            connect(signal, &first);
            for (int i = 0; i < others; i++) connect(signal, &rest[i]);
            CHECK(HeraldTopicPost(signal, NULL) == 1);
            CHECK(first.calls == 1 && first.released == 1);
            for (int i = 0; i < others; i++) CHECK(!rest[i].calls && rest[i].released == 1);
            if (!ends) HeraldTopicRelease(signal);
        }
    }
    ending = NULL;
    HeraldCenterRelease(center);
}

static HeraldTopicRef deep;

static void post_deeper(struct listener *self, HeraldCenterRef center) {
    (void)center;
    if (self->calls == 12) {
        CHECK(HeraldTopicPost(ending, NULL) == 1);
    } else {
        CHECK(HeraldTopicPost(deep, NULL) == 2);
    }
}

RULE(29, a_signal_is_heard_at_any_depth_and_may_be_released_there) {
    HeraldCenterRef center = new_center();
    struct listener nested = {.then = post_deeper}, after = {0}, end = {.then = end_signal}, other = {0};
    deep = new_signal(center);
    ending = new_signal(center);
    connect(deep, &nested);
    connect(deep, &after);
    connect(ending, &end);
    connect(ending, &other);
    CHECK(HeraldTopicPost(deep, NULL) == 2 && nested.calls == 12 && after.calls == 12);
    CHECK(end.calls == 1 && end.released == 1 && !other.calls && other.released == 1);
    HeraldTopicRelease(deep);
    HeraldCenterRelease(center);
}

static const char kept_tag;
static const void *same(const void *pointer) { return pointer; }
static void nothing(const void *pointer) { (void)pointer; }
static void describe(void) {
    HeraldTagOptions options = {.size = sizeof options, .retainUserInfo = same, .releaseUserInfo = nothing};
    HeraldStatus status = HeraldTagSetOptions(&kept_tag, &options);
    CHECK(status == HeraldOK || status == HeraldInvalidArgument); /* the rules may run more than once */
}

static void hold(HeraldTopicRef signal, struct listener *listener) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = HeraldSuspensionHold,
                                     .release = listener_released,
                                     .taggedCallback = hear_tagged};
    (void)signal;
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(listener->context, listener, NULL, NULL, NULL, &options, &listener->token);
    CHECK(status == HeraldOK);
}

RULE(29, a_suspended_center_holds_posts_of_signals_and_a_signal_may_end_while_they_are_delivered) {
    describe();
    HeraldCenterRef center = new_center();
    HeraldTopicRef signal = new_signal(center);
    struct listener at_once = {0}, held = {.context = center};
    connect(signal, &at_once);
    hold(signal, &held);
    HeraldCenterSetSuspended(center, true);
    CHECK(HeraldTopicPostTagged(signal, &held, &kept_tag) == 1);
    CHECK(at_once.calls == 1 && held.calls == 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 1 && held.userInfo == &held && held.tag == &kept_tag && at_once.calls == 1);
    /* The next post delivers what is queued, and a call of that ends the signal. */
    held.then = end_signal;
    ending = signal;
    HeraldCenterSetSuspended(center, true);
    CHECK(HeraldTopicPostTagged(signal, NULL, &kept_tag) == 1);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 2 && at_once.released == 1 && !ending);
    HeraldCenterRelease(center);
}

RULE(29, a_quiet_center_is_never_suspended_and_has_no_observers_of_any_name_or_a_prefix) {
    HeraldCenterOptions options = {.size = sizeof options, .staysQuiet = true};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    struct listener own = {0}, named = {0};
    HeraldTopicRef signal = new_signal(center);
    connect(signal, &own);
    add(center, &named, name_of("r29.quiet"), NULL);
    HeraldCenterSetSuspended(center, true);
    CHECK(!HeraldCenterIsSuspended(center));
    HeraldObserverOptions under = {.size = sizeof under, .prefix = "r29"};
    HeraldToken token = {1, 1};
    CHECK(HeraldCenterAddObserver(center, &own, listener_hear, NULL, NULL, 0) == HeraldInvalidArgument);
    CHECK(strstr(HeraldGetErrorDescription(), "quiet"));
    CHECK(HeraldCenterAddObserverWithOptions(center, &own, listener_hear, NULL, NULL, &under, &token) ==
          HeraldInvalidArgument);
    CHECK(!token.center && !token.registration && HeraldCenterGetRegistrationCount(center, NULL) == 2);
    CHECK(HeraldTopicPost(signal, NULL) == 1 && own.calls == 1);
    CHECK(HeraldCenterPostNotification(center, name_of("r29.quiet"), NULL, NULL, false) == 1 && named.calls == 1);
    HeraldTopicRelease(signal);
    HeraldCenterRelease(center);
    /* A caller that knows the options of an earlier version gets a center that is not quiet. */
    options.size = offsetof(HeraldCenterOptions, staysQuiet);
    center = HeraldCenterCreate(&options);
    HeraldCenterSetSuspended(center, true);
    CHECK(HeraldCenterIsSuspended(center));
    HeraldCenterRelease(center);
}

static size_t carry(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                    const void *tag, unsigned post_options) {
    (void)context, (void)center, (void)name, (void)object, (void)userInfo, (void)tag, (void)post_options;
    return 0;
}

static void end_center(struct listener *self, HeraldCenterRef center) {
    HeraldCenterRelease(center);
    CHECK(!HeraldTopicCreateUnnamed(center));
    *(bool *)self->context = true;
}

RULE(29, bad_arguments_of_signals_and_topics_change_nothing) {
    HeraldCenterRef center = new_center();
    HeraldTopicRef signal = new_signal(center);
    struct listener own = {0};
    HeraldToken token = {1, 1};
    size_t called = 1;
    CHECK(!HeraldTopicCreateUnnamed(NULL));
    CHECK(HeraldTopicAddObserver(NULL, &own, hear_tagged, NULL, &token) == HeraldInvalidArgument);
    CHECK(!token.center && !token.registration);
    token.center = 1;
    CHECK(HeraldTopicAddObserver(signal, &own, NULL, listener_released, &token) == HeraldInvalidArgument);
    CHECK(!token.center && own.released == 0 && HeraldTopicGetObserverCount(signal) == 0);
    CHECK(HeraldTopicGetObserverCount(NULL) == 0);
    CHECK(HeraldTopicPostKept(signal, &own, &kept_tag, &called) == HeraldInvalidArgument && called == 0);
    CHECK(strstr(HeraldGetErrorDescription(), "without a name"));
    CHECK(HeraldCenterGetKeptCount(center, NULL, NULL) == 0);
    CHECK(HeraldTopicAddObserver(signal, NULL, hear_tagged, NULL, NULL) == HeraldOK);
    CHECK(HeraldTopicGetObserverCount(signal) == 1);
    HeraldTopicRemoveEveryObserver(signal);
    HeraldTopicRelease(signal);
    HeraldTransport transport = {.size = sizeof transport, .post = carry};
    HeraldCenterRef carried;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &carried) == HeraldOK);
    CHECK(!HeraldTopicCreateUnnamed(carried) && strstr(HeraldGetErrorDescription(), "stays in its process"));
    HeraldCenterRelease(carried);
    bool ended = false;
    struct listener last = {.then = end_center, .context = &ended};
    add(center, &last, name_of("r29.end"), NULL);
    HeraldCenterPostNotification(center, name_of("r29.end"), NULL, NULL, false);
    CHECK(ended && last.released == 1);
}

static HeraldTopicRef last_topic;
static void release_last(void *observer) {
    listener_released(observer);
    HeraldTopicRelease(last_topic);
    last_topic = NULL;
}

static atomic_int in_call, may_return;
static void stay(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo,
                 const void *tag) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo, (void)tag;
    in_call = 1;
    while (!may_return) usleep(1000);
}

static void *post_staying(void *signal) {
    HeraldTopicPost(signal, NULL);
    return NULL;
}

/* The child inherits a release that is due, because its thread's call is in the parent. It releases the very topic that
 * the child empties. */
static void empty_in_a_child(void) {
    HeraldCenterRef center = new_center();
    static struct listener busy;
    HeraldTopicRef signal = new_signal(center);
    last_topic = new_signal(center);
    CHECK(HeraldTopicAddObserver(signal, &busy, stay, release_last, &busy.token) == HeraldOK);
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, post_staying, signal));
    while (!in_call) usleep(1000);
    CHECK(HeraldCenterRemoveToken(center, busy.token) && !busy.released);
    pid_t child = fork();
    if (!child) {
        HeraldTopicRemoveEveryObserver(last_topic);
        _exit(busy.released == 1 && !last_topic ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    may_return = 1;
    pthread_join(thread, NULL);
    CHECK(busy.released == 1);
    HeraldTopicRelease(signal);
    HeraldCenterRelease(center);
}

RULE(29, an_inherited_release_may_end_the_signal_that_is_emptied) { CHECK(child_passed(empty_in_a_child)); }

RULE(29, a_center_that_ignores_objects_has_one_list_for_a_topic_of_an_object) {
    static const char object;
    HeraldTransport transport = {.size = sizeof transport, .post = carry, .ignoresObjects = true};
    HeraldCenterRef center;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    HeraldNameRef name = name_of("r29.ignores");
    HeraldTopicRef topic = HeraldTopicCreate(center, name, &object);
    struct listener own = {0};
    connect(topic, &own);
    CHECK(HeraldTopicGetObserverCount(topic) == 1);
    CHECK(HeraldCenterDeliver(center, name, &object, NULL, NULL, 0) == 1 && own.calls == 1);
    HeraldTopicRemoveEveryObserver(topic);
    CHECK(own.released == 1 && HeraldTopicGetObserverCount(topic) == 0);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

RULE(29, memory_of_signals_that_have_ended_is_given_back) {
    HeraldCenterRef center = new_center();
    enum { MANY = 20000 };
    static HeraldTopicRef signals[MANY];
    static struct listener heard;
    size_t before = 0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < MANY; i++) {
            signals[i] = new_signal(center);
            HeraldToken token;
            CHECK(HeraldTopicAddObserver(signals[i], &heard, hear_tagged, NULL, &token) == HeraldOK);
            if (i % 2) CHECK(HeraldTopicPost(signals[i], NULL) == 1);
        }
        for (int i = 0; i < MANY; i++) HeraldTopicRelease(signals[i]);
        HeraldTopicRef last = new_signal(center); /* writers reclaim what has ended before */
        for (int i = 0; i < 100; i++) {
            HeraldToken token;
            CHECK(HeraldTopicAddObserver(last, &heard, hear_tagged, NULL, &token) == HeraldOK);
            CHECK(HeraldCenterRemoveTokenAndWait(center, token));
        }
        HeraldTopicRelease(last);
        CHECK(HeraldCenterGetRegistrationCount(center, NULL) == 0);
        size_t used = mallinfo2().uordblks;
        if (round == 1) before = used;
        if (round > 1) CHECK(used < before + MANY * 16); /* a signal takes more than 300 bytes */
    }
    HeraldCenterRelease(center);
}

static atomic_int going, posted;
static HeraldTopicRef shared;

static void *post_shared(void *unused) {
    (void)unused;
    while (going) posted += (int)HeraldTopicPost(shared, NULL) > 0;
    return NULL;
}

static void *come_and_go(void *center) {
    for (int i = 0; i < 2000; i++) {
        struct listener *listener = calloc(1, sizeof *listener);
        connect(shared, listener);
        if (i % 16 == 0) HeraldTopicRemoveEveryObserver(shared);
        HeraldCenterRemoveTokenAndWait(center, listener->token);
        CHECK(listener->released == 1);
        free(listener);
        HeraldTopicRef own = new_signal(center);
        struct listener mine = {0};
        connect(own, &mine);
        CHECK(HeraldTopicPost(own, NULL) == 1);
        HeraldTopicRelease(own);
        CHECK(mine.released == 1);
    }
    return NULL;
}

RULE(29, signals_are_posted_added_to_and_emptied_by_several_threads) {
    HeraldCenterRef center = new_center();
    shared = new_signal(center);
    going = 1;
    pthread_t posters[2], changers[2];
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&posters[i], NULL, post_shared, NULL));
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&changers[i], NULL, come_and_go, center));
    for (int i = 0; i < 2; i++) pthread_join(changers[i], NULL);
    going = 0;
    for (int i = 0; i < 2; i++) pthread_join(posters[i], NULL);
    CHECK(HeraldTopicGetObserverCount(shared) == 0);
    HeraldTopicRelease(shared);
    CHECK(HeraldCenterGetRegistrationCount(center, NULL) == 0);
    HeraldCenterRelease(center);
}

static void use_signals_in_a_child(void) {
    HeraldCenterRef center = new_center();
    HeraldTopicRef signal = new_signal(center);
    static struct listener own;
    connect(signal, &own);
    pid_t child = fork();
    if (child) {
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        CHECK(own.calls == 0);
    } else {
        bool passed = HeraldTopicPost(signal, NULL) == 1 && own.calls == 1;
        HeraldTopicRelease(signal);
        _exit(passed && own.released == 1 ? 0 : 1);
    }
    HeraldTopicRelease(signal);
    HeraldCenterRelease(center);
}

RULE(29, a_signal_goes_on_in_the_child_of_a_fork) { CHECK(child_passed(use_signals_in_a_child)); }

static bool see(void *context, const HeraldRegistrationInfo *info) {
    HeraldRegistrationInfo *last = context;
    *last = *info;
    return true;
}

RULE(29, visits_show_the_registrations_of_signals) {
    HeraldCenterRef center = new_center();
    HeraldTopicRef signal = new_signal(center);
    struct listener own = {0};
    HeraldRegistrationInfo info = {0};
    connect(signal, &own);
    HeraldTopicPost(signal, NULL);
    CHECK(HeraldCenterVisitRegistrations(center, see, &info) == 1);
    CHECK(info.token.registration == own.token.registration && info.name == own.name && info.observer == &own);
    HeraldTopicRelease(signal);
    HeraldCenterRelease(center);
}
