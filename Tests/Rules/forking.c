/* R18: the child of a fork. */
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static int o1;

static struct {
    HeraldCenterRef center;
    atomic_bool stop;
    struct listener busy, churned[2];
} r18;

static void *post_without_end(void *context) {
    (void)context;
    while (!r18.stop) HeraldCenterPostNotification(r18.center, name_of("r18.n"), &o1, NULL, false);
    return NULL;
}
static void *churn_without_end(void *context) {
    struct listener *listener = context;
    char text[32];
    for (unsigned i = 0; !r18.stop; i++) {
        snprintf(text, sizeof text, "r18.%u", i % 1000);
        HeraldToken token;
        CHECK(HeraldCenterAddObserverWithOptions(r18.center, listener, listener_hear,
                                                 i % 2 ? name_of("r18.n") : name_of(text), i % 3 ? &o1 : NULL, NULL,
                                                 &token) == HeraldOK);
        if (i % 5) {
            HeraldCenterRemoveToken(r18.center, token);
        } else {
            HeraldCenterRemoveEveryObserverAndWait(r18.center, listener);
        }
        if (i % 100 == 0) HeraldCenterSetSuspended(r18.center, i % 200 == 0);
    }
    HeraldCenterSetSuspended(r18.center, false);
    return NULL;
}
static void use_everything(void) {
    struct listener mine = {0};
    HeraldCenterSetSuspended(r18.center, false);
    add(r18.center, &mine, name_of("r18.n"), NULL);
    HeraldCenterPostNotification(r18.center, name_of("r18.n"), &o1, NULL, false);
    CHECK(mine.calls == 1);
    CHECK(HeraldCenterRemoveTokenAndWait(r18.center, mine.token));
    CHECK(mine.released == 1);
    for (int i = 0; i < 3000; i++) { /* the reclaimer too */
        add(r18.center, &mine, name_of("r18.n"), NULL);
        mine.released = 0;
        CHECK(HeraldCenterRemoveToken(r18.center, mine.token));
    }
    HeraldCenterRef center = new_center();
    add(center, &mine, NULL, NULL);
    HeraldCenterRelease(center);
}
RULE(18, the_child_of_a_fork_may_go_on_whatever_other_threads_did) {
    r18.center = new_center();
    r18.stop = false;
    pthread_t threads[4];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, post_without_end, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&threads[2 + i], NULL, churn_without_end, &r18.churned[i]);
    for (int i = 0; i < 25; i++) {
        usleep(1000);
        if (!child_passed(use_everything)) break;
    }
    r18.stop = true;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    HeraldCenterRelease(r18.center);
}

static struct step r18_step;
static struct listener r18_running;
static void stay_inside(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    step_reach(&r18_step, 1);
    step_await(&r18_step, 2);
}
static void *post_r18(void *center) {
    HeraldCenterPostNotification(center, name_of("r18.n"), NULL, NULL, false);
    return NULL;
}
/* A registration is removed while a thread is in its call: its release is left to that thread. */
static pthread_t remove_while_running(void) {
    pthread_t thread;
    r18.center = new_center();
    r18_step.reached = 0;
    r18_running = (struct listener){.then = stay_inside};
    add(r18.center, &r18_running, name_of("r18.n"), NULL);
    pthread_create(&thread, NULL, post_r18, r18.center);
    CHECK(step_await(&r18_step, 1));
    HeraldCenterRemoveToken(r18.center, r18_running.token);
    return thread;
}
static void expect_the_release(void) {
    HeraldCenterRemoveEveryObserver(r18.center, &r18_step); /* any call that changes a center */
    CHECK(r18_running.released == 1);
    HeraldCenterRelease(r18.center);
    CHECK(r18_running.released == 1);
}
RULE(18, a_release_owed_to_a_call_of_the_parent_runs_in_the_child) {
    pthread_t thread = remove_while_running();
    CHECK(r18_running.released == 0);
    child_passed(expect_the_release);
    CHECK(r18_running.released == 0); /* the parent's release has not run in the parent */
    step_reach(&r18_step, 2);
    pthread_join(thread, NULL);
    CHECK(r18_running.released == 1);
    HeraldCenterRelease(r18.center);
}

static void wait_for_the_release(void) {
    CHECK(!HeraldCenterRemoveTokenAndWait(r18.center, r18_running.token));
    CHECK(r18_running.released == 1);
}
static void fork_while_running(void (*in_child)(void)) {
    pthread_t thread = remove_while_running();
    child_passed(in_child);
    step_reach(&r18_step, 2);
    pthread_join(thread, NULL);
    HeraldCenterRelease(r18.center);
}
RULE(18, the_child_may_wait_for_a_release_of_the_parent) { fork_while_running(wait_for_the_release); }

static void fork_again(void) {
    child_passed(wait_for_the_release); /* before this process has run the inherited releases */
    wait_for_the_release();
}
RULE(18, what_a_child_inherits_its_own_child_inherits) { fork_while_running(fork_again); }

static int r18_status;
static void fork_in_release(void *observer) {
    listener_released(observer);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(WATCHDOG);
        r18.stop = true; /* this is the child */
        return;
    }
    step_reach(&r18_step, 2); /* now the call may end for which the removal waits */
    waitpid(child, &r18_status, 0);
}
RULE(18, a_release_hook_may_fork_while_a_removal_waits) {
    r18.center = new_center();
    r18.stop = false;
    r18_step.reached = 0;
    r18_running = (struct listener){.then = stay_inside};
    HeraldObserverOptions options = {.size = sizeof options, .release = fork_in_release};
    CHECK(HeraldCenterAddObserverWithOptions(r18.center, &r18_running, listener_hear, name_of("r18.other"), NULL,
                                             &options, NULL) == HeraldOK);
    options.release = NULL;
    CHECK(HeraldCenterAddObserverWithOptions(r18.center, &r18_running, listener_hear, name_of("r18.n"), NULL, &options,
                                             NULL) == HeraldOK);
    pthread_t thread;
    pthread_create(&thread, NULL, post_r18, r18.center);
    CHECK(step_await(&r18_step, 1));
    HeraldCenterRemoveEveryObserverAndWait(r18.center, &r18_running); /* in the child no thread is in a call: returns */
    if (r18.stop) _exit(r18_running.released == 1 ? 0 : 3);
    CHECK(r18_status == 0);
    pthread_join(thread, NULL);
    HeraldCenterRelease(r18.center);
}

static void fork_inside(struct listener *self, HeraldCenterRef center) {
    pid_t child = fork();
    if (child == 0) {
        alarm(WATCHDOG);
        bool removed = HeraldCenterRemoveTokenAndWait(center, self->token) && self->released == 0;
        self->context = self; /* this is the child */
        if (!removed) _exit(1);
        return;
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}
RULE(18, a_callback_may_fork) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = fork_inside}, next = {0};
    add(center, &listener, name_of("r18.n"), NULL);
    add(center, &next, name_of("r18.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r18.n"), NULL, NULL, false);
    if (listener.context) _exit(listener.released == 1 && next.calls == 1 ? 0 : 2);
    CHECK(listener.released == 0 && next.calls == 1);
    HeraldCenterRelease(center);
}

/* A removal, or a center's end, has made slots PENDING, and drops a held post before it runs their releases. The child
 * inherits the slots in that state. */
static pid_t r18_child;
static bool r18_uses; /* the child already changes the center in the hook */
static const void *keep_user_info(const void *userInfo) { return userInfo; }
static void change_something(HeraldCenterRef center) {
    struct listener another = {0};
    add(center, &another, name_of("r18.other"), NULL);
    HeraldCenterRemoveEveryObserver(center, &another);
}
static void fork_and_give_up(const void *userInfo) {
    (void)userInfo;
    if (r18_child >= 0) return;
    fflush(NULL);
    r18_child = fork();
    if (r18_child != 0) return;
    alarm(WATCHDOG);
    if (r18_uses) change_something(r18.center);
}
static void end_with_a_fork(bool uses, bool closes) {
    r18_child = -1;
    r18_uses = uses;
    HeraldCenterOptions options = {
        .size = sizeof options, .retainUserInfo = keep_user_info, .releaseUserInfo = fork_and_give_up};
    r18.center = HeraldCenterCreate(&options);
    HeraldObserverOptions holds = {
        .size = sizeof holds, .suspensionBehavior = HeraldSuspensionHold, .release = listener_released};
    struct listener listeners[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        CHECK(HeraldCenterAddObserverWithOptions(r18.center, &listeners[i], listener_hear, name_of("r18.n"), NULL,
                                                 &holds, NULL) == HeraldOK);
    CHECK(HeraldCenterAddObserverWithOptions(r18.center, &listeners[0], listener_hear, name_of("r18.more"), NULL,
                                             &holds, NULL) == HeraldOK);
    HeraldCenterSetSuspended(r18.center, true);
    HeraldCenterPostNotification(r18.center, name_of("r18.more"), NULL, "userInfo", false);
    if (!closes) HeraldCenterRemoveEveryObserver(r18.center, &listeners[0]);
    HeraldCenterRelease(r18.center);
    HeraldCenterRef other = new_center(); /* its change runs the inherited releases */
    change_something(other);
    HeraldCenterRelease(other);
    bool released = listeners[0].released == 2 && listeners[1].released == 1;
    if (r18_child == 0) _exit(released ? 0 : 4);
    int status = -1;
    waitpid(r18_child, &status, 0);
    CHECK(released && status == 0);
}
RULE(18, a_hook_between_a_removal_and_its_releases_may_fork) {
    for (int way = 0; way < 4; way++) end_with_a_fork(way & 1, way & 2);
}

static void nest_then_fork(struct listener *self, HeraldCenterRef center) {
    if (self->calls < 10) {
        HeraldCenterPostNotification(center, name_of("r18.n"), NULL, NULL, false);
    } else if (self->calls == 10) {
        fork_inside(self, center);
    }
}
RULE(18, a_callback_nested_deeper_than_eight_may_fork) { /* its own overflow frames stay, another thread's are gone */
    pthread_t thread = remove_while_running();
    HeraldCenterRef center = r18.center;
    struct listener listener = {.then = nest_then_fork}, next = {0};
    add(center, &listener, name_of("r18.n"), NULL);
    add(center, &next, name_of("r18.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r18.n"), NULL, NULL, false);
    if (listener.context) _exit(listener.released == 1 && next.calls == 10 ? 0 : 2);
    CHECK(listener.calls == 10 && listener.released == 0 && next.calls == 10);
    step_reach(&r18_step, 2);
    pthread_join(thread, NULL);
    HeraldCenterRelease(center);
}
