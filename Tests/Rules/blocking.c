/* R30: registrations that are blocked. R9: tokens that are asked, used without a center, and found in a call. */
#include "check.h"
#include <herald/inspect.h>
#include <herald/message.h>
#include <sys/wait.h>

static void block(HeraldCenterRef center, struct listener *listener, bool blocked) {
    CHECK(HeraldCenterSetTokenBlocked(center, listener->token, blocked));
    CHECK(HeraldCenterIsTokenBlocked(center, listener->token) == blocked);
    CHECK(HeraldCenterHasToken(center, listener->token));
}

static void add_all(HeraldCenterRef center, struct listener *all, int count, struct record *record,
                    HeraldNameRef name) {
    for (int i = 0; i < count; i++) {
        all[i] = (struct listener){.letter = (char)('a' + i), .record = record};
        add(center, &all[i], name, NULL);
    }
}

/* ---- Posts ------------------------------------------------------------------------------------------------------- */

enum { WAYS = 4 };

/* Posts in each way that has a path of its own. Returns how many callbacks ran. */
static size_t post(HeraldCenterRef center, HeraldTopicRef topic, HeraldTopicRef about, int way) {
    static const char object;
    switch (way) {
    case 0: return HeraldCenterPostNotification(center, name_of("r30.post"), NULL, NULL, false);
    case 1: return HeraldCenterPostNotification(center, name_of("r30.post"), &object, NULL, false);
    case 2: return HeraldTopicPost(topic, NULL);
    default: return HeraldTopicPost(about, NULL);
    }
}

RULE(30, a_blocked_registration_is_not_called_and_keeps_its_place) {
    static const char object;
    for (int count = 1; count <= 9; count++) {
        HeraldCenterRef center = new_center();
        struct record record = {PTHREAD_MUTEX_INITIALIZER, "", 0};
        struct listener all[9];
        HeraldNameRef name = name_of("r30.post");
        add_all(center, all, count, &record, name);
        HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL), about = HeraldTopicCreate(center, name, &object);
        for (int blocked = 0; blocked < count; blocked++) {
            block(center, &all[blocked], true);
            char expected[10], *end = expected;
            for (int i = 0; i < count; i++)
                if (i != blocked) *end++ = all[i].letter;
            *end = 0;
            for (int way = 0; way < WAYS; way++) {
                CHECK(post(center, topic, about, way) == (size_t)count - 1);
                CHECK_HEARD(&record, expected);
            }
            block(center, &all[blocked], false);
        }
        for (int way = 0; way < WAYS; way++) CHECK(post(center, topic, about, way) == (size_t)count);
        HeraldTopicRelease(topic);
        HeraldTopicRelease(about);
        HeraldCenterRelease(center);
    }
}

RULE(30, a_registration_stays_blocked_while_others_come_and_go) {
    HeraldCenterRef center = new_center();
    struct record record = {PTHREAD_MUTEX_INITIALIZER, "", 0};
    struct listener first, all[40];
    HeraldNameRef name = name_of("r30.others");
    add_all(center, &first, 1, &record, name);
    block(center, &first, true);
    for (int i = 0; i < 40; i++) {
        all[i] = (struct listener){.letter = 'z'};
        add(center, &all[i], name, NULL);
        CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == (size_t)i + 1);
    }
    for (int i = 0; i < 40; i++) {
        CHECK(HeraldCenterRemoveToken(center, all[i].token));
        CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == (size_t)39 - (size_t)i);
    }
    CHECK(first.calls == 0);
    block(center, &first, false);
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 1);
    CHECK_HEARD(&record, "a");
    HeraldCenterRelease(center);
}

RULE(30, observers_of_any_name_and_below_a_prefix_can_be_blocked) {
    HeraldCenterRef center = new_center();
    struct listener any = {0}, under = {0}, named = {0};
    HeraldObserverOptions options = {.size = sizeof options, .prefix = "r30"};
    add(center, &any, NULL, NULL);
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(center, &under, listener_hear, NULL, NULL, &options, &under.token);
    CHECK(status == HeraldOK);
    add(center, &named, name_of("r30.any"), NULL);
    block(center, &any, true);
    HeraldCenterPostNotification(center, name_of("r30.any"), NULL, NULL, false);
    CHECK(any.calls == 0 && under.calls == 1 && named.calls == 1);
    block(center, &under, true);
    HeraldCenterPostNotification(center, name_of("r30.any"), NULL, NULL, false);
    CHECK(any.calls == 0 && under.calls == 1 && named.calls == 2);
    block(center, &any, false);
    block(center, &under, false);
    HeraldCenterPostNotification(center, name_of("r30.any"), NULL, NULL, false);
    CHECK(any.calls == 1 && under.calls == 2 && named.calls == 3);
    HeraldCenterRelease(center);
}

static void block_other(struct listener *self, HeraldCenterRef center) {
    struct listener *other = self->context;
    block(center, other, self->calls % 2);
}

RULE(30, a_callback_blocks_itself_or_a_later_one_of_its_post) {
    for (int between = 0; between < 7; between++) {
        HeraldCenterRef center = new_center();
        struct record record = {PTHREAD_MUTEX_INITIALIZER, "", 0};
        struct listener all[9];
        HeraldNameRef name = name_of("r30.inside");
        add_all(center, all, between + 2, &record, name);
        all[0].then = block_other;
        all[0].context = &all[between + 1];
        CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == (size_t)between + 1);
        CHECK(all[between + 1].calls == 0);
        CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == (size_t)between + 2);
        CHECK(all[between + 1].calls == 1); /* the second call of the first has ended that, before its turn came */
        all[0].context = &all[0];
        CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == (size_t)between + 2);
        CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == (size_t)between + 1);
        CHECK(all[0].calls == 3);
        HeraldCenterRelease(center);
    }
}

/* ---- Removal ----------------------------------------------------------------------------------------------------- */

RULE(30, a_blocked_registration_is_removed_as_any_other) {
    HeraldNameRef name = name_of("r30.removed");
    for (int way = 0; way < 7; way++) {
        HeraldCenterRef center = new_center();
        struct listener blocked = {0}, other = {0};
        add(center, &blocked, name, NULL);
        add(center, &other, name, NULL);
        block(center, &blocked, true);
        HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL);
        CHECK(HeraldTopicGetObserverCount(topic) == 2 && HeraldCenterGetRegistrationCount(center, NULL) == 2);
        CHECK(HeraldCenterHasObservers(center, name));
        switch (way) {
        case 0: CHECK(HeraldCenterRemoveToken(center, blocked.token)); break;
        case 1: CHECK(HeraldCenterRemoveTokenAndWait(center, blocked.token)); break;
        case 2: HeraldCenterRemoveObserver(center, &blocked, name, NULL); break;
        case 3: HeraldCenterRemoveEveryObserver(center, &blocked); break;
        case 4: HeraldCenterRemoveEveryObserverAndWait(center, &blocked); break;
        case 5: CHECK(HeraldTokenRemove(blocked.token)); break;
        default: HeraldTopicRemoveEveryObserver(topic); break;
        }
        CHECK(blocked.released == 1 && !HeraldCenterHasToken(center, blocked.token));
        CHECK(!HeraldCenterSetTokenBlocked(center, blocked.token, false));
        size_t left = way == 6 ? 0 : 1;
        CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == left);
        CHECK(HeraldTopicPost(topic, NULL) == left && blocked.calls == 0);
        HeraldTopicRelease(topic);
        HeraldCenterRelease(center);
    }
}

RULE(30, a_blocked_registration_ends_with_its_center) {
    HeraldCenterRef center = new_center();
    struct listener blocked = {0};
    add(center, &blocked, name_of("r30.center"), NULL);
    block(center, &blocked, true);
    HeraldCenterRelease(center);
    CHECK(blocked.released == 1 && !HeraldTokenRemove(blocked.token));
}

/* ---- Suspension and kept posts ----------------------------------------------------------------------------------- */

static const void *same(const void *pointer) { return pointer; }
static void nothing(const void *pointer) { (void)pointer; }
static HeraldCenterRef new_keeping_center(void) {
    HeraldCenterOptions options = {.size = sizeof options, .retainUserInfo = same, .releaseUserInfo = nothing};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    CHECK(center != NULL);
    return center;
}

RULE(30, a_suspended_center_holds_nothing_for_a_blocked_registration) {
    HeraldCenterRef center = new_keeping_center();
    struct listener held = {0};
    HeraldNameRef name = name_of("r30.suspended");
    add_with(center, &held, name, NULL, HeraldSuspensionHold);
    block(center, &held, true);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name, NULL, (void *)1, false);
    block(center, &held, false);
    HeraldCenterPostNotification(center, name, NULL, (void *)2, false);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 1 && held.userInfo == (void *)2);
    /* What was held before is not delivered while it is blocked, and is gone then. */
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name, NULL, (void *)3, false);
    block(center, &held, true);
    HeraldCenterSetSuspended(center, false);
    block(center, &held, false);
    CHECK(held.calls == 1);
    HeraldCenterPostNotification(center, name, NULL, (void *)4, false);
    CHECK(held.calls == 2 && held.userInfo == (void *)4);
    size_t queued = 1;
    HeraldCenterGetRegistrationCount(center, &queued);
    CHECK(queued == 0);
    HeraldCenterRelease(center);
}

static void follow(HeraldCenterRef center, struct listener *listener, HeraldNameRef name) {
    HeraldObserverOptions options = {.size = sizeof options, .release = listener_released, .start = HeraldStartKept};
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(center, listener, listener_hear, name, NULL, &options, &listener->token);
    CHECK(status == HeraldOK);
}

static void keep(HeraldCenterRef center, HeraldNameRef name, uintptr_t value) {
    CHECK(HeraldCenterPostKept(center, name, NULL, (void *)value, NULL, 0, NULL) == HeraldOK);
}

RULE(30, a_blocked_follower_misses_what_is_kept_meanwhile_and_takes_no_memory_for_it) {
    HeraldCenterRef center = new_keeping_center();
    struct listener follower = {0};
    HeraldNameRef name = name_of("r30.follower");
    keep(center, name, 1);
    follow(center, &follower, name);
    CHECK(follower.calls == 1 && follower.userInfo == (void *)1);
    block(center, &follower, true);
    size_t held = 1;
    for (uintptr_t i = 2; i < 100; i++) {
        keep(center, name, i);
        HeraldCenterGetRegistrationCount(center, &held);
        CHECK(held == 0);
    }
    block(center, &follower, false);
    CHECK(follower.calls == 1 && HeraldCenterGetDroppedPostCount(center) == 0);
    keep(center, name, 100);
    CHECK(follower.calls == 2 && follower.userInfo == (void *)100);
    block(center, &follower, true);
    keep(center, name, 101);
    CHECK(HeraldCenterRemoveToken(center, follower.token) && follower.released == 1);
    keep(center, name, 102);
    HeraldCenterRelease(center);
    CHECK(follower.calls == 2);
}

RULE(30, a_blocked_follower_lets_messages_be_kept_beyond_what_may_be_held) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("r30.bytes");
    struct listener follower = {0};
    static char bytes[65536];
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes, .options = HeraldPostKeep};
    follow(center, &follower, name);
    block(center, &follower, true);
    for (int i = 0; i < 600; i++) CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    block(center, &follower, false);
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK && follower.calls == 1);
    HeraldCenterRelease(center);
}

RULE(30, a_follower_hears_later_what_was_kept_before_it_was_blocked) {
    HeraldCenterRef center = new_keeping_center();
    struct listener follower = {0}, other = {0};
    HeraldNameRef name = name_of("r30.before");
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = HeraldSuspensionHold,
                                     .release = listener_released,
                                     .start = HeraldStartKept};
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(center, &follower, listener_hear, name, NULL, &options, &follower.token);
    CHECK(status == HeraldOK);
    add_with(center, &other, name, NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    keep(center, name, 1);
    block(center, &follower, true);
    block(center, &other, true);
    keep(center, name, 2);
    block(center, &follower, false);
    block(center, &other, false);
    keep(center, name, 3);
    CHECK(follower.calls == 0 && other.calls == 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(follower.calls == 2 && follower.userInfo == (void *)3);
    CHECK(other.calls == 2 && other.userInfo == (void *)3);
    HeraldCenterRelease(center);
}

/* In the call of a kept post: another one is kept, then the follower is blocked. */
static void keep_and_block(struct listener *self, HeraldCenterRef center) {
    if (self->calls != 2) return;
    keep(center, self->name, 20);
    block(center, self, true);
    keep(center, self->name, 30);
}

RULE(30, a_follower_that_is_unblocked_is_called_with_what_it_has_still_to_hear) {
    HeraldCenterRef center = new_keeping_center();
    struct listener follower = {.then = keep_and_block};
    HeraldNameRef name = name_of("r30.goes_on");
    keep(center, name, 1);
    follow(center, &follower, name);
    keep(center, name, 10);
    CHECK(follower.calls == 2 && follower.userInfo == (void *)10);
    block(center, &follower, false);
    CHECK(follower.calls == 3 && follower.userInfo == (void *)20);
    keep(center, name, 40);
    CHECK(follower.calls == 4 && follower.userInfo == (void *)40);
    HeraldCenterRelease(center);
}

static HeraldToken began_with;
static void note_token(void *observer, size_t kept, HeraldStatus status) {
    (void)observer, (void)kept, (void)status;
    began_with = HeraldGetCurrentToken();
}

RULE(9, began_finds_the_token_of_its_registration) {
    HeraldCenterRef center = new_keeping_center();
    struct listener follower = {0};
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept, .began = note_token};
    HeraldStatus status = HeraldCenterAddObserverWithOptions(center, &follower, listener_hear, name_of("r9.began"),
                                                             NULL, &options, &follower.token);
    CHECK(status == HeraldOK && began_with.registration == follower.token.registration);
    HeraldCenterRelease(center);
}

/* ---- Other things that see it ------------------------------------------------------------------------------------ */

static bool see(void *context, const HeraldRegistrationInfo *info) {
    *(int *)context += info->isBlocked ? 100 : 1;
    return true;
}

RULE(30, visits_show_what_is_blocked) {
    HeraldCenterRef center = new_center();
    struct listener all[3];
    int seen = 0;
    add_all(center, all, 3, NULL, name_of("r30.visit"));
    block(center, &all[1], true);
    CHECK(HeraldCenterVisitRegistrations(center, see, &seen) == 3 && seen == 102);
    HeraldCenterRelease(center);
}

static void block_in_a_parent(void) {
    HeraldCenterRef center = new_center();
    static struct listener all[3];
    HeraldNameRef name = name_of("r30.fork");
    add_all(center, all, 3, NULL, name);
    block(center, &all[1], true);
    pid_t child = fork();
    if (child) {
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    } else {
        bool passed = HeraldCenterPostNotification(center, name, NULL, NULL, false) == 2 && !all[1].calls &&
                      HeraldCenterSetTokenBlocked(center, all[1].token, false) &&
                      HeraldCenterPostNotification(center, name, NULL, NULL, false) == 3;
        _exit(passed ? 0 : 1);
    }
    HeraldCenterRelease(center);
}

RULE(30, what_is_blocked_stays_so_in_the_child_of_a_fork) { CHECK(child_passed(block_in_a_parent)); }

RULE(30, a_token_that_names_nothing_blocks_nothing) {
    HeraldCenterRef center = new_center(), other = new_center();
    struct listener own = {0};
    HeraldToken none = {0, 0};
    add(center, &own, name_of("r30.nothing"), NULL);
    CHECK(!HeraldCenterSetTokenBlocked(NULL, own.token, true) && !HeraldCenterSetTokenBlocked(other, own.token, true));
    CHECK(!HeraldCenterSetTokenBlocked(center, none, true) && !HeraldCenterIsTokenBlocked(center, none));
    CHECK(!HeraldCenterIsTokenBlocked(other, own.token) && !HeraldCenterIsTokenBlocked(NULL, own.token));
    CHECK(HeraldCenterPostNotification(center, name_of("r30.nothing"), NULL, NULL, false) == 1);
    block(center, &own, true);
    block(center, &own, true);
    block(center, &own, false); /* once is enough */
    CHECK(HeraldCenterPostNotification(center, name_of("r30.nothing"), NULL, NULL, false) == 1);
    HeraldCenterRelease(center);
    HeraldCenterRelease(other);
}

static HeraldCenterRef busy;
static atomic_int going;

static void *post_on(void *unused) {
    (void)unused;
    while (going) HeraldCenterPostNotification(busy, name_of("r30.busy"), NULL, NULL, false);
    return NULL;
}

RULE(30, registrations_are_blocked_while_other_threads_post_add_and_remove) {
    busy = new_center();
    going = 1;
    struct listener all[6];
    add_all(busy, all, 6, NULL, name_of("r30.busy"));
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&threads[i], NULL, post_on, NULL));
    for (int i = 0; i < 3000; i++) {
        struct listener *listener = &all[i % 6];
        block(busy, listener, true);
        struct listener passing = {0};
        if (i % 3 == 0) {
            add(busy, &passing, name_of("r30.busy"), NULL);
            block(busy, &passing, true);
            CHECK(HeraldCenterRemoveTokenAndWait(busy, passing.token) && passing.released == 1);
        }
        block(busy, listener, false);
    }
    for (int i = 0; i < 6; i++) block(busy, &all[i], true);
    going = 0;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(HeraldCenterPostNotification(busy, name_of("r30.busy"), NULL, NULL, false) == 0);
    HeraldCenterRelease(busy);
}

/* ---- Tokens (R9) ------------------------------------------------------------------------------------------------- */

RULE(9, a_token_says_whether_its_registration_is_there) {
    HeraldCenterRef center = new_center(), other = new_center();
    struct listener own = {0};
    HeraldToken none = {0, 0};
    add(center, &own, name_of("r9.there"), NULL);
    CHECK(HeraldCenterHasToken(center, own.token) && !HeraldCenterHasToken(other, own.token));
    CHECK(!HeraldCenterHasToken(NULL, own.token) && !HeraldCenterHasToken(center, none));
    HeraldCenterRemoveToken(center, own.token);
    CHECK(!HeraldCenterHasToken(center, own.token));
    HeraldCenterRelease(center);
    HeraldCenterRelease(other);
}

RULE(9, a_token_alone_removes_its_registration_and_finds_its_center) {
    enum { CENTERS = 600 };
    static HeraldCenterRef centers[CENTERS];
    static struct listener all[CENTERS];
    HeraldToken none = {0, 0}, never = {UINT64_MAX, 1};
    memset(all, 0, sizeof all);
    CHECK(!HeraldTokenRemove(none) && !HeraldTokenRemoveAndWait(none) && !HeraldTokenRetainCenter(none));
    CHECK(!HeraldTokenRemove(never) && !HeraldTokenRetainCenter(never));
    for (int i = 0; i < CENTERS; i++) {
        centers[i] = new_center();
        add(centers[i], &all[i], name_of("r9.alone"), NULL);
    }
    for (int i = 0; i < CENTERS; i++) {
        HeraldCenterRef found = HeraldTokenRetainCenter(all[i].token);
        CHECK(found == centers[i]);
        HeraldCenterRelease(found);
        bool removed = i % 2 ? HeraldTokenRemove(all[i].token) : HeraldTokenRemoveAndWait(all[i].token);
        CHECK(removed && all[i].released == 1 && !HeraldTokenRemove(all[i].token));
        CHECK(HeraldTokenRetainCenter(all[i].token) == centers[i]); /* the registration is over; the center is not */
        HeraldCenterRelease(centers[i]);
        if (i % 3) HeraldCenterRelease(centers[i]);
        if (i % 3) CHECK(!HeraldTokenRetainCenter(all[i].token) && !HeraldTokenRemove(all[i].token));
    }
    for (int i = 0; i < CENTERS; i += 3) HeraldCenterRelease(centers[i]);
    struct listener local = {0};
    add(HeraldCenterGetLocalCenter(), &local, name_of("r9.alone"), NULL);
    CHECK(HeraldTokenRetainCenter(local.token) == HeraldCenterGetLocalCenter());
    CHECK(HeraldTokenRemoveAndWait(local.token) && local.released == 1);
}

static bool is_same(HeraldToken a, HeraldToken b) { return a.center == b.center && a.registration == b.registration; }

static atomic_int in_hooks;
static void hook(void *observer) {
    HeraldToken none = {0, 0};
    CHECK(is_same(HeraldGetCurrentToken(), none));
    listener_released(observer);
    in_hooks++;
}

static void check_token(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    struct listener *self = observer;
    CHECK(is_same(HeraldGetCurrentToken(), self->token));
    listener_hear(center, observer, name, object, userInfo);
    CHECK(is_same(HeraldGetCurrentToken(), self->token));
}

static void add_checked(HeraldCenterRef center, struct listener *listener, HeraldNameRef name, const void *object,
                        HeraldSuspensionBehavior behavior, HeraldStart start) {
    HeraldObserverOptions options = {
        .size = sizeof options, .suspensionBehavior = behavior, .release = hook, .start = start};
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(center, listener, check_token, name, object, &options, &listener->token);
    CHECK(status == HeraldOK);
}

static void post_inside(struct listener *self, HeraldCenterRef center) {
    if (self->calls < 12) HeraldCenterPostNotification(center, self->name, self->object, NULL, false);
}

static void remove_itself(struct listener *self, HeraldCenterRef center) {
    CHECK(HeraldCenterRemoveToken(center, HeraldGetCurrentToken()));
    CHECK(!HeraldCenterHasToken(center, self->token));
}

RULE(9, a_callback_finds_its_own_token) {
    static const char object;
    HeraldToken none = {0, 0};
    HeraldCenterRef center = new_keeping_center();
    HeraldNameRef name = name_of("r9.current");
    CHECK(is_same(HeraldGetCurrentToken(), none));
    struct listener all[12];
    memset(all, 0, sizeof all);
    HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL), about = HeraldTopicCreate(center, name, &object);
    for (int i = 0; i < 12; i++) {
        add_checked(center, &all[i], i == 11 ? NULL : name, i % 4 == 3 ? &object : NULL,
                    i == 10 ? HeraldSuspensionHold : HeraldSuspensionDeliverImmediately, HeraldStartNext);
        HeraldCenterPostNotification(center, name, NULL, NULL, false);
        HeraldCenterPostNotification(center, name, &object, NULL, false);
        HeraldTopicPost(topic, NULL);
        HeraldTopicPost(about, NULL);
    }
    all[5].then = post_inside; /* nested, and in overflow frames */
    all[5].calls = 0;
    HeraldCenterPostNotification(center, name, &object, NULL, false);
    CHECK(all[5].calls == 12);
    all[5].then = NULL;
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    HeraldCenterSetSuspended(center, false);
    struct listener follower = {0};
    follower.token = none;
    HeraldStatus kept = HeraldCenterPostKept(center, name, NULL, &object, NULL, 0, NULL);
    CHECK(kept == HeraldOK);
    add_checked(center, &follower, name, NULL, HeraldSuspensionHold, HeraldStartKept);
    CHECK(follower.calls == 1);
    kept = HeraldCenterPostKept(center, name, NULL, &object, NULL, 0, NULL);
    CHECK(kept == HeraldOK && follower.calls == 2);
    all[0].then = remove_itself;
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(all[0].released == 1);
    CHECK(is_same(HeraldGetCurrentToken(), none));
    HeraldTopicRelease(topic);
    HeraldTopicRelease(about);
    int hooks = in_hooks;
    HeraldCenterRelease(center);
    CHECK(in_hooks == hooks + 12);
}

static HeraldToken hooked;
static void trace_token(void *context, const HeraldTraceEvent *event) {
    (void)context, (void)event;
    hooked = HeraldGetCurrentToken();
}
static void describe_token(const void *observer, HeraldDescription *description) {
    (void)observer, (void)description;
    hooked = HeraldGetCurrentToken();
}
static void hear_described(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                           const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static bool see_any(void *context, const HeraldRegistrationInfo *info) {
    (void)context, (void)info;
    return true;
}

RULE(9, a_hook_finds_no_token) {
    HeraldCenterRef center = new_center();
    HeraldToken trace, none = {0, 0};
    HeraldNameRef name = name_of("r9.hook");
    HeraldSetDescriber(hear_described, describe_token);
    CHECK(HeraldCenterAddObserver(center, &none, hear_described, name, NULL, 0) == HeraldOK);
    hooked.center = 1;
    CHECK(HeraldCenterVisitRegistrations(center, see_any, NULL) == 1 && is_same(hooked, none));
    CHECK(HeraldTraceStart(center, NULL, trace_token, NULL, NULL, &trace) == HeraldOK);
    hooked.center = 1;
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(is_same(hooked, none));
    CHECK(HeraldTraceStop(trace));
    HeraldSetDescriber(hear_described, NULL);
    HeraldCenterRelease(center);
}
