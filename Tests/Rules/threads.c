/* R14, R17, R18, R20: what a post costs, callbacks that do not return, fork, threads that come and go. */
#include "check.h"

#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unwind.h>

static int o1;

/* Memory is measured in a child process, where no other thread allocates. */

/* R14 ------------------------------------------------------------------------------------------------------------- */

static void measure_posts(void) {
    HeraldCenterRef center = new_center();
    struct listener listeners[20];
    memset(listeners, 0, sizeof listeners);
    for (int i = 0; i < 20; i++) add(center, &listeners[i], i % 4 ? name_of("r14.n") : NULL, i % 3 ? &o1 : NULL);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r14.n"), &o1);
    HeraldCenterPostNotification(center, name_of("r14.n"), &o1, NULL, false);
    struct mallinfo2 before = mallinfo2();
    for (int i = 0; i < 1000; i++) {
        HeraldCenterPostNotification(center, name_of("r14.n"), &o1, NULL, false);
        HeraldTopicPost(topic, NULL);
    }
    struct mallinfo2 after = mallinfo2();
    CHECK(after.uordblks == before.uordblks && after.hblkhd == before.hblkhd);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}
RULE(14, a_post_allocates_nothing_after_the_first) { child_passed(measure_posts); }

static void measure_names(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    size_t used[2];
    for (int round = 0; round < 2; round++) {
        for (uintptr_t i = 1; i <= 20000; i++) {
            HeraldNameRef name = HeraldNameForAddress((void *)(i * 64)); /* names that cost nothing themselves */
            add(center, &listener, name, i % 2 ? &o1 : NULL);
            CHECK(HeraldCenterPostNotification(center, name, &o1, NULL, false) == 1);
            CHECK(HeraldCenterRemoveToken(center, listener.token));
            listener.released = 0;
        }
        struct mallinfo2 info = mallinfo2();
        used[round] = info.uordblks + info.hblkhd;
    }
    CHECK(used[1] <= used[0] + 512 * 1024);
    HeraldCenterRelease(center);
}
RULE(14, names_that_come_and_go_leave_no_memory) { child_passed(measure_names); }

/* R17 ------------------------------------------------------------------------------------------------------------- */

static void end_the_thread(struct listener *self, HeraldCenterRef center) {
    (void)center;
    if (self->context) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    } else {
        pthread_exit(NULL);
    }
}
static void nest_then_end(struct listener *self, HeraldCenterRef center) {
    if (self->calls % 4) {
        HeraldCenterPostNotification(center, self->name, NULL, NULL, false);
    } else {
        end_the_thread(self, center);
    }
}
static void *post_r17(void *center) {
    HeraldCenterPostNotification(center, name_of("r17.n"), NULL, NULL, false);
    CHECK(!"the thread has ended");
    return NULL;
}
RULE(17, a_callback_may_end_its_thread) {
    for (int way = 0; way < 4; way++) {
        HeraldCenterRef center = new_center();
        struct listener listener = {.then = way & 2 ? nest_then_end : end_the_thread,
                                    .context = way & 1 ? &listener : NULL};
        add(center, &listener, name_of("r17.n"), NULL);
        for (int i = 0; i < 20; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, post_r17, center);
            pthread_join(thread, NULL);
        }
        CHECK(listener.calls == (way & 2 ? 80 : 20));
        HeraldCenterRemoveTokenAndWait(center, listener.token); /* nothing is pinned: this returns */
        CHECK(listener.released == 1);
        HeraldCenterRelease(center);
    }
}

static HeraldToken r17_token;
static void remove_and_end(struct listener *self, HeraldCenterRef center) {
    (void)self;
    HeraldCenterRemoveToken(center, r17_token);
    pthread_exit(NULL);
}
RULE(17, a_release_owed_to_a_callback_that_ends_its_thread_runs) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = remove_and_end};
    add(center, &listener, name_of("r17.n"), NULL);
    r17_token = listener.token;
    pthread_t thread;
    pthread_create(&thread, NULL, post_r17, center);
    pthread_join(thread, NULL);
    CHECK(listener.released == 1);
    HeraldCenterRelease(center);
}

/* Leaves all calls up to the one of `post_and_be_left`, as an exception does that is caught there. */
static jmp_buf r17_caught;
static uintptr_t r17_catcher;
static _Unwind_Reason_Code stop_at_the_catcher(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                               struct _Unwind_Exception *thrown, struct _Unwind_Context *context,
                                               void *unused) {
    (void)version, (void)actions, (void)kind, (void)thrown, (void)unused;
    if (_Unwind_GetCFA(context) > r17_catcher) longjmp(r17_caught, 1);
    return _URC_NO_REASON;
}
static void leave(struct listener *self, HeraldCenterRef center) {
    static struct _Unwind_Exception thrown;
    (void)self, (void)center;
    memset(&thrown, 0, sizeof thrown);
    _Unwind_ForcedUnwind(&thrown, stop_at_the_catcher, NULL);
}
static __attribute__((noinline)) void post_and_be_left(struct listener *self, HeraldCenterRef center) {
    volatile char here = 0;
    (void)self;
    r17_catcher = (uintptr_t)&here;
    if (setjmp(r17_caught)) return;
    HeraldCenterPostNotification(center, name_of("r17.inner"), NULL, NULL, false);
    CHECK(!"the post is left");
}

/* A list of nine of which three in the middle have ended; the listener stands before or behind them. */
static void add_among_ended(HeraldCenterRef center, struct listener *listener, bool behind, HeraldNameRef name) {
    static struct listener others[2][9];
    struct listener *all = others[name == name_of("r17.inner")];
    for (int i = 0; i < 9; i++) {
        all[i] = (struct listener){0};
        add(center, i == (behind ? 7 : 1) ? listener : &all[i], name, NULL);
    }
    for (int i = 3; i < 6; i++) CHECK(HeraldCenterRemoveToken(center, all[i].token));
}
RULE(17, leaving_a_post_among_ended_registrations_changes_no_other_count) {
    if (UNDER_ADDRESS_SANITIZER) return; /* the frames that are left keep their marks on the stack */
#ifndef __GLIBC__
    return; /* a static program of musl's does not unwind */
#endif
    for (int way = 0; way < 4; way++) {
        HeraldCenterRef center = new_center();
        HeraldNameRef outer = name_of("r17.outer"), inner = name_of("r17.inner");
        struct listener leaving = {.then = leave}, catching = {.then = post_and_be_left};
        add_among_ended(center, &leaving, way & 1, inner);
        add_among_ended(center, &catching, way & 2, outer);
        for (int i = 1; i <= 3; i++) {
            CHECK(HeraldCenterPostNotification(center, outer, NULL, NULL, false) == 6);
            CHECK(leaving.calls == i && catching.calls == i);
        }
        leaving.then = NULL;
        CHECK(HeraldCenterPostNotification(center, inner, NULL, NULL, false) == 6);
        CHECK(HeraldCenterRemoveTokenAndWait(center, leaving.token)); /* nothing is pinned or shown */
        CHECK(leaving.released == 1);
        HeraldCenterRelease(center);
    }
}

static void *resume_r17(void *center) {
    HeraldCenterSetSuspended(center, false);
    CHECK(!"the thread has ended");
    return NULL;
}
RULE(17, a_delivery_on_resume_may_end_its_thread) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = end_the_thread}, other = {0};
    add_with(center, &listener, name_of("r17.n"), NULL, HeraldSuspensionHold);
    add_with(center, &other, name_of("r17.n"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name_of("r17.n"), NULL, NULL, false);
    pthread_t thread;
    pthread_create(&thread, NULL, resume_r17, center);
    pthread_join(thread, NULL);
    CHECK(listener.calls == 1 && other.calls == 0);
    HeraldCenterRemoveTokenAndWait(center, listener.token);
    CHECK(listener.released == 1);
    CHECK(HeraldCenterPostNotification(center, name_of("r17.n"), NULL, NULL, false) ==
          1); /* what was left goes first */
    CHECK(other.calls == 2);
    HeraldCenterRelease(center);
}

/* R18 ------------------------------------------------------------------------------------------------------------- */

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
/* A registration is removed while a thread is in its call: its release is owed to that thread. */
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
    CHECK(r18_running.released == 0); /* the parent's is the parent's */
    step_reach(&r18_step, 2);
    pthread_join(thread, NULL);
    CHECK(r18_running.released == 1);
    HeraldCenterRelease(r18.center);
}

static void wait_for_the_release(void) {
    CHECK(!HeraldCenterRemoveTokenAndWait(r18.center, r18_running.token));
    CHECK(r18_running.released == 1);
}
RULE(18, the_child_may_wait_for_a_release_of_the_parent) {
    pthread_t thread = remove_while_running();
    child_passed(wait_for_the_release);
    step_reach(&r18_step, 2);
    pthread_join(thread, NULL);
    HeraldCenterRelease(r18.center);
}

static void fork_again(void) {
    child_passed(wait_for_the_release); /* before this process has run what it inherited */
    wait_for_the_release();
}
RULE(18, what_a_child_inherits_its_own_child_inherits) {
    pthread_t thread = remove_while_running();
    child_passed(fork_again);
    step_reach(&r18_step, 2);
    pthread_join(thread, NULL);
    HeraldCenterRelease(r18.center);
}

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
    step_reach(&r18_step, 2); /* now the call may end that the removal waits for */
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
    HeraldCenterRemoveEveryObserverAndWait(r18.center, &r18_running); /* in the child nobody is inside: returns */
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

/* A removal, or a center's end, has made slots PENDING, and gives up a held post before their releases: the child
 * inherits them there. */
static pid_t r18_child;
static bool r18_uses; /* the child changes the center in the hook already */
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
    HeraldCenterRef other = new_center(); /* its change runs what is inherited */
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
RULE(18, a_callback_nested_deeper_than_eight_may_fork) { /* its own frames on the stack stay, another thread's go */
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

/* R20 ------------------------------------------------------------------------------------------------------------- */

static void *post_once(void *center) {
    HeraldCenterPostNotification(center, name_of("r20.n"), NULL, NULL, false);
    return NULL;
}
static void measure_threads(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r20.n"), NULL);
    struct mallinfo2 before = {0}, after;
    for (int i = 0; i < 3000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, post_once, center);
        pthread_join(thread, NULL);
        if (i == 100) before = mallinfo2();
    }
    after = mallinfo2();
    CHECK(listener.calls == 3000);
    CHECK(after.uordblks <= before.uordblks + 4096);
    HeraldCenterRelease(center);
}
RULE(20, threads_that_come_and_go_leave_no_memory) { child_passed(measure_threads); }

static pthread_key_t late_key;
static void post_late(void *center) {
    static _Thread_local int round; /* destructors run again while values are set: past Herald's own */
    CHECK(HeraldCenterPostNotification(center, name_of("r20.n"), NULL, NULL, false) == 1);
    if (++round < 3) pthread_setspecific(late_key, center);
}
static void *post_and_post_late(void *center) {
    pthread_setspecific(late_key, center);
    return post_once(center);
}
static void check_the_tag(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    CHECK(HeraldGetCurrentTag() == NULL);
}
RULE(20, a_thread_may_post_from_its_late_destructors) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = check_the_tag};
    add(center, &listener, name_of("r20.n"), NULL);
    pthread_key_create(&late_key, post_late);
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, post_and_post_late, center);
        pthread_join(thread, NULL);
    }
    CHECK(listener.calls >= 20);
    pthread_key_delete(late_key);
    CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token) && listener.released == 1);
    HeraldCenterRelease(center);
}

/* A thread whose first post is made by the last round of its destructors: nothing tells Herald of its end. */
static pthread_key_t last_key;
static void post_last(void *center) {
    static _Thread_local int round;
    if (++round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(last_key, center);
    } else {
        post_once(center);
    }
}
static void *end_late(void *center) {
    pthread_setspecific(last_key, center);
    return NULL;
}
static void measure_late_threads(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r20.n"), NULL);
    post_once(center); /* Herald's own key is the older one: its destructors have run by then */
    pthread_key_create(&last_key, post_last);
    struct mallinfo2 before = {0}, after;
    for (int i = 0; i < 5000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, end_late, center);
        pthread_join(thread, NULL);
        if (i == 500) before = mallinfo2();
    }
    after = mallinfo2();
    CHECK(listener.calls == 5001);
    CHECK(after.uordblks <= before.uordblks + 4096);
    CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token) && listener.released == 1);
    HeraldCenterRelease(center);
}
/* The thread sanitizer has given a thread up by then, and cannot run any of its code. */
RULE(20, threads_whose_first_post_is_their_last_act_leave_no_memory) {
    if (!UNDER_THREAD_SANITIZER) child_passed(measure_late_threads);
}

/* Memory that is given back (R14) ---------------------------------------------------------------------------------- */

enum { PEAK = 200000, PEAK_NAMES = 20000 };

/* What the process has in memory, without what the heap has free. */
static long resident(void) {
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) check_failed(__FILE__, __LINE__, "statm can be read");
    if (file) fclose(file);
    return pages * sysconf(_SC_PAGESIZE) - (long)mallinfo2().fordblks;
}
static long in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

static void hear_nothing(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static HeraldToken *tokens;

/* Each observer once, on one name, or on each of many. */
static void add_to_peak(HeraldCenterRef center, int names) {
    for (uintptr_t i = 0; i < PEAK; i++) {
        HeraldNameRef name = HeraldNameForAddress((void *)(64 + 64 * (i % (unsigned)names)));
        CHECK(HeraldCenterAddObserverWithOptions(center, (void *)(8 * (i + 1)), hear_nothing, name, NULL, NULL,
                                                 &tokens[i]) == HeraldOK);
    }
}
/* In no order: 7919 is prime. */
static void remove_from_peak(HeraldCenterRef center) {
    for (uint64_t i = 0, at = 0; i < PEAK; i++, at = (at + 7919) % PEAK) HeraldCenterRemoveToken(center, tokens[at]);
}

static void measure_peaks(void) {
    static const int names[] = {1, PEAK_NAMES, 1};
    HeraldCenterRef center = new_center();
    tokens = calloc(PEAK, sizeof *tokens);
    memset(tokens, 1, PEAK * sizeof *tokens);
    HeraldCenterPostNotification(center, name_of("r14"), NULL, NULL, false);
    long used = in_use(), held = resident();
    for (int i = 0; i < 3; i++) {
        add_to_peak(center, names[i]);
        remove_from_peak(center);
        CHECK(in_use() <= used + 256 * 1024);
        CHECK(resident() <= held + 1024 * 1024 || UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER);
    }
    for (int i = 0; i < PEAK; i++) CHECK(!HeraldCenterRemoveToken(center, tokens[i]));
    add_to_peak(center, 1);
    for (int i = 0; i < PEAK; i++) tokens[i].registration -= UINT64_C(1) << 32; /* the generation before */
    remove_from_peak(center);
    CHECK(HeraldCenterPostNotification(center, HeraldNameForAddress((void *)64), NULL, NULL, false) == PEAK);
    HeraldCenterRelease(center);
    CHECK(in_use() <= used + 32 * 1024);
    CHECK(resident() <= held + 512 * 1024 || UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER);
}
RULE(14, a_center_gives_memory_back_after_a_peak_and_all_of_it_when_it_is_released) { child_passed(measure_peaks); }

/* A thread that is interrupted for long, most times in the midst of a look-up by name. */
static atomic_int rested, resting_goes_on;
static void rest(int signal) {
    (void)signal;
    const struct timespec a_while = {0, 30000000};
    nanosleep(&a_while, NULL);
    rested++;
}
static void *post_and_rest(void *center) {
    unblock(SIGUSR1);
    while (resting_goes_on) HeraldCenterPostNotification(center, name_of("r14.rest"), NULL, NULL, false);
    return NULL;
}
static void measure_resting(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    pthread_t poster;
    struct sigaction action = {.sa_handler = rest};
    sigaction(SIGUSR1, &action, NULL);
    add(center, &listener, name_of("r14.rest"), NULL);
    resting_goes_on = 1;
    long most = 0, used = in_use();
    pthread_create(&poster, NULL, post_and_rest, center);
    for (int round = 0; round < 40; round++) {
        usleep(3000);
        int before = rested;
        pthread_kill(poster, SIGUSR1);
        while (rested == before) {
            HeraldToken token;
            CHECK(HeraldCenterAddObserverWithOptions(center, &o1, hear_nothing, name_of("r14.rest"), NULL, NULL,
                                                     &token) == HeraldOK);
            HeraldCenterRemoveToken(center, token);
            if (in_use() - used > most) most = in_use() - used;
        }
    }
    resting_goes_on = 0;
    pthread_join(poster, NULL);
    CHECK(most <= 2 * 1024 * 1024);
    HeraldCenterRelease(center);
}
RULE(14, what_waits_to_be_freed_stays_little_while_a_post_rests) { child_passed(measure_resting); }
