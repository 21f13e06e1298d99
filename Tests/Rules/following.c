/* R25: followers and kept posts where other rules meet them. */
#include "check.h"
#include <herald/inspect.h>
#include <herald/message.h>

static HeraldToken follow(HeraldCenterRef center, struct listener *listener, HeraldCallback callback,
                          HeraldNameRef name, const void *object) {
    HeraldObserverOptions options = {.size = sizeof options, .release = listener_released, .start = HeraldStartKept};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(center, listener, callback, name, object, &options, &token) == HeraldOK);
    return token;
}

static void keep(HeraldCenterRef center, HeraldNameRef name) {
    CHECK(HeraldCenterPostKept(center, name, NULL, NULL, NULL, 0, NULL) == HeraldOK);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

enum { TOO_LONG = 17 << 20 };
static char *bytes;
static HeraldStatus of_kept;

static void keep_too_long_a_message(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                    const void *userInfo) {
    (void)observer, (void)name, (void)object, (void)userInfo;
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = TOO_LONG, .options = HeraldPostKeep};
    of_kept = HeraldCenterPostMessage(center, name_of("r25.inner"), &message);
}

RULE(25, a_kept_message_that_fails_in_a_call_does_not_fail_the_message_around_it) {
    HeraldCenterRef center = new_center();
    HeraldMessage message = {.size = sizeof message, .bytes = "", .length = 0};
    bytes = calloc(1, TOO_LONG);
    CHECK(HeraldCenterAddObserver(center, &bytes, keep_too_long_a_message, name_of("r25.outer"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    CHECK(HeraldCenterPostMessage(center, name_of("r25.outer"), &message) == HeraldOK);
    CHECK(of_kept == HeraldQueueFull);
    free(bytes);
    HeraldCenterRelease(center);
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

static int o1, o2;
static const void *become_o2(const void *object) {
    CHECK(object == &o1);
    return &o2;
}

RULE(25, a_follower_of_what_an_objects_hook_returns_hears_later_posts_too) {
    static const char tag;
    static const HeraldTagOptions hooks = {.size = sizeof hooks, .retainObject = become_o2};
    CHECK(HeraldTagSetOptions(&tag, &hooks) == HeraldOK);
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("r25.hooked");
    struct listener of_o1 = {0}, of_o2 = {0}, of_all = {0};
    add(center, &of_o1, name, &o1);
    follow(center, &of_o2, listener_hear, name, &o2);
    follow(center, &of_all, listener_hear, name, NULL);
    size_t called;
    for (int i = 1; i <= 2; i++) {
        CHECK(HeraldCenterPostKept(center, name, &o1, NULL, &tag, 0, &called) == HeraldOK);
        CHECK(called == 3 && of_o1.calls == i && of_o2.calls == i && of_all.calls == i);
        CHECK(of_o1.object == &o1 && of_o2.object == &o2 && of_all.object == &o2);
    }
    HeraldCenterSetSuspended(center, true);
    CHECK(HeraldCenterPostKept(center, name, &o1, NULL, &tag, HeraldPostDeliverImmediately, &called) == HeraldOK);
    CHECK(called == 3 && of_o1.calls == 3 && of_o2.calls == 3 && of_all.calls == 3);
    HeraldCenterRelease(center);
}

RULE(25, a_post_that_hurries_and_is_kept_of_another_object_leaves_followers_of_its_own_behind) {
    static const char tag;
    static const HeraldTagOptions hooks = {.size = sizeof hooks, .retainObject = become_o2};
    CHECK(HeraldTagSetOptions(&tag, &hooks) == HeraldOK);
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("r25.hurried");
    struct listener of_o1 = {0}, of_o2 = {0};
    HeraldObserverOptions options = {
        .size = sizeof options, .suspensionBehavior = HeraldSuspensionHold, .start = HeraldStartKept};
    CHECK(HeraldCenterAddObserverWithOptions(center, &of_o1, listener_hear, name, &o1, &options, NULL) == HeraldOK);
    CHECK(HeraldCenterAddObserverWithOptions(center, &of_o2, listener_hear, name, &o2, &options, NULL) == HeraldOK);
    HeraldCenterSetSuspended(center, true);
    size_t called;
    CHECK(HeraldCenterPostKept(center, name, &o1, NULL, NULL, 0, &called) == HeraldOK && called == 0);
    CHECK(HeraldCenterPostKept(center, name, &o1, NULL, &tag, HeraldPostDeliverImmediately, &called) == HeraldOK);
    CHECK(called == 1 && of_o1.calls == 0 && of_o2.calls == 1);
    HeraldCenterSetSuspended(center, false);
    CHECK(of_o1.calls == 1 && of_o2.calls == 1);
    HeraldCenterRelease(center);
}

/* ---- A long lane ------------------------------------------------------------------------------------------------- */

static char subjects[10], heard[40];
static void hear_subject(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)userInfo;
    size_t length = strlen(heard);
    snprintf(heard + length, sizeof heard - length, "%s%d ", HeraldPostIsKept() ? "K" : "",
             (int)((const char *)object - subjects));
}

RULE(25, begun_while_suspended_and_beyond_the_limit_hears_what_was_kept_and_then_the_newest) {
    HeraldCenterOptions limited = {.size = sizeof limited, .heldPostLimit = 2};
    HeraldObserverOptions options = {
        .size = sizeof options, .start = HeraldStartKept, .suspensionBehavior = HeraldSuspensionCoalesce};
    HeraldCenterRef center = HeraldCenterCreate(&limited);
    HeraldNameRef name = name_of("r25.limited");
    HeraldToken token;
    heard[0] = 0;
    for (int i = 0; i < 10; i++) {
        CHECK(HeraldCenterPostKept(center, name, &subjects[i], NULL, NULL, 0, NULL) == HeraldOK);
        if (i != 2) continue;
        HeraldCenterSetSuspended(center, true);
        CHECK(HeraldCenterAddObserverWithOptions(center, NULL, hear_subject, name, NULL, &options, &token) == HeraldOK);
    }
    CHECK(HeraldCenterPostKept(center, name, &subjects[8], NULL, NULL, 0, NULL) ==
          HeraldOK); /* it becomes the newest */
    CHECK(!heard[0]);
    HeraldCenterSetSuspended(center, false);
    CHECK(strcmp(heard, "K0 K1 K2 9 8 ") == 0);
    CHECK(HeraldCenterGetDroppedPostCount(center) == 5);
    HeraldCenterRelease(center);
}

/* ---- References -------------------------------------------------------------------------------------------------- */

static int retained, given_back, taken;
static const void *retain_info(const void *info) {
    retained++;
    return info;
}
static void release_info(const void *info) { given_back += info == &o1; }
static void take(void *context, const void *userInfo, const void *tag) {
    (void)context, (void)tag;
    taken += userInfo == &o1 && !given_back;
}

RULE(25, a_kept_post_taken_some_million_times_is_released_once) { /* more often than a cell lends without counting */
    HeraldCenterOptions options = {
        .size = sizeof options, .retainUserInfo = retain_info, .releaseUserInfo = release_info};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    HeraldNameRef name = name_of("r25.taken");
    enum { TIMES = 5 << 19 };
    for (int round = 1; round <= 2; round++) {
        taken = given_back = 0;
        CHECK(HeraldCenterPostKept(center, name, NULL, &o1, NULL, 0, NULL) == HeraldOK && retained == round);
        for (int i = 0; i < TIMES / round; i++) HeraldCenterTakeKept(center, name, NULL, take, NULL);
        CHECK(taken == TIMES / round && given_back == 0);
        CHECK(HeraldCenterForget(center, name, NULL) && given_back == 1);
    }
    HeraldCenterRelease(center);
    CHECK(given_back == 1);
}

/* ---- A describer that does not return ---------------------------------------------------------------------------- */

static HeraldCenterRef complaining;
static bool leaves;
static struct listener described;

static void describe(const void *observer, HeraldDescription *description) {
    (void)observer, (void)description;
    if (leaves) pthread_exit(NULL);
}

static void hear_described(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                           const void *userInfo) {
    listener_hear(center, observer, name, object, userInfo);
}

static void *follow_beyond_the_limit(void *unused) {
    follow(complaining, &described, hear_described, name_of("r25.crowd"), NULL);
    return unused;
}

static void add_one_too_many(void) {
    complaining = new_center();
    HeraldNameRef name = name_of("r25.crowd");
    HeraldCenterSetObserverLimit(complaining, 1);
    HeraldSetDescriber(hear_described, describe);
    struct listener first = {0};
    add(complaining, &first, name, NULL);
    keep(complaining, name);
    pthread_t thread;
    leaves = true;
    pthread_create(&thread, NULL, follow_beyond_the_limit, NULL);
    pthread_join(thread, NULL);
    CHECK(described.calls == 1); /* it has begun */
    keep(complaining, name);
    CHECK(described.calls == 2);
    HeraldCenterRelease(complaining);
    CHECK(described.released == 1);
}

RULE(25, a_follower_begins_though_the_warning_about_too_many_observers_does_not_return) { /* R17 */
    char said[400];
    CHECK(in_child(add_one_too_many, said, sizeof said) == 0);
}
