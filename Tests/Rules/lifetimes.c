/* R9 to R13, R15, R19, R21: tokens, releases, waiting, objects, names, failure, centers, tags. */
#include "check.h"

#include <malloc.h>
#include <sys/wait.h>

static int o1, o2;

RULE(R09_stale_foreign_and_empty_tokens_change_nothing) {
    HeraldCenterRef center = new_center(), other = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r9.n"), NULL);
    HeraldToken token = listener.token;
    CHECK(!HeraldCenterRemoveToken(other, token));
    CHECK(!HeraldCenterRemoveToken(NULL, token));
    CHECK(!HeraldCenterRemoveToken(center, (HeraldToken){0, 0}));
    CHECK(!HeraldCenterRemoveToken(center, (HeraldToken){token.center, 0}));
    CHECK(!HeraldCenterRemoveToken(center, (HeraldToken){token.center, token.registration + 1}));
    CHECK(!HeraldCenterRemoveToken(center, (HeraldToken){token.center, token.registration + (1ull << 32)}));
    CHECK(!HeraldCenterRemoveToken(center, (HeraldToken){token.center, UINT64_MAX}));
    CHECK(!HeraldCenterRemoveTokenAndWait(center, (HeraldToken){UINT64_MAX, UINT64_MAX}));
    CHECK(listener.released == 0);
    CHECK(HeraldCenterRemoveToken(center, token));
    CHECK(!HeraldCenterRemoveToken(center, token));
    CHECK(!HeraldCenterRemoveTokenAndWait(center, token));
    CHECK(listener.released == 1);
    HeraldCenterRelease(center);
    HeraldCenterRelease(other);
}

RULE(R09_a_stale_token_never_removes_a_later_registration) {
    HeraldCenterRef center = new_center();
    enum { ROUNDS = 5000 };
    static HeraldToken stale[ROUNDS];
    struct listener listener = {0};
    for (int i = 0; i < ROUNDS; i++) {
        add(center, &listener, name_of("r9.n"), NULL);
        stale[i] = listener.token;
        CHECK(HeraldCenterRemoveToken(center, listener.token));
    }
    struct listener later[50];
    memset(later, 0, sizeof later);
    for (int i = 0; i < 50; i++) add(center, &later[i], name_of("r9.n"), NULL);
    for (int i = 0; i < ROUNDS; i++) CHECK(!HeraldCenterRemoveToken(center, stale[i]));
    CHECK(HeraldCenterPostNotification(center, name_of("r9.n"), NULL, NULL, false) == 50);
    HeraldCenterRelease(center);
}

static HeraldToken r9_seen;
static void remove_by_written_token(struct listener *self, HeraldCenterRef center) {
    (void)center;
    r9_seen = self->token;
}
RULE(R09_the_token_is_written_before_a_post_can_see_the_registration) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = remove_by_written_token};
    add(center, &listener, name_of("r9.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r9.n"), NULL, NULL, false);
    CHECK(r9_seen.center == listener.token.center && r9_seen.registration == listener.token.registration);
    CHECK(r9_seen.center != 0 && r9_seen.registration != 0);
    HeraldCenterRelease(center);
}

RULE(R10_the_release_runs_at_the_removal_when_no_call_is_in_progress) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r10.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r10.n"), NULL, NULL, false);
    CHECK(listener.released == 0);
    HeraldCenterRemoveToken(center, listener.token);
    CHECK(listener.released == 1);
    HeraldCenterRelease(center);
    CHECK(listener.released == 1);
}

static void remove_self(struct listener *self, HeraldCenterRef center) {
    CHECK(HeraldCenterRemoveToken(center, self->token));
    CHECK(self->released == 0);
}
static void check_released(struct listener *self, HeraldCenterRef center) {
    (void)center;
    CHECK(((struct listener *)self->context)->released == 1); /* promptly: the next observer finds it done */
}
RULE(R10_the_release_runs_when_the_last_call_returns) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = remove_self};
    struct listener next = {.then = check_released, .context = &listener};
    add(center, &listener, name_of("r10.n"), NULL);
    add(center, &next, name_of("r10.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r10.n"), NULL, NULL, false);
    CHECK(listener.released == 1 && next.calls == 1);
    HeraldCenterRelease(center);
}

static struct step r10_step;
static void hold_the_call(struct listener *self, HeraldCenterRef center) {
    (void)center;
    step_reach(&r10_step, 1);
    CHECK(step_await(&r10_step, 2));
    CHECK(self->released == 0);
}
static void *post_r10(void *center) {
    HeraldCenterPostNotification(center, name_of("r10.n"), NULL, NULL, false);
    return NULL;
}
RULE(R10_a_call_on_another_thread_runs_the_release_when_it_returns) {
    HeraldCenterRef center = new_center();
    r10_step.reached = 0;
    struct listener listener = {.then = hold_the_call};
    add(center, &listener, name_of("r10.n"), NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, post_r10, center);
    CHECK(step_await(&r10_step, 1));
    CHECK(HeraldCenterRemoveToken(center, listener.token));
    CHECK(listener.released == 0);
    step_reach(&r10_step, 2);
    pthread_join(thread, NULL);
    CHECK(listener.released == 1);
    HeraldCenterRelease(center);
}

RULE(R10_the_release_runs_when_the_center_dies) {
    HeraldCenterRef center = new_center();
    struct listener listeners[100];
    memset(listeners, 0, sizeof listeners);
    for (int i = 0; i < 100; i++) add(center, &listeners[i], i % 3 ? name_of("r10.n") : NULL, i % 2 ? &o1 : NULL);
    HeraldCenterRelease(center);
    for (int i = 0; i < 100; i++) CHECK(listeners[i].released == 1);
}

static HeraldCenterRef r10_center;
static int r10_chain;
static void release_that_uses_the_center(void *observer) {
    (void)observer;
    if (++r10_chain >= 50) return;
    HeraldObserverOptions options = {.size = sizeof options, .release = release_that_uses_the_center};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(r10_center, &r10_chain, listen, name_of("r10.n"), &o1, &options, &token) ==
          HeraldOK);
    CHECK(HeraldCenterPostNotification(r10_center, name_of("r10.m"), NULL, NULL, false) == 0);
    HeraldCenterRemoveEveryObserverAndWait(r10_center, &r10_chain); /* inside a hook: does not wait */
}
RULE(R10_a_release_hook_may_call_the_api) {
    r10_center = new_center();
    r10_chain = 0;
    HeraldObserverOptions options = {.size = sizeof options, .release = release_that_uses_the_center};
    CHECK(HeraldCenterAddObserverWithOptions(r10_center, &r10_chain, listen, NULL, NULL, &options, NULL) == HeraldOK);
    HeraldCenterRemoveEveryObserver(r10_center, &r10_chain);
    CHECK(r10_chain == 50);
    HeraldCenterRelease(r10_center);
}

RULE(R10_when_adding_fails_the_release_is_not_run) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    HeraldObserverOptions options = {.size = sizeof options, .suspensionBehavior = 9, .release = listener_released};
    HeraldToken token = {1, 1};
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listen, NULL, NULL, &options, &token) ==
          HeraldInvalidArgument);
    CHECK(token.center == 0 && token.registration == 0);
    HeraldCenterRelease(center);
    CHECK(listener.released == 0);
}

static void linger(struct listener *self, HeraldCenterRef center) {
    (void)center;
    struct step *step = self->context;
    step_reach(step, 1);
    CHECK(step_await(step, 2));
    usleep(30000); /* the waiter is surely waiting by now */
    step_reach(step, 3);
}
static void *post_r11(void *center) {
    HeraldCenterPostNotification(center, name_of("r11.n"), NULL, NULL, false);
    return NULL;
}

RULE(R11_waiting_returns_when_the_call_is_over_and_the_release_has_run) {
    for (int hook = 0; hook < 2; hook++) {
        HeraldCenterRef center = new_center();
        struct step step = {0};
        struct listener listener = {.then = linger, .context = &step};
        HeraldObserverOptions options = {.size = sizeof options, .release = hook ? listener_released : NULL};
        HeraldToken token;
        HeraldCenterAddObserverWithOptions(center, &listener, listen, name_of("r11.n"), NULL, &options, &token);
        pthread_t thread;
        pthread_create(&thread, NULL, post_r11, center);
        CHECK(step_await(&step, 1));
        step_reach(&step, 2);
        CHECK(HeraldCenterRemoveTokenAndWait(center, token));
        CHECK(step.reached == 3 && listener.released == hook);
        pthread_join(thread, NULL);
        HeraldCenterRelease(center);
    }
}

RULE(R11_waiting_for_what_somebody_else_has_removed_waits_too) {
    for (int hook = 0; hook < 2; hook++) {
        for (int by_observer = 0; by_observer < 2; by_observer++) {
            HeraldCenterRef center = new_center();
            struct step step = {0};
            struct listener listener = {.then = linger, .context = &step};
            HeraldObserverOptions options = {.size = sizeof options, .release = hook ? listener_released : NULL};
            HeraldToken token;
            HeraldCenterAddObserverWithOptions(center, &listener, listen, name_of("r11.n"), NULL, &options, &token);
            pthread_t thread;
            pthread_create(&thread, NULL, post_r11, center);
            CHECK(step_await(&step, 1));
            CHECK(HeraldCenterRemoveToken(center, token)); /* does not wait */
            CHECK(step.reached == 1);
            step_reach(&step, 2);
            if (by_observer) {
                HeraldCenterRemoveEveryObserverAndWait(center, &listener);
            } else {
                CHECK(!HeraldCenterRemoveTokenAndWait(center, token));
            }
            CHECK(step.reached == 3);
            if (!by_observer) CHECK(listener.released == hook);
            pthread_join(thread, NULL);
            CHECK(listener.released == hook);
            HeraldCenterRelease(center);
        }
    }
}

static struct step r11_step;
static void stay(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    step_reach(&r11_step, 1);
    CHECK(step_await(&r11_step, 2));
}
RULE(R11_waiting_does_not_wait_for_other_observers) {
    HeraldCenterRef center = new_center();
    r11_step.reached = 0;
    struct listener slow = {.then = stay}, quick = {0};
    add(center, &quick, name_of("r11.n"), NULL);
    add(center, &slow, name_of("r11.n"), NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, post_r11, center);
    CHECK(step_await(&r11_step, 1));
    CHECK(HeraldCenterRemoveTokenAndWait(center, quick.token)); /* though the post goes on */
    CHECK(quick.released == 1 && r11_step.reached == 1);
    step_reach(&r11_step, 2);
    pthread_join(thread, NULL);
    HeraldCenterRelease(center);
}

static void descend(struct listener *self, HeraldCenterRef center) {
    HeraldCenterPostNotification(center, name_of(self->calls < 10 ? "r11.outer" : "r11.n"), NULL, NULL, false);
}
static void *post_outer_r11(void *center) {
    HeraldCenterPostNotification(center, name_of("r11.outer"), NULL, NULL, false);
    return NULL;
}
RULE(R11_waiting_waits_for_a_call_nested_deeper_than_eight) {
    HeraldCenterRef center = new_center();
    struct step step = {0};
    struct listener outer = {.then = descend}, deepest = {.then = linger, .context = &step};
    add(center, &outer, name_of("r11.outer"), NULL);
    add(center, &deepest, name_of("r11.n"), NULL); /* its call is in a frame on the stack */
    pthread_t thread;
    pthread_create(&thread, NULL, post_outer_r11, center);
    CHECK(step_await(&step, 1));
    step_reach(&step, 2);
    CHECK(HeraldCenterRemoveTokenAndWait(center, deepest.token));
    CHECK(step.reached == 3 && deepest.released == 1);
    pthread_join(thread, NULL);
    HeraldCenterRelease(center);
}

static struct listener abba[2];
static HeraldCenterRef abba_centers[2];
static struct step abba_step;
static void remove_the_other(struct listener *self, HeraldCenterRef center) {
    (void)center;
    int other = self == &abba[0];
    abba_step.reached++;
    CHECK(step_await(&abba_step, 2)); /* both are inside now */
    CHECK(HeraldCenterRemoveTokenAndWait(abba_centers[other], abba[other].token));
}
static void *post_abba(void *index) {
    HeraldCenterPostNotification(abba_centers[(intptr_t)index], name_of("r11.n"), NULL, NULL, false);
    return NULL;
}
RULE(R11_two_callbacks_that_remove_each_other_do_not_deadlock) {
    pthread_t threads[2];
    abba_step.reached = 0;
    for (intptr_t i = 0; i < 2; i++) {
        abba_centers[i] = new_center();
        abba[i] = (struct listener){.then = remove_the_other};
        add(abba_centers[i], &abba[i], name_of("r11.n"), NULL);
    }
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, post_abba, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        CHECK(abba[i].released == 1);
        HeraldCenterRelease(abba_centers[i]);
    }
}

static struct listener r11_slow;
static void *wait_for_token(void *center) {
    HeraldCenterRemoveTokenAndWait(center, r11_slow.token);
    step_reach(&r11_step, 4);
    pthread_testcancel();
    return NULL;
}
RULE(R11_waiting_is_no_cancellation_point) {
    HeraldCenterRef center = new_center();
    r11_step.reached = 0;
    r11_slow = (struct listener){.then = stay};
    add(center, &r11_slow, name_of("r11.n"), NULL);
    pthread_t thread, waiter;
    void *result;
    pthread_create(&thread, NULL, post_r11, center);
    CHECK(step_await(&r11_step, 1));
    pthread_create(&waiter, NULL, wait_for_token, center);
    usleep(20000);
    pthread_cancel(waiter);
    usleep(20000);
    step_reach(&r11_step, 2);
    pthread_join(waiter, &result);
    CHECK(result == PTHREAD_CANCELED && r11_step.reached == 4); /* it came back, and was cancelled then */
    pthread_join(thread, NULL);
    CHECK(r11_slow.released == 1);
    HeraldCenterRelease(center);
}

/* A release hook that takes its time, run by a post that goes on to another observer. */
static HeraldToken r11_next_token;
static void remove_from_inside(struct listener *self, HeraldCenterRef center) {
    HeraldCenterRemoveToken(center, self->token);
}
static void slow_release(void *observer) {
    (void)observer;
    step_reach(&r11_step, 1);
    CHECK(step_await(&r11_step, 2));
}
RULE(R11_waiting_does_not_wait_for_the_release_of_another) {
    HeraldCenterRef center = new_center();
    r11_step.reached = 0;
    struct listener first = {.then = remove_from_inside}, next = {0};
    HeraldObserverOptions options = {.size = sizeof options, .release = slow_release};
    HeraldCenterAddObserverWithOptions(center, &first, listen, name_of("r11.n"), NULL, &options, &first.token);
    HeraldCenterAddObserverWithOptions(center, &next, listen, name_of("r11.n"), NULL, NULL, &r11_next_token);
    pthread_t thread;
    pthread_create(&thread, NULL, post_r11, center);
    CHECK(step_await(&r11_step, 1));
    CHECK(HeraldCenterRemoveTokenAndWait(center, r11_next_token)); /* nobody is calling it */
    CHECK(next.calls == 0);
    step_reach(&r11_step, 2);
    pthread_join(thread, NULL);
    CHECK(next.calls == 0);
    HeraldCenterRelease(center);
}

static HeraldToken r11_lingering;
static const void *retain_by_removing(const void *object) {
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetLocalCenter(), r11_lingering)); /* inside a hook: returns */
    return object;
}
static void *post_local_r11(void *unused) {
    (void)unused;
    HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), name_of("r11.local"), NULL, NULL, false);
    return NULL;
}
RULE(R11_every_hook_counts_as_a_callback) {
    HeraldCenterRef local = HeraldCenterGetLocalCenter();
    r11_step.reached = 0;
    struct listener slow = {.then = stay}, adds = {0};
    add(local, &slow, name_of("r11.local"), NULL);
    r11_lingering = slow.token;
    pthread_t thread;
    pthread_create(&thread, NULL, post_local_r11, NULL);
    CHECK(step_await(&r11_step, 1));
    HeraldObserverOptions options = {.size = sizeof options, .retainObject = retain_by_removing};
    CHECK(HeraldCenterAddObserverWithOptions(local, &adds, listen, name_of("r11.n"), &o1, &options, NULL) == HeraldOK);
    step_reach(&r11_step, 2);
    pthread_join(thread, NULL);
    CHECK(slow.released == 1);
    HeraldCenterRemoveEveryObserver(local, &adds);
}

/* An object whose registrations count references, and whose handle differs from what is compared. */
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

RULE(R12_what_retainObject_returns_is_compared_and_released) {
    HeraldCenterRef center = new_center();
    retained = r12_releases = 0;
    struct listener listener = {0};
    HeraldObserverOptions options = {.size = sizeof options,
                                     .release = listener_released,
                                     .retainObject = retain_object,
                                     .releaseObject = release_object};
    HeraldToken token;
    HeraldCenterAddObserverWithOptions(center, &listener, listen, name_of("r12.n"), &o1, &options, &token);
    CHECK(retained == 1);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), &o1, NULL, false) == 0);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), &r12_copy, NULL, false) == 1);
    CHECK(HeraldCenterRemoveToken(center, token));
    CHECK(r12_releases == 1 && listener.released == 1);

    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listen, NULL, NULL, &options, &token) == HeraldOK);
    CHECK(retained == 1); /* there is no object to retain */
    listener.released = 0;
    options.retainObject = retain_nothing;
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listen, NULL, &o1, &options, &token) ==
          HeraldInvalidArgument);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), &o2, NULL, false) == 1); /* no wildcard was made */
    HeraldCenterRelease(center);
    CHECK(r12_releases == 1 && listener.released == 1);
}

RULE(R12_objects_are_never_dereferenced) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    const void *wild = (const void *)(uintptr_t)0xdeadbeefcafef00d;
    add(center, &listener, name_of("r12.n"), wild);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), wild, (const void *)3, false) == 1);
    CHECK(HeraldCenterPostNotification(center, name_of("r12.n"), (const void *)1, NULL, false) == 0);
    HeraldCenterRelease(center);
}

RULE(R13_equal_names_are_equal_pointers) {
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

RULE(R13_many_names_never_meet) {
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

RULE(R13_a_name_must_be_UTF8) {
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

RULE(R13_a_name_may_be_an_address) {
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

RULE(R15_bad_arguments_are_refused_and_change_nothing) {
    HeraldCenterRef center = new_center();
    HeraldObserverOptions options = {.size = sizeof options};
    struct listener listener = {0};
    HeraldNameRef n = name_of("r15.n");
    CHECK(HeraldCenterAddObserver(NULL, &listener, listen, n, NULL, HeraldSuspensionHold) == HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserver(center, &listener, NULL, n, NULL, HeraldSuspensionHold) == HeraldInvalidArgument);
    for (int behavior = -1; behavior < 7; behavior++)
        if (behavior < 1 || behavior > 4)
            CHECK(HeraldCenterAddObserver(center, &listener, listen, n, NULL, (HeraldSuspensionBehavior)behavior) ==
                  HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserverWithOptions(NULL, &listener, listen, n, NULL, NULL, NULL) == HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, NULL, n, NULL, NULL, NULL) == HeraldInvalidArgument);
    static const size_t sizes[] = {0, 1, 8, sizeof options - 1, 5000, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        options.size = sizes[i];
        CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listen, n, NULL, &options, NULL) ==
              HeraldInvalidArgument);
        HeraldCenterOptions impossible = {.size = sizes[i]};
        CHECK(HeraldCenterCreate(&impossible) == NULL);
    }
    CHECK(HeraldCenterPostNotification(center, n, NULL, NULL, false) == 0);
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listen, n, NULL, NULL, NULL) == HeraldOK);
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

RULE(R15_an_options_struct_of_a_newer_header_is_fine_when_it_asks_for_nothing_new) {
    HeraldCenterRef center = new_center();
    struct {
        HeraldObserverOptions known;
        long newer[4];
    } options = {.known.size = sizeof options};
    struct listener listener = {0};
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listen, NULL, NULL, &options.known, NULL) == HeraldOK);
    options.newer[2] = 1;
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listen, NULL, NULL, &options.known, NULL) ==
          HeraldInvalidArgument);
    HeraldCenterRelease(center);
}

RULE(R15_every_status_has_a_description) {
    for (int status = -1; status < 6; status++) {
        const char *text = HeraldStatusGetDescription((HeraldStatus)status);
        CHECK(text != NULL && text[0]);
    }
    CHECK(strcmp(HeraldGetVersion(), "0.1.0") == 0);
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
RULE(R19_releasing_a_center_in_its_own_callback_skips_the_others) {
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

RULE(R19_a_topic_keeps_its_center) {
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

/* Releases of a center that is being closed use it: an observer's end often removes another. */
static struct {
    HeraldCenterRef center, other;
    struct listener listeners[4];
} dying;
static void churn_elsewhere(void) { /* makes the reclaimer run */
    for (int i = 0; i < 3000; i++) {
        HeraldToken token;
        HeraldCenterAddObserverWithOptions(dying.other, &dying, listen, name_of("r19.n"), NULL, NULL, &token);
        HeraldCenterRemoveToken(dying.other, token);
    }
}
static void use_the_dying_center(void *observer) {
    listener_released(observer);
    struct listener *next = &dying.listeners[1];
    churn_elsewhere();
    HeraldCenterRemoveEveryObserver(dying.center, next);
    CHECK(!HeraldCenterRemoveToken(dying.center, next->token));
    CHECK(HeraldCenterPostNotification(dying.center, name_of("r19.n"), NULL, NULL, false) == 0);
    CHECK(HeraldCenterPostNotification(dying.center, name_of("r19.n"), &o1, NULL, true) == 0);
    CHECK(!HeraldCenterHasObservers(dying.center, name_of("r19.n")));
    CHECK(HeraldCenterAddObserver(dying.center, next, listen, NULL, NULL, HeraldSuspensionDrop) ==
          HeraldInvalidArgument);
}
RULE(R19_hooks_of_a_center_that_is_being_closed_may_use_it) {
    memset(&dying, 0, sizeof dying);
    dying.center = new_center();
    dying.other = new_center();
    HeraldObserverOptions options = {.size = sizeof options, .release = use_the_dying_center};
    for (int i = 0; i < 4; i++) {
        struct listener *listener = &dying.listeners[i];
        if (i % 2) options.release = listener_released;
        HeraldCenterAddObserverWithOptions(dying.center, listener, listen, name_of("r19.n"), i < 2 ? NULL : &o1,
                                           &options, &listener->token);
        options.release = use_the_dying_center;
    }
    HeraldCenterPostNotification(dying.center, name_of("r19.n"), &o1, NULL, false);
    HeraldCenterRelease(dying.center);
    for (int i = 0; i < 4; i++) CHECK(dying.listeners[i].released == 1 && dying.listeners[i].calls == 1);
    HeraldCenterRelease(dying.other);
}

static void release_the_center_and_churn(void *observer) {
    listener_released(observer);
    HeraldCenterRelease(dying.center);
    churn_elsewhere();
}
RULE(R19_a_hook_may_release_the_center_of_a_removal_that_waits) {
    for (int by_token = 0; by_token < 2; by_token++) {
        memset(&dying, 0, sizeof dying);
        dying.center = new_center();
        dying.other = new_center();
        struct listener *listener = &dying.listeners[0];
        HeraldObserverOptions options = {.size = sizeof options, .release = release_the_center_and_churn};
        HeraldCenterAddObserverWithOptions(dying.center, listener, listen, name_of("r19.n"), NULL, &options,
                                           &listener->token);
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
        HeraldCenterAddObserverWithOptions(center, center, listen, name_of("r19.n"), NULL, &options, &token);
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
RULE(R19_a_center_released_by_a_hook_leaves_no_memory) { child_passed(measure_centers); }

static void release_the_topic(struct listener *self, HeraldCenterRef center) {
    (void)center;
    HeraldTopicRelease(self->context);
}
RULE(R19_a_topic_may_be_released_in_its_own_post) {
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

RULE(R19_the_local_center_never_dies) {
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
RULE(R19_misuse_is_a_sentence_in_debug_builds) {
#if !defined(__OPTIMIZE__)
    char said[400];
    int status = in_child(misuse_center, said, sizeof said);
    CHECK(WIFSIGNALED(status) && strstr(said, "this center has been released already"));
    status = in_child(misuse_topic, said, sizeof said);
    CHECK(WIFSIGNALED(status) && strstr(said, "a topic is being used that has been released already"));
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
RULE(R21_each_post_has_its_own_tag) {
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
