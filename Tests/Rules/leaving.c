/* R17: callbacks that do not return, but end their thread or are unwound. */
#include "check.h"

#include <setjmp.h>
#include <unwind.h>

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

/* Leaves all calls up to that of `post_and_be_left`, like an exception that is caught there. */
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

/* A list of nine, of which three in the middle have ended. The listener is in front of them or behind them. */
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
    if (UNDER_ADDRESS_SANITIZER) return; /* the sanitizer's marks stay on the stack in the frames that are left */
#ifndef __GLIBC__
    return; /* a static program with musl does not unwind */
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
          1); /* the remaining deliveries go first */
    CHECK(other.calls == 2);
    HeraldCenterRelease(center);
}
