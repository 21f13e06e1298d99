/* R12, R13, R15, R19, R21: objects, names, bad arguments, centers, tags. */
#include "check.h"

#include <malloc.h>
#include <sys/wait.h>

static int o1, o2;

/* An object whose registrations count references, with a handle that differs from the compared address. */
static int retained, r12_copy, r12_releases;
static const void *retain_object(const void *object) {
    CHECK(object == &o1);
    retained++;
    return &r12_copy;
}
static void release_object(const void *object) {
    CHECK(object == &r12_copy);
    r12_releases++;
}
static const void *retain_nothing(const void *object) {
    (void)object;
    return NULL;
}

RULE(12, what_retainObject_returns_is_compared_and_released) {
    HeraldCenterRef center = new_center();
    retained = r12_releases = 0;
    struct listener listener = {0};
    HeraldObserverOptions options = {.size = sizeof options,
                                     .release = listener_released,
                                     .retainObject = retain_object,
                                     .releaseObject = release_object};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, name_of("r12.n"), &o1, &options,
                                             &token) == HeraldOK);
    CHECK(retained == 1);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), &o1, NULL, false) == 0);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), &r12_copy, NULL, false) == 1);
    CHECK(HeraldCenterRemoveToken(center, token));
    CHECK(r12_releases == 1 && listener.released == 1);

    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, NULL, NULL, &options, &token) ==
          HeraldOK);
    CHECK(retained == 1); /* there is no object to retain */
    listener.released = 0;
    options.retainObject = retain_nothing;
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, NULL, &o1, &options, &token) ==
          HeraldInvalidArgument);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), &o2, NULL, false) == 1); /* not of any object */
    HeraldCenterRelease(center);
    CHECK(r12_releases == 1 && listener.released == 1);
}

RULE(12, objects_are_never_dereferenced) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    const void *wild = (const void *)(uintptr_t)0xdeadbeefcafef00d;
    add(center, &listener, name_of("r12.n"), wild);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), wild, (const void *)3, false) == 1);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), (const void *)1, NULL, false) == 0);
    HeraldCenterRelease(center);
}

RULE(13, equal_names_are_equal_pointers) {
    char text[] = "r13.copied";
    HeraldNameRef name = name_of(text);
    text[0] = 'x'; /* it was copied */
    CHECK(name == name_of("r13.copied") && strcmp(HeraldNameGetUTF8String(name), "r13.copied") == 0);
    CHECK(name != name_of("r13.copied2"));
    CHECK(HeraldNameFind("r13.copied") == name);
    CHECK(HeraldNameFind("r13.nobody made this one") == NULL);
    CHECK(HeraldNameFind("r13.nobody made this one") == NULL);
    static char longest[100001];
    memset(longest, 'n', 100000);
    CHECK(name_of(longest) == name_of(longest));
}

RULE(13, many_names_never_meet) {
    enum { MANY = 20000 };
    static HeraldNameRef names[MANY];
    char text[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "r13.many.%d", i);
        names[i] = name_of(text);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "r13.many.%d", i);
        CHECK(HeraldNameFind(text) == names[i] && strcmp(HeraldNameGetUTF8String(names[i]), text) == 0);
    }
}

RULE(13, a_name_must_be_UTF8) {
    static const char *const good[] = {
        "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {
        "",         "\x80",  "\xc0\xaf",        "\xc3", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf5\x80", "a\xff", "\xf0\x80\x80\x80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK(HeraldNameCreate(good[i]) != NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(HeraldNameCreate(bad[i]) == NULL);
        CHECK(HeraldNameFind(bad[i]) == NULL);
    }
    CHECK(HeraldNameCreate(NULL) == NULL && HeraldNameFind(NULL) == NULL && HeraldNameGetUTF8String(NULL) == NULL);
}

RULE(13, a_name_may_be_an_address) {
    HeraldCenterRef center = new_center();
    static int types[2];
    HeraldNameRef name = HeraldNameForAddress(&types[0]), other = HeraldNameForAddress(&types[1]);
    CHECK(name != NULL && name != other && name == HeraldNameForAddress(&types[0]));
    CHECK((uintptr_t)name == ((uintptr_t)&types[0] | 1));
    CHECK(HeraldNameGetUTF8String(name) == NULL);
    CHECK(HeraldNameForAddress(NULL) == NULL && HeraldNameForAddress((char *)types + 1) == NULL);
    struct listener listener = {0};
    add(center, &listener, name, NULL);
    CHECK(HeraldCenterPostNotification(center, name, &o1, NULL, false) == 1);
    CHECK(HeraldCenterPostNotification(center, other, &o1, NULL, false) == 0);
    CHECK(HeraldCenterPostNotification(center, HeraldNameForAddress((void *)(uintptr_t)0x1000), 0, 0, false) == 0);
    HeraldCenterRelease(center);
}

RULE(15, bad_arguments_are_refused_and_change_nothing) {
    HeraldCenterRef center = new_center();
    HeraldObserverOptions options = {.size = sizeof options};
    struct listener listener = {0};
    HeraldNameRef n = name_of("r15.n");
    CHECK(HeraldCenterAddObserver(NULL, &listener, listener_hear, n, NULL, HeraldSuspensionHold) ==
          HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserver(center, &listener, NULL, n, NULL, HeraldSuspensionHold) == HeraldInvalidArgument);
    for (int behavior = -1; behavior < 7; behavior++)
        if (behavior < 0 || behavior > 4)
            CHECK(HeraldCenterAddObserver(center, &listener, listener_hear, n, NULL,
                                          (HeraldSuspensionBehavior)behavior) == HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserverWithOptions(NULL, &listener, listener_hear, n, NULL, NULL, NULL) ==
          HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, NULL, n, NULL, NULL, NULL) == HeraldInvalidArgument);
    static const size_t sizes[] = {0, 1, 8, sizeof options - 1, 5000, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        options.size = sizes[i];
        CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, n, NULL, &options, NULL) ==
              HeraldInvalidArgument);
        HeraldCenterOptions impossible = {.size = sizes[i]};
        if (sizes[i] == sizeof options - 1) impossible.size = sizeof impossible - 1;
        CHECK(HeraldCenterCreate(&impossible) == NULL);
    }
    CHECK(HeraldCenterPostNotification(center, n, NULL, NULL, false) == 0);
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, n, NULL, NULL, NULL) == HeraldOK);
    CHECK(HeraldCenterPostNotification(center, n, NULL, NULL, false) == 1);
    HeraldCenterRemoveObserver(NULL, &listener, NULL, NULL);
    HeraldCenterRemoveEveryObserver(NULL, &listener);
    HeraldCenterRemoveEveryObserverAndWait(NULL, &listener);
    HeraldCenterSetSuspended(NULL, true);
    CHECK(!HeraldCenterIsSuspended(NULL));
    CHECK(HeraldCenterRetain(NULL) == NULL);
    HeraldCenterRelease(NULL);
    HeraldTopicRelease(NULL);
    HeraldCenterRelease(center);
}

RULE(15, behavior_0_is_the_default_in_the_argument_and_in_the_options) {
    HeraldCenterRef center = new_center();
    HeraldObserverOptions options = {.size = sizeof options};
    struct listener by_argument = {0}, by_options = {0};
    HeraldNameRef n = name_of("r15.n");
    CHECK(HeraldCenterAddObserver(center, &by_argument, listener_hear, n, NULL, (HeraldSuspensionBehavior)0) ==
          HeraldOK);
    CHECK(HeraldCenterAddObserverWithOptions(center, &by_options, listener_hear, n, NULL, &options, NULL) == HeraldOK);
    HeraldCenterSetSuspended(center, true);
    CHECK(HeraldCenterPostNotification(center, n, NULL, NULL, false) == 2);
    CHECK(by_argument.calls == 1 && by_options.calls == 1);
    HeraldCenterRelease(center);
}

RULE(15, an_options_struct_of_a_newer_header_is_fine_when_it_asks_for_nothing_new) {
    HeraldCenterRef center = new_center();
    struct {
        HeraldObserverOptions known;
        long newer[4];
    } options = {.known.size = sizeof options};
    struct listener listener = {0};
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, NULL, NULL, &options.known, NULL) ==
          HeraldOK);
    options.newer[2] = 1;
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, NULL, NULL, &options.known, NULL) ==
          HeraldInvalidArgument);
    HeraldCenterRelease(center);
}

/* 0.2.0 declared it. Programs linked with that version still use the symbol. */
extern bool HeraldTopicTryPost(HeraldTopicRef topic, const void *userInfo, size_t *called);

RULE(15, try_post_of_0_2_returns_false_and_calls_nobody) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("r15.try");
    HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL);
    struct listener listener = {0};
    add_with(center, &listener, name, NULL, HeraldSuspensionDeliverImmediately);
    CHECK(HeraldTopicPost(topic, NULL) == 1);
    size_t called = 77;
    CHECK(!HeraldTopicTryPost(topic, NULL, &called) && called == 0);
    CHECK(!HeraldTopicTryPost(topic, NULL, NULL) && !HeraldTopicTryPost(NULL, NULL, &called));
    CHECK(listener.calls == 1);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

RULE(15, every_status_has_a_description) {
    for (int status = -1; status <= HeraldNotStored; status++) {
        const char *text = HeraldStatusGetDescription((HeraldStatus)status);
        CHECK(text != NULL && text[0]);
    }
    CHECK(strcmp(HeraldGetVersion(), HERALD_VERSION) == 0);
}

static int r19_heard;
static void release_the_center(struct listener *self, HeraldCenterRef center) {
    (void)self;
    r19_heard++;
    HeraldCenterRelease(center);
}
static void must_not_hear(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    CHECK(!"called after its center was released");
}
RULE(19, releasing_a_center_in_its_own_callback_skips_the_others) {
    for (int way = 0; way < 3; way++) {
        HeraldCenterRef center = new_center();
        r19_heard = 0;
        struct listener first = {.then = release_the_center}, second = {.then = must_not_hear};
        add(center, &first, name_of("r19.n"), NULL);
        add(center, &second, way == 1 ? NULL : name_of("r19.n"), NULL);
        if (way == 2) {
            HeraldCenterSetSuspended(center, true);
            CHECK(HeraldCenterPostNotification(center, name_of("r19.n"), NULL, NULL, true) == 1);
        } else {
            CHECK(HeraldCenterPostNotification(center, name_of("r19.n"), NULL, NULL, false) == 1);
        }
        CHECK(r19_heard == 1 && first.released == 1 && second.released == 1);
    }
}

RULE(19, a_topic_keeps_its_center) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r19.n"), &o1);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r19.n"), &o1);
    HeraldCenterRelease(center);
    CHECK(HeraldTopicPost(topic, NULL) == 1);
    CHECK(listener.released == 0);
    HeraldTopicRelease(topic);
    CHECK(listener.released == 1);
}

/* Releases of a closing center use it: the end of one observer often removes another. */
static struct {
    HeraldCenterRef center, other;
    struct listener listeners[4];
} dying;
static void churn_elsewhere(void) { /* makes the reclaimer run */
    for (int i = 0; i < 3000; i++) {
        HeraldToken token;
        CHECK(HeraldCenterAddObserverWithOptions(dying.other, &dying, listener_hear, name_of("r19.n"), NULL, NULL,
                                                 &token) == HeraldOK);
        HeraldCenterRemoveToken(dying.other, token);
    }
}
static void use_the_dying_center(void *observer) {
    listener_released(observer);
    struct listener *next = &dying.listeners[1];
    churn_elsewhere();
    HeraldCenterRemoveEveryObserver(dying.center, next);
    HeraldCenterRemoveObserver(dying.center, next, name_of("r19.n"), NULL);
    HeraldCenterRemoveObserver(dying.center, next, name_of("r19.n"), &o1);
    CHECK(!HeraldCenterRemoveToken(dying.center, next->token));
    CHECK(HeraldCenterPostNotification(dying.center, name_of("r19.n"), NULL, NULL, false) == 0);
    CHECK(HeraldCenterPostNotification(dying.center, name_of("r19.n"), &o1, NULL, true) == 0);
    CHECK(!HeraldCenterHasObservers(dying.center, name_of("r19.n")));
    CHECK(!HeraldTopicCreate(dying.center, name_of("r19.n"), NULL));
    CHECK(HeraldCenterAddObserver(dying.center, next, listener_hear, NULL, NULL, HeraldSuspensionDrop) ==
          HeraldInvalidArgument);
}
RULE(19, hooks_of_a_center_that_is_being_closed_may_use_it) {
    memset(&dying, 0, sizeof dying);
    dying.center = new_center();
    dying.other = new_center();
    HeraldObserverOptions options = {.size = sizeof options, .release = use_the_dying_center};
    for (int i = 0; i < 4; i++) {
        struct listener *listener = &dying.listeners[i];
        if (i % 2) options.release = listener_released;
        CHECK(HeraldCenterAddObserverWithOptions(dying.center, listener, listener_hear, name_of("r19.n"),
                                                 i < 2 ? NULL : &o1, &options, &listener->token) == HeraldOK);
        options.release = use_the_dying_center;
    }
    HeraldCenterPostNotification(dying.center, name_of("r19.n"), &o1, NULL, false);
    HeraldCenterRelease(dying.center);
    for (int i = 0; i < 4; i++) CHECK(dying.listeners[i].released == 1 && dying.listeners[i].calls == 1);
    HeraldCenterRelease(dying.other);
}

/* Many observers, each of which removes itself in its release. The table by observer has needed memory for all of them,
 * and a removal may free some of it. */
enum { LEAVING_MOST = 300 };
static struct {
    HeraldCenterRef center;
    int released;
    bool waits;
} leaving;
static void leave_the_dying_center(void *observer) {
    leaving.released++;
    if (leaving.waits) {
        HeraldCenterRemoveEveryObserverAndWait(leaving.center, observer);
    } else {
        HeraldCenterRemoveEveryObserver(leaving.center, observer);
    }
}
static void release_the_center_and_remove_the_others(HeraldCenterRef center, void *observer, HeraldNameRef name,
                                                     const void *object, const void *userInfo) {
    (void)name, (void)object, (void)userInfo;
    HeraldCenterRelease(center);
    for (int i = 0; i < LEAVING_MOST; i++) HeraldCenterRemoveEveryObserver(center, (const char *)observer + i);
}
static void end_a_center_of(int observers, bool in_a_callback) {
    static char many[2 * LEAVING_MOST];
    HeraldObserverOptions options = {.size = sizeof options, .release = leave_the_dying_center};
    leaving.center = new_center();
    leaving.released = 0;
    for (int i = 0; i < observers; i++)
        CHECK(HeraldCenterAddObserverWithOptions(leaving.center, &many[i], release_the_center_and_remove_the_others,
                                                 name_of("r19.n"), i % 3 ? NULL : &o1, &options, NULL) == HeraldOK);
    if (in_a_callback) {
        CHECK(HeraldCenterPostNotification(leaving.center, name_of("r19.n"), &o1, NULL, false) == 1);
    } else {
        HeraldCenterRelease(leaving.center);
    }
    CHECK(leaving.released == observers);
}
static void end_centers(void) {
    static const int sizes[] = {1, 48, 49, 64, LEAVING_MOST};
    alarm(PATIENCE); /* a removal that does not return holds a lock that other centers share */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 4; way++) {
            leaving.waits = way & 2;
            end_a_center_of(sizes[i], way & 1);
        }
}
RULE(19, hooks_and_callbacks_of_a_center_that_ends_may_remove_its_many_observers) { child_passed(end_centers); }

static void release_the_center_and_churn(void *observer) {
    listener_released(observer);
    HeraldCenterRelease(dying.center);
    churn_elsewhere();
}
RULE(19, a_hook_may_release_the_center_of_a_removal_that_waits) {
    for (int by_token = 0; by_token < 2; by_token++) {
        memset(&dying, 0, sizeof dying);
        dying.center = new_center();
        dying.other = new_center();
        struct listener *listener = &dying.listeners[0];
        HeraldObserverOptions options = {.size = sizeof options, .release = release_the_center_and_churn};
        CHECK(HeraldCenterAddObserverWithOptions(dying.center, listener, listener_hear, name_of("r19.n"), NULL,
                                                 &options, &listener->token) == HeraldOK);
        if (by_token) {
            CHECK(HeraldCenterRemoveTokenAndWait(dying.center, listener->token));
        } else {
            HeraldCenterRemoveEveryObserverAndWait(dying.center, listener);
        }
        CHECK(listener->released == 1);
        HeraldCenterRelease(dying.other);
    }
}

static void release_the_last_reference(void *center) { HeraldCenterRelease(center); }
static void measure_centers(void) {
    struct mallinfo2 before = {0}, after;
    for (int i = 0; i < 4000; i++) {
        HeraldCenterRef center = new_center();
        HeraldObserverOptions options = {.size = sizeof options, .release = release_the_last_reference};
        HeraldToken token;
        CHECK(HeraldCenterAddObserverWithOptions(center, center, listener_hear, name_of("r19.n"), NULL, &options,
                                                 &token) == HeraldOK);
        if (i % 2) {
            CHECK(HeraldCenterRemoveTokenAndWait(center, token));
        } else {
            HeraldCenterRemoveEveryObserver(center, center);
        }
        if (i == 2000) before = mallinfo2();
    }
    after = mallinfo2();
    CHECK(after.uordblks <= before.uordblks + 1024 * 1024);
}
RULE(19, a_center_released_by_a_hook_leaves_no_memory) { child_passed(measure_centers); }

static void release_the_topic(struct listener *self, HeraldCenterRef center) {
    (void)center;
    HeraldTopicRelease(self->context);
}
RULE(19, a_topic_may_be_released_in_its_own_post) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0}, last = {0};
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r19.n"), NULL);
    listener.then = release_the_topic;
    listener.context = topic;
    add(center, &listener, name_of("r19.n"), NULL);
    add(center, &last, name_of("r19.n"), NULL);
    CHECK(HeraldTopicPost(topic, NULL) == 2);
    HeraldCenterRelease(center);
    CHECK(last.calls == 1);
}

RULE(19, the_local_center_never_dies) {
    HeraldCenterRef local = HeraldCenterGetLocalCenter();
    struct listener listener = {0};
    add(local, &listener, name_of("r19.local"), NULL);
    for (int i = 0; i < 10; i++) HeraldCenterRelease(local);
    CHECK(local == HeraldCenterGetLocalCenter() && HeraldCenterRetain(local) == local);
    CHECK(HeraldCenterPostNotification(local, name_of("r19.local"), NULL, NULL, false) == 1);
    CHECK(HeraldCenterRemoveToken(local, listener.token));
    HeraldCenterRelease(local);
}

static void misuse_center(void) {
    HeraldCenterRef center = HeraldCenterCreate(NULL);
    HeraldCenterRelease(center);
    HeraldCenterRelease(center);
}
static void misuse_topic(void) {
    HeraldTopicRef topic = HeraldTopicCreate(HeraldCenterGetLocalCenter(), HeraldNameCreate("r19.n"), NULL);
    HeraldTopicRelease(topic);
    HeraldTopicPost(topic, NULL);
}
RULE(19, misuse_is_a_sentence_in_debug_builds) {
#if defined(DEBUG) || !defined(__OPTIMIZE__)
    char said[400];
    int status = in_child(misuse_center, said, sizeof said);
    CHECK(WIFSIGNALED(status) && strstr(said, "this center has been released already"));
    status = in_child(misuse_topic, said, sizeof said);
    CHECK(WIFSIGNALED(status) && strstr(said, "a topic is used after it has been released"));
#else
    (void)misuse_center, (void)misuse_topic;
#endif
}

static const void *const t1 = &o1, *const t2 = &o2;
static void post_with_another_tag(struct listener *self, HeraldCenterRef center) {
    struct listener *inner = self->context;
    CHECK(HeraldGetCurrentTag() == t1);
    HeraldCenterPostTagged(center, name_of("r21.inner"), NULL, NULL, t2, 0);
    CHECK(inner->tag == t2);
    HeraldCenterPostNotification(center, name_of("r21.inner"), NULL, NULL, false);
    CHECK(inner->tag == NULL);
    CHECK(HeraldGetCurrentTag() == t1);
}
RULE(21, each_post_has_its_own_tag) {
    HeraldCenterRef center = new_center();
    struct listener inner = {0}, outer = {.then = post_with_another_tag, .context = &inner};
    add(center, &inner, name_of("r21.inner"), NULL);
    add(center, &outer, name_of("r21.outer"), NULL);
    CHECK(HeraldGetCurrentTag() == NULL);
    CHECK(HeraldCenterPostTagged(center, name_of("r21.outer"), NULL, NULL, t1, 0) == 1);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r21.outer"), NULL);
    CHECK(HeraldTopicPostTagged(topic, NULL, t1) == 1);
    CHECK(HeraldGetCurrentTag() == NULL);
    CHECK(inner.calls == 4);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}
