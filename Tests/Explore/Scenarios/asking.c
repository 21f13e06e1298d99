/* Removals one after the other: the poster answers a request, is fencing, is offline, takes its ticket back. */
#include "../stage.h"

static struct ear e;

static void post_topic_thrice(void) {
    post_topic();
    post_topic();
    post_topic();
}

static void post_name_thrice(void) {
    post_name();
    post_name();
    post_name();
}

static void post_topic_twice(void) {
    post_topic();
    post_topic();
}

static void remove_three(void) {
    HeraldCenterRemoveToken(center, c.token);
    HeraldCenterRemoveToken(center, b.token);
    remove_a_waiting();
}

static void remove_a_and_b(void) {
    remove_a();
    remove_waiting(&b);
}

static void add_d_and_e(void) {
    add_plainly(&d, name);
    add_plainly(&e, name);
}

/* ---- A fencing thread in posts that show their last slots ---------------------------------------------------------
 */

static int subject;

static void begin_with_two_sources(void) {
    begin();
    add_for(&a, name, NULL, HeraldSuspensionDeliverImmediately);
    add_for(&b, name, &subject, HeraldSuspensionDeliverImmediately);
    add_plainly(&c, other_name);
}

static void post_about_subject(void) { HeraldCenterPostNotification(center, name, &subject, NULL, false); }

static void post_other_name(struct ear *self) {
    (void)self;
    HeraldCenterPostNotification(center, other_name, NULL, NULL, false);
}

/* `a` posts another name, whose observer is the last one of that post. Then the walk goes on to `b`. */
static void begin_with_a_walk_and_a_post_in_it(void) {
    begin_with_a_and_b();
    add_plainly(&d, other_name);
    add_plainly(&c, other_name);
    a.then = post_other_name;
}

static void begin_with_a_post_in_a_post(void) {
    begin_with_a();
    add_for(&b, other_name, NULL, HeraldSuspensionDeliverImmediately);
    add_plainly(&c, HeraldNameCreate("third"));
    a.then = post_other_name;
}

static void remove_c_waiting(void) { HeraldCenterRemoveTokenAndWait(center, c.token); }
static void remove_b_waiting(void) { remove_waiting(&b); }

static void sources_are_released(void) {
    HeraldCenterRemoveToken(center, a.token);
    HeraldCenterRemoveToken(center, b.token);
    must_hold(a.released == 1 && b.released == 1, "R10: a release has not run, though all calls are over");
    finish();
}

SCENARIO(fencing_sources_and_removal, begin_with_two_sources, {post_about_subject, remove_b_waiting},
         sources_are_released, .ready = remove_c_waiting, .meets = "LAST_ONLY")
SCENARIO(fencing_walk_with_a_post_and_removal, begin_with_a_walk_and_a_post_in_it, {post_topic, remove_b_waiting},
         sources_are_released, .ready = remove_c_waiting, .meets = "LAST_FRAMES")
SCENARIO(fencing_post_in_a_post_and_removals, begin_with_a_post_in_a_post, {post_topic, remove_b_waiting, remove_a},
         sources_are_released, .ready = remove_c_waiting, .meets = "LAST_STATE")

SCENARIO(topic_and_three_removals, begin_with_three, {post_topic_thrice, remove_three}, three_are_released)
SCENARIO(name_and_three_removals, begin_with_three, {post_name_thrice, remove_three}, three_are_released)
SCENARIO(topic_and_two_removers_of_three, begin_with_three, {post_topic_thrice, remove_a_waiting, remove_c_and_b},
         three_are_released)
SCENARIO(fencing_topic_and_removal, begin_with_three, {post_topic_twice, remove_a_waiting}, both_and_c_are_released,
         .ready = remove_c, .meets = "POLL ANSWER_FENCE OUTSIDE")
SCENARIO(fencing_topic_and_two_removals, begin_with_three, {post_topic, remove_a_and_b}, three_are_released,
         .ready = remove_c, .meets = "OFFLINE_LOOK")
SCENARIO(fencing_name_and_two_removals, begin_with_three, {post_name, remove_a_and_b}, three_are_released,
         .ready = remove_c)
SCENARIO(fencing_name_and_removal, begin_with_three, {post_name_twice, remove_a_waiting}, both_and_c_are_released,
         .ready = remove_c)
SCENARIO(fencing_topic_thrice_and_removal, begin_with_three, {post_topic_thrice, remove_a_waiting},
         both_and_c_are_released, .ready = remove_c)
SCENARIO(fencing_topic_and_snapshots, begin_with_three, {post_topic_twice, add_d_and_e}, both_and_c_are_released,
         .ready = remove_c)
SCENARIO(topic_aside_and_removal, begin_with_three, {post_topic_twice, remove_a_waiting}, three_are_released,
         .ready = remove_c_and_b, .meets = "GO_ONLINE")
SCENARIO(name_aside_and_removal, begin_with_three, {post_name_twice, remove_a_waiting}, three_are_released,
         .ready = remove_c_and_b)
