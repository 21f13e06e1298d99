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

/* Held posts are delivered alone: a later post does not call before the delivery has returned. */
static void is_alone(struct ear *self) {
    must_hold(self->inside == 1, "R16: a post has overtaken a delivery that has not returned");
}

static void begin_held_alone(void) {
    begin_held();
    a.then = is_alone;
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

/* The center ends with held posts, and during the delivery of its queue. */
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

/* A post in a callback while another thread resumes: it does not wait. */
static void post_2_from_within(struct ear *self) {
    (void)self;
    post_2();
}

static void post_2_of_other(void) { HeraldCenterPostNotification(center, other_name, NULL, NULL, false); }

static HeraldNameRef outer; /* the name that b observes */

static void add_b_that_posts(void) {
    outer = HeraldNameCreate("outer");
    add_for(&b, outer, NULL, HeraldSuspensionDeliverImmediately);
    b.then = post_2_from_within;
}

static void begin_held_with_b_that_posts(void) {
    begin_held();
    add_b_that_posts();
}

static void post_outer(void) { HeraldCenterPostNotification(center, outer, NULL, NULL, true); }

static const void *keep(const void *value) { return value; }

/* A limit of one, and two posts: the older one may be dropped, and is counted. */
static void begin_held_up_to_one(void) {
    HeraldCenterOptions options = {
        .size = sizeof options, .retainUserInfo = keep, .retainObject = keep, .heldPostLimit = 1};
    begin();
    drop_topic();
    HeraldCenterRelease(center);
    center = HeraldCenterCreate(&options);
    add_for(&a, name, NULL, HeraldSuspensionHold);
    add_b_that_posts();
    HeraldCenterSetSuspended(center, true);
    post_number(1);
}

static void heard_or_counted(void) {
    HeraldCenterSetSuspended(center, false);
    uint64_t dropped = HeraldCenterGetDroppedPostCount(center);
    must_hold((uint64_t)a.calls + dropped == 2, "R16: a post was lost and not counted");
    for (int i = 1; i < a.calls; i++) must_hold(a.heard[i - 1] <= a.heard[i], "R16: a post has overtaken another");
    finish();
}

/* An observer that is added while the center is suspended is called at the resume, and not by a post that began
 * before. */
static void suspend_and_add_a(void) {
    suspend();
    add_for(&a, name, NULL, HeraldSuspensionHold);
}

static void post_about_an_object(void) {
    static int object;
    HeraldCenterPostNotification(center, name, &object, NULL, false);
}

/* In addition to b, which is there all the time and hears at once, whether or not the post falls back to the slow
 * path. */
static void begin_with_b(void) {
    begin();
    add_for(&b, name, NULL, HeraldSuspensionHold);
}

static void post_at_once(void) { HeraldCenterPostNotification(center, name, NULL, NULL, true); }

static void b_has_heard_at_once(void) {
    must_hold(b.calls == 1, "R16: a post that reaches every observer at once was held");
    finish();
}

static void a_has_not_heard_yet(void) {
    must_hold(a.calls == 0, "R16: an observer of a suspended center was called");
    resume();
    must_hold(a.calls <= 1, "R16: a held post came twice");
    finish();
}

static void heard_1_and_2_in_time(void) {
    must_hold(!was_late(), "R16: nobody has woken a post that waits");
    heard_1_and_2();
}

SCENARIO(suspension_and_post_by_topic, begin, {post_topic, suspend_and_add_a}, a_has_not_heard_yet)
SCENARIO(suspension_and_post_by_name, begin, {post_name, suspend_and_add_a}, a_has_not_heard_yet,
         .meets = "QUEUE_AFTER")
SCENARIO(suspension_and_first_post, begin, {post_name, suspend_and_add_a}, a_has_not_heard_yet, .newcomers = true)
SCENARIO(suspension_and_post_about_an_object, begin, {post_about_an_object, suspend_and_add_a}, a_has_not_heard_yet,
         .meets = "QUEUE_AFTER")
SCENARIO(suspension_and_post_at_once, begin_with_b, {post_at_once, suspend_and_add_a}, b_has_heard_at_once)
SCENARIO(suspension_flips, begin_holding, {post_1_and_2, flip}, heard_1_and_2)
SCENARIO(resume_under_load, begin_held_alone, {resume, post_2}, heard_1_and_2, .meets = "IN_HAND")
SCENARIO(resume_and_posts_that_wait, begin_held_alone, {resume, post_2, post_2_of_other}, heard_1_and_2_in_time,
         .meets = "BACKLOG_WAKE")
SCENARIO(resume_and_post_in_a_callback, begin_held_with_b_that_posts, {resume, post_outer}, heard_1_and_2)
SCENARIO(resume_and_more_than_it_may_keep, begin_held_up_to_one, {resume, post_outer}, heard_or_counted)
SCENARIO(two_resumes, begin_held, {resume, resume, post_2}, heard_1_and_2)
SCENARIO(suspend_and_resume_and_post, begin_held, {resume, suspend, post_2}, heard_1_and_2)
SCENARIO(removal_of_a_held_one, begin_held, {resume, remove_a, post_2}, a_may_have_missed)
SCENARIO(coalesced_and_resumed, begin_coalescing, {post_1_and_2, resume}, heard_the_last)
SCENARIO(center_released_with_a_queue, begin_held_and_shared, {resume_and_release, post_2_and_release},
         heard_before_the_end)
