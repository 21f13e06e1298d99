/* Suspended centers, and their resumes. */
#include "../stage.h"

static void begin_holding(void) {
    begin();
    add_for(&a, name, NULL, HeraldSuspensionHold);
}

static void begin_held(void) {
    begin_holding();
    HeraldCenterSetSuspended(center, true);
    post_number(1);
}

static void post_1_and_2(void) {
    post_number(1);
    post_number(2);
}

static void post_2(void) { post_number(2); }

static void flip(void) {
    HeraldCenterSetSuspended(center, true);
    HeraldCenterSetSuspended(center, false);
}

static void suspend(void) { HeraldCenterSetSuspended(center, true); }

static void resume(void) { HeraldCenterSetSuspended(center, false); }

static void heard_1_and_2(void) {
    HeraldCenterSetSuspended(center, false);
    must_hold(a.calls == 2, "R16: a held post was lost, or came twice");
    must_hold(a.heard[0] == 1 && a.heard[1] == 2, "R16: a post has overtaken another");
    finish();
}

static void a_may_have_missed(void) {
    HeraldCenterSetSuspended(center, false);
    HeraldCenterRemoveToken(center, a.token);
    must_hold(a.released == 1, "R10: the release has not run");
    must_hold(a.calls <= 2 && !a.inside, "R16: a held post came twice");
    finish();
}

static void begin_coalescing(void) {
    begin();
    add_for(&a, name, NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
}

static void heard_the_last(void) {
    HeraldCenterSetSuspended(center, false);
    must_hold(a.calls == 1 || a.calls == 2, "R16: a coalesced post was lost, or came twice");
    must_hold(a.heard[a.calls - 1] == 2, "R16: the last of those that were put together has not come, or too early");
    finish();
}

/* The center's end with posts that are held, and a queue that is delivered. */
static void begin_held_and_shared(void) {
    begin_held();
    drop_topic();
    HeraldCenterRetain(center);
}

static void resume_and_release(void) {
    resume();
    HeraldCenterRelease(center);
}

static void post_2_and_release(void) {
    post_2();
    HeraldCenterRelease(center);
}

static void heard_before_the_end(void) {
    must_hold(a.released == 1, "R10: a center has ended, and a release has not run");
    must_hold(a.calls == 2, "R16: a held post was lost, or came twice");
    must_hold(a.heard[0] == 1 && a.heard[1] == 2, "R16: a post has overtaken another");
}

SCENARIO(suspension_flips, begin_holding, {post_1_and_2, flip}, heard_1_and_2)
SCENARIO(resume_under_load, begin_held, {resume, post_2}, heard_1_and_2)
SCENARIO(two_resumes, begin_held, {resume, resume, post_2}, heard_1_and_2)
SCENARIO(suspend_and_resume_and_post, begin_held, {resume, suspend, post_2}, heard_1_and_2)
SCENARIO(removal_of_a_held_one, begin_held, {resume, remove_a, post_2}, a_may_have_missed)
SCENARIO(coalesced_and_resumed, begin_coalescing, {post_1_and_2, resume}, heard_the_last)
SCENARIO(center_released_with_a_queue, begin_held_and_shared, {resume_and_release, post_2_and_release},
         heard_before_the_end)
