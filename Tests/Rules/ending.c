/* R9 to R11: tokens, releases, waiting. */
#include "check.h"
#include <sched.h>
#include <sys/resource.h>

static int o1;

RULE(9, stale_foreign_and_empty_tokens_change_nothing) {
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

RULE(9, a_stale_token_never_removes_a_later_registration) {
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
RULE(9, the_token_is_written_before_a_post_can_see_the_registration) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = remove_by_written_token};
    add(center, &listener, name_of("r9.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r9.n"), NULL, NULL, false);
    CHECK(r9_seen.center == listener.token.center && r9_seen.registration == listener.token.registration);
    CHECK(r9_seen.center != 0 && r9_seen.registration != 0);
    HeraldCenterRelease(center);
}

RULE(10, the_release_runs_at_the_removal_when_no_call_is_in_progress) {
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
    CHECK(((struct listener *)self->context)->released == 1); /* promptly: the next observer finds it released */
}
RULE(10, the_release_runs_when_the_last_call_returns) {
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
RULE(10, a_call_on_another_thread_runs_the_release_when_it_returns) {
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

RULE(10, the_release_runs_when_the_center_dies) {
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
    CHECK(HeraldCenterAddObserverWithOptions(r10_center, &r10_chain, listener_hear, name_of("r10.n"), &o1, &options,
                                             &token) == HeraldOK);
    CHECK(HeraldCenterPostNotification(r10_center, name_of("r10.m"), NULL, NULL, false) == 0);
    HeraldCenterRemoveEveryObserverAndWait(r10_center, &r10_chain); /* inside a hook: does not wait */
}
RULE(10, a_release_hook_may_call_the_api) {
    r10_center = new_center();
    r10_chain = 0;
    HeraldObserverOptions options = {.size = sizeof options, .release = release_that_uses_the_center};
    CHECK(HeraldCenterAddObserverWithOptions(r10_center, &r10_chain, listener_hear, NULL, NULL, &options, NULL) ==
          HeraldOK);
    HeraldCenterRemoveEveryObserver(r10_center, &r10_chain);
    CHECK(r10_chain == 50);
    HeraldCenterRelease(r10_center);
}

RULE(10, when_adding_fails_the_release_is_not_run) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    HeraldObserverOptions options = {.size = sizeof options, .suspensionBehavior = 9, .release = listener_released};
    HeraldToken token = {1, 1};
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, NULL, NULL, &options, &token) ==
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
    usleep(30000); /* long enough that the waiter waits by now */
    step_reach(step, 3);
}
static void *post_r11(void *center) {
    HeraldCenterPostNotification(center, name_of("r11.n"), NULL, NULL, false);
    return NULL;
}

/* A registration, with or without a release hook, that another thread is calling. */
struct lingering {
    HeraldCenterRef center;
    struct step step;
    struct listener listener;
    HeraldToken token;
    pthread_t thread;
};
static void linger_begin(struct lingering *lingering, bool hook) {
    HeraldObserverOptions options = {.size = sizeof options, .release = hook ? listener_released : NULL};
    memset(lingering, 0, sizeof *lingering);
    lingering->center = new_center();
    lingering->listener.then = linger;
    lingering->listener.context = &lingering->step;
    CHECK(HeraldCenterAddObserverWithOptions(lingering->center, &lingering->listener, listener_hear, name_of("r11.n"),
                                             NULL, &options, &lingering->token) == HeraldOK);
    pthread_create(&lingering->thread, NULL, post_r11, lingering->center);
    CHECK(step_await(&lingering->step, 1));
}
static void linger_end(struct lingering *lingering, bool hook) {
    pthread_join(lingering->thread, NULL);
    CHECK(lingering->listener.released == hook);
    HeraldCenterRelease(lingering->center);
}

RULE(11, waiting_returns_when_the_call_is_over_and_the_release_has_run) {
    for (int hook = 0; hook < 2; hook++) {
        struct lingering it;
        linger_begin(&it, hook);
        step_reach(&it.step, 2);
        CHECK(HeraldCenterRemoveTokenAndWait(it.center, it.token));
        CHECK(it.step.reached == 3 && it.listener.released == hook);
        linger_end(&it, hook);
    }
}

RULE(11, waiting_for_what_somebody_else_has_removed_waits_too) {
    for (int hook = 0; hook < 2; hook++) {
        for (int by_observer = 0; by_observer < 2; by_observer++) {
            struct lingering it;
            linger_begin(&it, hook);
            CHECK(HeraldCenterRemoveToken(it.center, it.token)); /* does not wait */
            CHECK(it.step.reached == 1);
            step_reach(&it.step, 2);
            if (by_observer) {
                HeraldCenterRemoveEveryObserverAndWait(it.center, &it.listener);
            } else {
                CHECK(!HeraldCenterRemoveTokenAndWait(it.center, it.token));
            }
            CHECK(it.step.reached == 3);
            if (!by_observer) CHECK(it.listener.released == hook);
            linger_end(&it, hook);
        }
    }
}

/* What a `then` of HeraldCenterRemoveTokenThen has found. */
struct sequel {
    struct lingering *it;
    bool hook;
    int order; /* its place among the thens, from 1; 0: not called */
};
static atomic_int r11_sequels;
static void note_sequel(void *context) {
    struct sequel *sequel = context;
    CHECK(sequel->order == 0); /* once */
    if (sequel->it) CHECK(sequel->it->step.reached == 3 && sequel->it->listener.released == sequel->hook);
    sequel->order = ++r11_sequels;
}

RULE(11, then_is_called_at_once_when_no_call_is_running) {
    for (int hook = 0; hook < 2; hook++) {
        HeraldCenterRef center = new_center(), other = new_center();
        struct listener listener = {0};
        struct sequel sequels[4];
        HeraldToken token;
        HeraldObserverOptions options = {.size = sizeof options, .release = hook ? listener_released : NULL};
        memset(sequels, 0, sizeof sequels);
        r11_sequels = 0;
        CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, name_of("r11.n"), NULL, &options,
                                                 &token) == HeraldOK);
        HeraldCenterPostNotification(center, name_of("r11.n"), NULL, NULL, false);
        CHECK(HeraldCenterRemoveTokenThen(center, token, NULL, NULL) == HeraldInvalidArgument);
        CHECK(HeraldCenterRemoveTokenThen(NULL, token, note_sequel, NULL) == HeraldInvalidArgument);
        CHECK(HeraldCenterPostNotification(center, name_of("r11.n"), NULL, NULL, false) == 1);
        CHECK(HeraldCenterRemoveTokenThen(center, token, note_sequel, &sequels[0]) == HeraldOK);
        CHECK(sequels[0].order == 1 && listener.released == hook);
        CHECK(HeraldCenterPostNotification(center, name_of("r11.n"), NULL, NULL, false) == 0);
        /* a token that names nothing any more, or nothing here */
        CHECK(HeraldCenterRemoveTokenThen(center, token, note_sequel, &sequels[1]) == HeraldOK);
        CHECK(HeraldCenterRemoveTokenThen(other, token, note_sequel, &sequels[2]) == HeraldOK);
        CHECK(HeraldCenterRemoveTokenThen(center, (HeraldToken){0, 0}, note_sequel, &sequels[3]) == HeraldOK);
        CHECK(sequels[1].order == 2 && sequels[2].order == 3 && sequels[3].order == 4);
        CHECK(listener.released == hook);
        HeraldCenterRelease(center);
        HeraldCenterRelease(other);
    }
}

RULE(11, then_is_called_after_the_last_call_and_the_release) {
    for (int hook = 0; hook < 2; hook++) {
        for (int removed = 0; removed < 2; removed++) { /* by another call before */
            struct lingering it;
            linger_begin(&it, hook);
            struct sequel first = {.it = &it, .hook = hook}, second = first;
            r11_sequels = 0;
            if (removed) CHECK(HeraldCenterRemoveToken(it.center, it.token));
            CHECK(HeraldCenterRemoveTokenThen(it.center, it.token, note_sequel, &first) == HeraldOK);
            CHECK(HeraldCenterRemoveTokenThen(it.center, it.token, note_sequel, &second) == HeraldOK);
            CHECK(HeraldCenterPostNotification(it.center, name_of("r11.n"), NULL, NULL, false) == 0);
            CHECK(it.step.reached == 1 && r11_sequels == 0);
            step_reach(&it.step, 2);
            CHECK(!HeraldCenterRemoveTokenAndWait(it.center, it.token)); /* waits for them, too */
            CHECK(first.order == 1 && second.order == 2);
            linger_end(&it, hook);
        }
    }
}

static void remove_self_then(struct listener *self, HeraldCenterRef center) {
    CHECK(HeraldCenterRemoveTokenThen(center, self->token, note_sequel, self->context) == HeraldOK);
    CHECK(((struct sequel *)self->context)->order == 0 && self->released == 0);
}
static void check_sequel(struct listener *self, HeraldCenterRef center) {
    (void)center;
    CHECK(((struct sequel *)self->context)->order == 1);
}
RULE(11, then_is_called_when_a_callback_that_has_ended_itself_returns) {
    HeraldCenterRef center = new_center();
    struct sequel sequel = {0};
    struct listener listener = {.then = remove_self_then, .context = &sequel};
    struct listener next = {.then = check_sequel, .context = &sequel};
    r11_sequels = 0;
    add(center, &listener, name_of("r11.n"), NULL);
    add(center, &next, name_of("r11.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r11.n"), NULL, NULL, false);
    CHECK(sequel.order == 1 && next.calls == 1 && listener.released == 1);
    HeraldCenterRelease(center);
}

static struct step r11_release;
static void release_slowly(void *observer) {
    step_reach(&r11_release, 1);
    CHECK(step_await(&r11_release, 2));
    step_reach(&r11_release, 3);
    listener_released(observer);
}
static void *remove_r11(void *context) {
    const struct listener *listener = context;
    CHECK(HeraldCenterRemoveToken(listener->context, listener->token));
    return NULL;
}
static HeraldCenterRef r11_center;
static void use_the_center(void *context) {
    struct listener *listener = context;
    CHECK(r11_release.reached == 3 && listener->released == 1);
    HeraldCenterPostNotification(r11_center, name_of("r11.n"), NULL, NULL, false);
    HeraldCenterRemoveTokenAndWait(r11_center, listener->token); /* in a hook: does not wait */
    r11_sequels++;
    HeraldCenterRelease(r11_center);
}
RULE(11, then_waits_for_a_release_on_another_thread_and_may_use_the_center) {
    r11_center = new_center();
    r11_release.reached = 0;
    r11_sequels = 0;
    struct listener listener = {.context = r11_center};
    HeraldObserverOptions options = {.size = sizeof options, .release = release_slowly};
    CHECK(HeraldCenterAddObserverWithOptions(r11_center, &listener, listener_hear, name_of("r11.n"), NULL, &options,
                                             &listener.token) == HeraldOK);
    pthread_t thread;
    pthread_create(&thread, NULL, remove_r11, &listener);
    CHECK(step_await(&r11_release, 1));
    CHECK(HeraldCenterRemoveTokenThen(r11_center, listener.token, use_the_center, &listener) == HeraldOK);
    CHECK(r11_sequels == 0);
    step_reach(&r11_release, 2);
    pthread_join(thread, NULL);
    CHECK(r11_sequels == 1);
}

/* Waits for the release, and counts its wakeups. */
static atomic_int r14_waiting;
static void *wait_and_count(void *context) {
    struct lingering *it = context;
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    r14_waiting++;
    HeraldCenterRemoveTokenAndWait(it->center, it->token);
    getrusage(RUSAGE_THREAD, &after);
    return (void *)(after.ru_nvcsw - before.ru_nvcsw);
}
RULE(14, a_removal_wakes_nobody_who_waits_for_another) {
    enum { WAITERS = 50, REMOVALS = 2000 };
    struct lingering it;
    pthread_t threads[WAITERS];
    linger_begin(&it, true);
    r14_waiting = 0;
    for (int i = 0; i < WAITERS; i++) pthread_create(&threads[i], NULL, wait_and_count, &it);
    while (r14_waiting < WAITERS) sched_yield();
    struct listener other = {0};
    for (int i = 0; i < REMOVALS; i++) {
        add(it.center, &other, name_of("r14.other"), NULL);
        CHECK(HeraldCenterRemoveToken(it.center, other.token));
        sched_yield();
    }
    CHECK(other.released == REMOVALS);
    step_reach(&it.step, 2);
    long most = 0;
    for (int i = 0; i < WAITERS; i++) {
        void *woken;
        pthread_join(threads[i], &woken);
        if ((long)woken > most) most = (long)woken;
    }
    CHECK(most < REMOVALS / 40);
    linger_end(&it, true);
}

static struct step r11_step;
static void stay(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    step_reach(&r11_step, 1);
    CHECK(step_await(&r11_step, 2));
}
RULE(11, waiting_does_not_wait_for_other_observers) {
    HeraldCenterRef center = new_center();
    r11_step.reached = 0;
    struct listener slow = {.then = stay}, quick = {0};
    add(center, &quick, name_of("r11.n"), NULL);
    add(center, &slow, name_of("r11.n"), NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, post_r11, center);
    CHECK(step_await(&r11_step, 1));
    CHECK(HeraldCenterRemoveTokenAndWait(center, quick.token)); /* although the post goes on */
    CHECK(quick.released == 1 && r11_step.reached == 1);
    step_reach(&r11_step, 2);
    pthread_join(thread, NULL);
    HeraldCenterRelease(center);
}

static struct step r10_crowd;
static atomic_int r10_posted;
static void *post_and_stay(void *center) {
    HeraldCenterPostNotification(center, name_of("r10.n"), NULL, NULL, false);
    r10_posted++;
    step_await(&r10_crowd, 1);
    HeraldCenterPostNotification(center, name_of("r10.n"), NULL, NULL, false);
    return NULL;
}
RULE(10, a_release_is_run_beside_twenty_threads_that_do_not_answer) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    pthread_t threads[20];
    r10_crowd.reached = r10_posted = 0;
    for (int i = 0; i < 20; i++) pthread_create(&threads[i], NULL, post_and_stay, center);
    while (r10_posted < 20) usleep(1000);
    for (int i = 0; i < 100; i++) { /* at first all threads get tickets, then they are quiescent, then offline */
        listener.released = 0;
        add(center, &listener, name_of("r10.n"), NULL);
        CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token) && listener.released == 1);
    }
    listener.released = 0;
    add(center, &listener, name_of("r10.n"), NULL);
    int calls = listener.calls;
    step_reach(&r10_crowd, 1);
    for (int i = 0; i < 20; i++) pthread_join(threads[i], NULL);
    CHECK(listener.calls == calls + 20);
    HeraldCenterRelease(center);
}

static void descend(struct listener *self, HeraldCenterRef center) {
    HeraldCenterPostNotification(center, name_of(self->calls < 10 ? "r11.outer" : "r11.n"), NULL, NULL, false);
}
static void *post_outer_r11(void *center) {
    HeraldCenterPostNotification(center, name_of("r11.outer"), NULL, NULL, false);
    return NULL;
}
RULE(11, waiting_waits_for_a_call_nested_deeper_than_eight) {
    HeraldCenterRef center = new_center();
    struct step step = {0};
    struct listener outer = {.then = descend}, deepest = {.then = linger, .context = &step};
    add(center, &outer, name_of("r11.outer"), NULL);
    add(center, &deepest, name_of("r11.n"), NULL); /* its call has an overflow frame */
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
    CHECK(step_await(&abba_step, 2)); /* both callbacks are running now */
    CHECK(HeraldCenterRemoveTokenAndWait(abba_centers[other], abba[other].token));
}
static void *post_abba(void *index) {
    HeraldCenterPostNotification(abba_centers[(intptr_t)index], name_of("r11.n"), NULL, NULL, false);
    return NULL;
}
RULE(11, two_callbacks_that_remove_each_other_do_not_deadlock) {
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
RULE(11, waiting_is_no_cancellation_point) {
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
    CHECK(result == PTHREAD_CANCELED && r11_step.reached == 4); /* it returned, and was cancelled after that */
    pthread_join(thread, NULL);
    CHECK(r11_slow.released == 1);
    HeraldCenterRelease(center);
}

/* A release hook that takes long, run by a post that goes on to another observer. */
static HeraldToken r11_next_token;
static void remove_from_inside(struct listener *self, HeraldCenterRef center) {
    HeraldCenterRemoveToken(center, self->token);
}
static void slow_release(void *observer) {
    (void)observer;
    step_reach(&r11_step, 1);
    CHECK(step_await(&r11_step, 2));
}
RULE(11, waiting_does_not_wait_for_the_release_of_another) {
    HeraldCenterRef center = new_center();
    r11_step.reached = 0;
    struct listener first = {.then = remove_from_inside}, next = {0};
    HeraldObserverOptions options = {.size = sizeof options, .release = slow_release};
    CHECK(HeraldCenterAddObserverWithOptions(center, &first, listener_hear, name_of("r11.n"), NULL, &options,
                                             &first.token) == HeraldOK);
    CHECK(HeraldCenterAddObserverWithOptions(center, &next, listener_hear, name_of("r11.n"), NULL, NULL,
                                             &r11_next_token) == HeraldOK);
    pthread_t thread;
    pthread_create(&thread, NULL, post_r11, center);
    CHECK(step_await(&r11_step, 1));
    CHECK(HeraldCenterRemoveTokenAndWait(center, r11_next_token)); /* no post is calling it */
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
RULE(11, every_hook_counts_as_a_callback) {
    HeraldCenterRef local = HeraldCenterGetLocalCenter();
    r11_step.reached = 0;
    struct listener slow = {.then = stay}, adds = {0};
    add(local, &slow, name_of("r11.local"), NULL);
    r11_lingering = slow.token;
    pthread_t thread;
    pthread_create(&thread, NULL, post_local_r11, NULL);
    CHECK(step_await(&r11_step, 1));
    HeraldObserverOptions options = {.size = sizeof options, .retainObject = retain_by_removing};
    CHECK(HeraldCenterAddObserverWithOptions(local, &adds, listener_hear, name_of("r11.n"), &o1, &options, NULL) ==
          HeraldOK);
    step_reach(&r11_step, 2);
    pthread_join(thread, NULL);
    CHECK(slow.released == 1);
    HeraldCenterRemoveEveryObserver(local, &adds);
}
