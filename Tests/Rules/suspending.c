/* R16: which posts a suspended center holds, and how it delivers them. */
#include "check.h"

#include <sched.h>
#include <time.h>

static int o1, o2;

/* userInfo and objects that count references. */
struct counted {
    atomic_int references;
};
static const void *retain_counted(const void *counted) {
    ((struct counted *)(uintptr_t)counted)->references++;
    return counted;
}
static void release_counted(const void *counted) { ((struct counted *)(uintptr_t)counted)->references--; }

static HeraldCenterRef keeping_center(size_t limit) {
    HeraldCenterOptions options = {.size = sizeof options,
                                   .retainUserInfo = retain_counted,
                                   .releaseUserInfo = release_counted,
                                   .retainObject = retain_counted,
                                   .releaseObject = release_counted,
                                   .heldPostLimit = limit};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    CHECK(center != NULL);
    return center;
}

static size_t post(HeraldCenterRef center, const char *name, const void *object, const void *userInfo) {
    return HeraldCenterPostNotification(center, name_of(name), object, userInfo, false);
}

RULE(16, each_behavior_keeps_what_it_says) {
    static const struct {
        HeraldSuspensionBehavior behavior;
        int at_once, on_resume;
    } cases[] = {{HeraldSuspensionDrop, 0, 0},
                 {HeraldSuspensionCoalesce, 0, 1},
                 {HeraldSuspensionHold, 0, 5},
                 {HeraldSuspensionDeliverImmediately, 5, 0}};
    for (size_t i = 0; i < 4; i++) {
        HeraldCenterRef center = keeping_center(0);
        struct listener listener = {0};
        struct counted infos[5] = {{0}};
        add_with(center, &listener, name_of("r16.n"), NULL, cases[i].behavior);
        HeraldCenterSetSuspended(center, true);
        CHECK(HeraldCenterIsSuspended(center));
        for (int k = 0; k < 5; k++) post(center, "r16.n", NULL, &infos[k]);
        CHECK(listener.calls == cases[i].at_once);
        HeraldCenterSetSuspended(center, false);
        CHECK(!HeraldCenterIsSuspended(center));
        CHECK(listener.calls == cases[i].at_once + cases[i].on_resume);
        if (listener.calls) CHECK(listener.userInfo == &infos[4]);
        for (int k = 0; k < 5; k++) CHECK(infos[k].references == 0);
        CHECK(post(center, "r16.n", NULL, NULL) == 1);
        HeraldCenterRelease(center);
        CHECK(listener.released == 1);
    }
}

RULE(16, a_hundred_names_are_coalesced_each) { /* more than the queue's table has room for at first */
    HeraldCenterRef center = keeping_center(0);
    struct listener any = {0};
    char text[16];
    add_with(center, &any, NULL, NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "r16.%d", i % 100);
        post(center, text, NULL, NULL);
    }
    CHECK(any.calls == 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(any.calls == 100);
    HeraldCenterRelease(center);
}

RULE(16, coalescing_is_per_registration_name_and_object) {
    HeraldCenterRef center = keeping_center(0);
    struct listener any = {0}, one = {0};
    struct counted a = {0}, b = {0};
    add_with(center, &any, NULL, NULL, HeraldSuspensionCoalesce);
    add_with(center, &one, name_of("r16.n"), &a, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) {
        post(center, "r16.n", &a, NULL);
        post(center, "r16.n", &b, NULL);
        post(center, "r16.n", NULL, NULL);
        post(center, "r16.m", &a, NULL);
    }
    HeraldCenterSetSuspended(center, false);
    CHECK(any.calls == 4 && one.calls == 1);
    CHECK(any.name == name_of("r16.m") && any.object == &a && one.object == &a);
    CHECK(a.references == 0 && b.references == 0);
    HeraldCenterRelease(center);
}

RULE(16, what_was_kept_is_delivered_in_posting_order) {
    HeraldCenterRef center = keeping_center(0);
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener held = {.letter = 'h', .record = &record}, last = {.letter = 'c', .record = &record};
    struct listener other = {.letter = 'o', .record = &record};
    add_with(center, &last, name_of("r16.n"), NULL, HeraldSuspensionCoalesce);
    add_with(center, &held, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add_with(center, &other, name_of("r16.m"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    post(center, "r16.m", NULL, NULL);
    post(center, "r16.n", NULL, NULL);
    CHECK_HEARD(&record, "");
    HeraldCenterSetSuspended(center, false);
    CHECK_HEARD(&record, "hoch"); /* the coalesced post has the place of the last one */
    HeraldCenterRelease(center);
}

RULE(16, coalescing_keeps_up_to_the_limit_and_counts_what_it_drops) {
    HeraldCenterRef center = keeping_center(3);
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener any = {.letter = 'a', .record = &record}, one = {0};
    struct counted objects[10] = {{0}};
    add_with(center, &any, NULL, NULL, HeraldSuspensionCoalesce);
    add_with(center, &one, name_of("r16.n"), &objects[0], HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    for (int round = 0; round < 3; round++) /* repeated posts take no more room */
        for (int i = 0; i < 3; i++) post(center, "r16.n", &objects[i], NULL);
    CHECK(HeraldCenterGetDroppedPostCount(center) == 0);
    for (int i = 3; i < 10; i++) post(center, "r16.n", &objects[i], NULL);
    CHECK(HeraldCenterGetDroppedPostCount(center) == 7);
    CHECK(objects[0].references == 1);                                     /* for `one` */
    for (int i = 1; i < 10; i++) CHECK(objects[i].references == (i >= 7)); /* the oldest were dropped first */
    HeraldCenterSetSuspended(center, false);
    CHECK_HEARD(&record, "aaa");
    CHECK(any.object == &objects[9] && one.calls == 1 && one.object == &objects[0]);
    HeraldCenterRelease(center);
}

RULE(16, holding_keeps_up_to_the_limit_and_counts_what_it_drops) {
    HeraldCenterRef center = keeping_center(3);
    struct listener a = {0}, b = {0};
    struct counted infos[10] = {{0}};
    add_with(center, &a, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add_with(center, &b, name_of("r16.m"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 10; i++) post(center, "r16.n", NULL, &infos[i]);
    post(center, "r16.m", NULL, NULL);
    CHECK(HeraldCenterGetDroppedPostCount(center) == 7);
    for (int i = 0; i < 10; i++) CHECK(infos[i].references == (i >= 7)); /* the oldest were dropped first */
    HeraldCenterSetSuspended(center, false);
    CHECK(a.calls == 3 && a.userInfo == &infos[9] && b.calls == 1);
    HeraldCenterRelease(center);

    center = HeraldCenterCreate(NULL); /* the limit is 1024 by default */
    add_with(center, &a, name_of("r16.n"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 1030; i++) post(center, "r16.n", NULL, NULL);
    CHECK(HeraldCenterGetDroppedPostCount(center) == 6);
    a.released = 0;
    HeraldCenterSetSuspended(center, false);
    CHECK(a.calls == 3 + 1024);
    HeraldCenterRelease(center);
}

RULE(16, who_hears_immediately_hears_after_all_that_is_queued) {
    HeraldCenterRef center = keeping_center(0);
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener held = {.letter = 'h', .record = &record}, now = {.letter = 'i', .record = &record};
    add_with(center, &held, NULL, NULL, HeraldSuspensionHold);
    add_with(center, &now, name_of("r16.urgent"), NULL, HeraldSuspensionDeliverImmediately);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    post(center, "r16.m", NULL, NULL);
    CHECK_HEARD(&record, "");
    CHECK(post(center, "r16.urgent", NULL, NULL) == 1);
    CHECK_HEARD(&record, "hhi"); /* and the urgent post itself is held for the other observer */
    HeraldCenterSetSuspended(center, false);
    CHECK_HEARD(&record, "h");
    HeraldCenterRelease(center);
}

RULE(16, a_post_may_reach_everybody_at_once) {
    HeraldCenterRef center = keeping_center(0);
    struct listener listeners[4];
    memset(listeners, 0, sizeof listeners);
    for (int i = 0; i < 3; i++)
        add_with(center, &listeners[i], name_of("r16.n"), NULL, (HeraldSuspensionBehavior)(i + 1));
    HeraldCenterSetSuspended(center, true);
    CHECK(HeraldCenterPostNotification(center, name_of("r16.n"), NULL, NULL, true) == 3);
    CHECK(HeraldCenterPostNotificationWithOptions(center, name_of("r16.n"), NULL, NULL, HeraldPostDeliverImmediately) ==
          3);
    for (int i = 0; i < 3; i++) CHECK(listeners[i].calls == 2);
    HeraldCenterSetSuspended(center, false);
    for (int i = 0; i < 3; i++) CHECK(listeners[i].calls == 2);
    HeraldCenterRelease(center);
}

RULE(16, what_cannot_be_kept_is_delivered_as_NULL) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add_with(center, &listener, name_of("r16.n"), &o1, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostTagged(center, name_of("r16.n"), &o1, &o2, &o2, 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(listener.calls == 1 && listener.object == NULL && listener.userInfo == NULL);
    CHECK(listener.tag == &o2 && listener.name == name_of("r16.n")); /* the queue keeps tag and name */
    HeraldCenterRelease(center);
}

static void post_more(struct listener *self, HeraldCenterRef center) {
    if (self->calls <= 3) CHECK(post(center, "r16.n", NULL, NULL) == 0); /* it queues behind the others */
}
RULE(16, posts_during_a_resume_queue_behind) {
    HeraldCenterRef center = keeping_center(0);
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener first = {.letter = 'a', .record = &record, .then = post_more};
    struct listener second = {.letter = 'b', .record = &record};
    struct listener dropping = {.letter = 'd', .record = &record};
    add_with(center, &first, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add_with(center, &second, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add_with(center, &dropping, name_of("r16.n"), NULL, HeraldSuspensionDrop);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    post(center, "r16.n", NULL, NULL);
    HeraldCenterSetSuspended(center, false);
    CHECK_HEARD(&record, "abababdabdabd");
    HeraldCenterRelease(center);
}

static void suspend_again(struct listener *self, HeraldCenterRef center) {
    if (self->calls == 1) HeraldCenterSetSuspended(center, true);
}
RULE(16, suspending_again_from_a_callback_keeps_the_rest) {
    HeraldCenterRef center = keeping_center(0);
    struct listener listener = {.then = suspend_again};
    add_with(center, &listener, name_of("r16.n"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) post(center, "r16.n", NULL, NULL);
    HeraldCenterSetSuspended(center, false);
    CHECK(listener.calls == 1 && HeraldCenterIsSuspended(center));
    HeraldCenterSetSuspended(center, false);
    CHECK(listener.calls == 3);
    HeraldCenterRelease(center);
}

static void suspend_and_resume(struct listener *self, HeraldCenterRef center) {
    int before = self->calls;
    HeraldCenterSetSuspended(center, true);
    HeraldCenterSetSuspended(center, false);
    CHECK(self->calls == before); /* the running delivery continues with the rest */
}
RULE(16, resuming_from_a_callback_goes_on_with_the_rest) {
    HeraldCenterRef center = keeping_center(0);
    struct listener listener = {.then = suspend_and_resume};
    add_with(center, &listener, name_of("r16.n"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) post(center, "r16.n", NULL, NULL);
    HeraldCenterSetSuspended(center, false);
    CHECK(listener.calls == 3);
    HeraldCenterRelease(center);
}

static struct counted r16_info;
static void released_after_what_was_held(void *observer) {
    CHECK(r16_info.references == 0);
    listener_released(observer);
}
RULE(16, removing_a_registration_drops_what_is_held_before_its_release) {
    HeraldCenterRef center = keeping_center(0);
    struct listener listener = {0}, other = {0};
    HeraldObserverOptions options = {
        .size = sizeof options, .suspensionBehavior = HeraldSuspensionHold, .release = released_after_what_was_held};
    HeraldToken token;
    r16_info.references = 0;
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, name_of("r16.n"), NULL, &options,
                                             &token) == HeraldOK);
    add_with(center, &other, name_of("r16.m"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 5; i++) post(center, "r16.n", NULL, &r16_info);
    post(center, "r16.m", NULL, NULL);
    CHECK(r16_info.references == 5);
    CHECK(HeraldCenterRemoveToken(center, token));
    CHECK(listener.released == 1);
    HeraldCenterSetSuspended(center, false);
    CHECK(listener.calls == 0 && other.calls == 1);
    HeraldCenterRelease(center);
}

RULE(16, a_center_that_dies_gives_back_what_it_holds) {
    HeraldCenterRef center = keeping_center(0);
    struct listener listener = {0};
    struct counted info = {0}, object = {0};
    add_with(center, &listener, NULL, NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 5; i++) post(center, "r16.n", &object, &info);
    CHECK(info.references == 5 && object.references == 5);
    HeraldCenterRelease(center);
    CHECK(info.references == 0 && object.references == 0 && listener.calls == 0 && listener.released == 1);
}

/* Threads post numbers while another suspends and resumes: each thread's numbers arrive in order, none twice. */
enum { NUMBERS = 20000, POSTERS = 2 };
static atomic_int r16_next[POSTERS];
static void check_number(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    intptr_t number = (intptr_t)userInfo, poster = number % POSTERS;
    CHECK(number / POSTERS == r16_next[poster]);
    r16_next[poster] = (int)(number / POSTERS) + 1;
}
static const void *keep_word(const void *word) { return word; }
struct poster {
    HeraldCenterRef center;
    intptr_t index;
};
static void *post_numbers(void *context) {
    struct poster *poster = context;
    for (intptr_t i = 0; i < NUMBERS; i++)
        HeraldCenterPostNotification(poster->center, name_of("r16.n"), NULL, (void *)(i * POSTERS + poster->index),
                                     false);
    return NULL;
}
RULE(16, nothing_overtakes_while_threads_post_and_one_resumes) {
    HeraldCenterOptions options = {.size = sizeof options, .retainUserInfo = keep_word, .heldPostLimit = NUMBERS * 4};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    struct poster posters[POSTERS];
    pthread_t threads[POSTERS];
    CHECK(HeraldCenterAddObserver(center, &r16_next, check_number, name_of("r16.n"), NULL, HeraldSuspensionHold) ==
          HeraldOK);
    /* One poster at a time: a post that is running when the center is suspended may end after a later one. */
    for (intptr_t i = 0; i < POSTERS; i++) {
        r16_next[i] = 0;
        posters[i] = (struct poster){center, i};
        HeraldCenterSetSuspended(center, true);
        pthread_create(&threads[i], NULL, post_numbers, &posters[i]);
        usleep(1000);
        HeraldCenterSetSuspended(center, false);
        pthread_join(threads[i], NULL);
        CHECK(r16_next[i] == NUMBERS);
    }
    HeraldCenterRelease(center);
}

static void post_to_self_while_suspended(struct listener *self, HeraldCenterRef center) {
    if (self->calls > 3) return;
    HeraldCenterSetSuspended(center, true);
    CHECK(post(center, "r16.n", NULL, NULL) == 0);
}
RULE(16, what_is_held_stays_held_while_a_drain_is_cut_short) {
    HeraldCenterRef center = keeping_center(0);
    struct listener listener = {.then = post_to_self_while_suspended};
    add_with(center, &listener, name_of("r16.n"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    for (int i = 1; i <= 3; i++) {
        HeraldCenterSetSuspended(center, false);
        CHECK(listener.calls == i);
    }
    HeraldCenterRelease(center);
}

static void post_to_self(struct listener *self, HeraldCenterRef center) {
    CHECK(self->calls < 10);
    CHECK(post(center, "r16.n", NULL, NULL) == 0);
}
RULE(16, a_flush_ends_with_what_was_queued_when_it_began) {
    HeraldCenterRef center = keeping_center(0);
    struct listener held = {.then = post_to_self}, now = {0};
    add_with(center, &held, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add_with(center, &now, name_of("r16.urgent"), NULL, HeraldSuspensionDeliverImmediately);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    CHECK(post(center, "r16.urgent", NULL, NULL) == 1);
    CHECK(held.calls == 1 && now.calls == 1);
    CHECK(post(center, "r16.urgent", NULL, NULL) == 1);
    CHECK(held.calls == 2 && now.calls == 2);
    HeraldCenterRelease(center);
}

static void urge_and_suspend(struct listener *self, HeraldCenterRef center) {
    if (self->calls > 1) return;
    CHECK(post(center, "r16.urgent", NULL, NULL) == 0); /* behind the running delivery */
    HeraldCenterSetSuspended(center, true);
}
RULE(16, who_hears_immediately_is_not_left_behind_by_suspending) {
    HeraldCenterRef center = keeping_center(0);
    struct listener held = {.then = urge_and_suspend}, now = {0};
    add_with(center, &held, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add_with(center, &now, name_of("r16.urgent"), NULL, HeraldSuspensionDeliverImmediately);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    HeraldCenterSetSuspended(center, false);
    CHECK(now.calls == 1 && HeraldCenterIsSuspended(center));
    HeraldCenterRelease(center);
}

static struct listener r16_added;
static void add_urgent(struct listener *self, HeraldCenterRef center) {
    (void)self;
    add(center, &r16_added, name_of("r16.urgent"), NULL);
}
RULE(16, added_by_a_flush_is_not_called_by_the_post_that_flushed) {
    HeraldCenterRef center = keeping_center(0);
    struct listener held = {.then = add_urgent}, now = {0};
    r16_added = (struct listener){0};
    add_with(center, &held, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add(center, &now, name_of("r16.urgent"), NULL);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    CHECK(post(center, "r16.urgent", NULL, NULL) == 1); /* R5 */
    CHECK(r16_added.calls == 0);
    HeraldCenterRelease(center);
}

static void release_and_churn(struct listener *self, HeraldCenterRef center) {
    HeraldCenterRelease(center);
    for (int i = 0; i < 5000; i++) { /* makes the reclaimer run */
        struct listener other = {0};
        add(self->context, &other, name_of("r16.n"), NULL);
        CHECK(HeraldCenterRemoveToken(self->context, other.token));
    }
}
RULE(16, a_center_may_be_released_by_what_a_flush_delivers) {
    HeraldCenterRef center = keeping_center(0), other = new_center();
    struct listener held = {.then = release_and_churn, .context = other}, now = {0};
    add_with(center, &held, name_of("r16.n"), NULL, HeraldSuspensionHold);
    add_with(center, &now, name_of("r16.urgent"), NULL, HeraldSuspensionDeliverImmediately);
    HeraldCenterSetSuspended(center, true);
    post(center, "r16.n", NULL, NULL);
    CHECK(post(center, "r16.urgent", NULL, NULL) == 0);
    CHECK(held.released == 1 && now.released == 1 && now.calls == 0);
    HeraldCenterRelease(other);
}

/* ---- Resuming while threads go on posting ------------------------------------------------------------------------ */

struct load {
    HeraldCenterRef center;
    struct step step;
    atomic_bool stop;
    atomic_long synchronous; /* posts in a row that called their observer themselves */
    pthread_mutex_t lock;
};

static void take_twenty_microseconds(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                     const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 20000);
    ++*(atomic_long *)observer;
}

static void *post_until_stop(void *context) {
    struct load *load = context;
    for (long posts = 1; !load->stop; posts++) {
        bool called = post(load->center, "r16.load", NULL, NULL) == 1;
        load->synchronous = called ? load->synchronous + 1 : 0;
        if (posts == 100) step_reach(&load->step, 1);
    }
    return NULL;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Suspends, lets `make_load` post, and resumes. The resume returns, and soon the posts call their observer themselves
 * again. */
static void resume_beside(void *(*make_load)(void *), size_t limit) {
    struct load load = {.center = keeping_center(limit)};
    atomic_long calls = 0;
    pthread_t thread;
    CHECK(HeraldCenterAddObserver(load.center, &calls, take_twenty_microseconds, name_of("r16.load"), NULL,
                                  HeraldSuspensionHold) == HeraldOK);
    HeraldCenterSetSuspended(load.center, true);
    pthread_create(&thread, NULL, make_load, &load);
    CHECK(step_await(&load.step, 1));
    HeraldCenterSetSuspended(load.center, false); /* returns */
    for (double end = seconds() + PATIENCE; load.synchronous < 100 && seconds() < end;) sched_yield();
    CHECK(load.synchronous >= 100);
    load.stop = true;
    pthread_join(thread, NULL);
    CHECK(HeraldCenterGetDroppedPostCount(load.center) + (uint64_t)calls > 100);
    HeraldCenterRelease(load.center);
}
RULE(16, a_resume_ends_beside_a_thread_that_posts_for_ever) { resume_beside(post_until_stop, 0); }

static void post_inside(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    post_until_stop(observer);
}
static void *post_for_ever_in_a_callback(void *context) {
    HeraldCenterRef other = new_center();
    CHECK(HeraldCenterAddObserver(other, context, post_inside, name_of("r16.outer"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    post(other, "r16.outer", NULL, NULL);
    HeraldCenterRelease(other);
    return NULL;
}
RULE(16, a_resume_ends_beside_a_callback_that_posts_for_ever) { resume_beside(post_for_ever_in_a_callback, 100); }

/* The poster holds a lock that the drainer's callback needs: the poster must not wait for ever. */
static void take_lock(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    struct load *load = observer;
    step_reach(&load->step, 1);
    pthread_mutex_lock(&load->lock);
    load->synchronous++;
    pthread_mutex_unlock(&load->lock);
}
static void *resume(void *context) {
    HeraldCenterSetSuspended(((struct load *)context)->center, false);
    return NULL;
}
RULE(16, a_post_does_not_wait_for_a_callback_that_waits_for_its_thread) {
    struct load load = {.center = keeping_center(0), .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    CHECK(HeraldCenterAddObserver(load.center, &load, take_lock, name_of("r16.n"), NULL, HeraldSuspensionHold) ==
          HeraldOK);
    HeraldCenterSetSuspended(load.center, true);
    post(load.center, "r16.n", NULL, NULL);
    pthread_mutex_lock(&load.lock);
    pthread_create(&thread, NULL, resume, &load);
    CHECK(step_await(&load.step, 1));
    for (int i = 0; i < 100; i++) CHECK(post(load.center, "r16.n", NULL, NULL) == 0); /* queued after all */
    pthread_mutex_unlock(&load.lock);
    pthread_join(thread, NULL);
    CHECK(load.synchronous == 101);
    HeraldCenterRelease(load.center);
}

/* Posts in a callback of another center, while the resumed center waits in a callback of its own. */
static void post_ten_to_another(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                const void *userInfo) {
    (void)center, (void)object, (void)userInfo;
    struct load *load = observer;
    for (int i = 0; i < 10; i++) HeraldCenterPostNotification(load->center, name, NULL, NULL, false);
}
RULE(16, no_limit_of_held_posts_is_too_large_to_be_one) {
    static const size_t limits[] = {(size_t)1 << 62, SIZE_MAX / 4 + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct load load = {.center = keeping_center(limits[i]), .lock = PTHREAD_MUTEX_INITIALIZER};
        HeraldCenterRef other = new_center();
        pthread_t thread;
        CHECK(HeraldCenterAddObserver(load.center, &load, take_lock, name_of("r16.n"), NULL, HeraldSuspensionHold) ==
              HeraldOK);
        CHECK(HeraldCenterAddObserver(other, &load, post_ten_to_another, name_of("r16.n"), NULL,
                                      HeraldSuspensionHold) == HeraldOK);
        HeraldCenterSetSuspended(load.center, true);
        post(load.center, "r16.n", NULL, NULL);
        pthread_mutex_lock(&load.lock);
        pthread_create(&thread, NULL, resume, &load);
        CHECK(step_await(&load.step, 1));
        CHECK(post(other, "r16.n", NULL, NULL) == 1);
        pthread_mutex_unlock(&load.lock);
        pthread_join(thread, NULL);
        CHECK(load.synchronous == 11 && HeraldCenterGetDroppedPostCount(load.center) == 0);
        HeraldCenterRelease(load.center);
        HeraldCenterRelease(other);
    }
}

/* The drainer's own callback posts more than the limit: earlier posts are delivered first, and nothing is lost. */
static intptr_t r16_sent;
static bool r16_seen[1000];
static void post_ten(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                     const void *userInfo) {
    (void)observer, (void)object;
    CHECK(!r16_seen[(intptr_t)userInfo]);
    r16_seen[(intptr_t)userInfo] = true;
    for (int i = 0; i < 10 && r16_sent < 1000; i++)
        HeraldCenterPostNotification(center, name, NULL, (void *)r16_sent++, false);
}
RULE(16, a_drainer_that_posts_more_than_is_kept_loses_nothing) {
    HeraldCenterOptions options = {.size = sizeof options, .retainUserInfo = keep_word, .heldPostLimit = 5};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    CHECK(HeraldCenterAddObserver(center, &r16_sent, post_ten, name_of("r16.n"), NULL, HeraldSuspensionHold) ==
          HeraldOK);
    HeraldCenterSetSuspended(center, true);
    r16_sent = 0;
    memset(r16_seen, 0, sizeof r16_seen);
    HeraldCenterPostNotification(center, name_of("r16.n"), NULL, (void *)r16_sent++, false);
    HeraldCenterSetSuspended(center, false);
    CHECK(!memchr(r16_seen, 0, sizeof r16_seen) && HeraldCenterGetDroppedPostCount(center) == 0);
    HeraldCenterRelease(center);
}
