/* Removals one after the other: the poster is asked, is guarded, is set aside, takes its ticket back. */
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

SCENARIO(topic_and_three_removals, begin_with_three, {post_topic_thrice, remove_three}, three_are_released)
SCENARIO(name_and_three_removals, begin_with_three, {post_name_thrice, remove_three}, three_are_released)
SCENARIO(topic_and_two_removers_of_three, begin_with_three, {post_topic_thrice, remove_a_waiting, remove_c_and_b},
         three_are_released)
SCENARIO(guarded_topic_and_removal, begin_with_three, {post_topic_twice, remove_a_waiting}, both_and_c_are_released,
         .ready = remove_c, .meets = "HEAR ANSWER_FENCE OUTSIDE")
SCENARIO(guarded_topic_and_two_removals, begin_with_three, {post_topic, remove_a_and_b}, three_are_released,
         .ready = remove_c, .meets = "ASIDE_LOOK")
SCENARIO(guarded_name_and_two_removals, begin_with_three, {post_name, remove_a_and_b}, three_are_released,
         .ready = remove_c)
SCENARIO(guarded_name_and_removal, begin_with_three, {post_name_twice, remove_a_waiting}, both_and_c_are_released,
         .ready = remove_c)
SCENARIO(guarded_topic_thrice_and_removal, begin_with_three, {post_topic_thrice, remove_a_waiting},
         both_and_c_are_released, .ready = remove_c)
SCENARIO(guarded_topic_and_snapshots, begin_with_three, {post_topic_twice, add_d_and_e}, both_and_c_are_released,
         .ready = remove_c)
SCENARIO(topic_aside_and_removal, begin_with_three, {post_topic_twice, remove_a_waiting}, three_are_released,
         .ready = remove_c_and_b, .meets = "COME_BACK")
SCENARIO(name_aside_and_removal, begin_with_three, {post_name_twice, remove_a_waiting}, three_are_released,
         .ready = remove_c_and_b)
