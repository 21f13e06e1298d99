/* Walks over several observers: they compare the snapshot's ends, and do not read each state. */
#include "../stage.h"

static struct ear e;

/* userInfo points to the number of calls of this post so far. */
static void count_call(struct ear *self) { ++*(size_t *)self->heard[0]; }

static void listen(struct ear *ear) {
    ear->then = count_call;
    add(ear);
}

static int object;

/* Two buckets, over which a walk has stretches of one, two and one. */
static void begin_stretches(void) {
    begin();
    add_for(&d, name, &object, HeraldSuspensionDeliverImmediately);
    listen(&a);
    listen(&b);
    add_for(&c, name, &object, HeraldSuspensionDeliverImmediately);
    c.then = d.then = count_call;
}

static void begin_walk(void) {
    begin();
    listen(&a);
    listen(&b);
    listen(&c);
}

/* `d` was the first, or the last. */
static void begin_walk_after_an_end(void) {
    begin();
    add(&d);
    listen(&a);
    listen(&b);
    listen(&c);
    HeraldCenterRemoveToken(center, d.token);
}

static void begin_walk_before_an_end(void) {
    begin_walk();
    add(&d);
    HeraldCenterRemoveToken(center, d.token);
}

static void check_count(size_t returned, size_t called) {
    must_hold(returned == called, "a post returns another number than it has called");
}

static void post_counting(void) {
    size_t called = 0, returned = HeraldTopicPost(topic, &called);
    check_count(returned, called);
}

static void post_name_counting(void) {
    size_t called = 0, returned = HeraldCenterPostNotification(center, name, NULL, &called, false);
    check_count(returned, called);
}

static void post_object_counting(void) {
    size_t called = 0, returned = HeraldCenterPostNotification(center, name, &object, &called, false);
    check_count(returned, called);
}

static void remove_b_waiting(void) { remove_waiting(&b); }
static void remove_c_waiting(void) { remove_waiting(&c); }
static void remove_b(void) { HeraldCenterRemoveToken(center, b.token); }

static void remove_b_and_c(void) {
    remove_b();
    remove_c_waiting();
}

/* Adds until the snapshot is full and is replaced; `b` ends in the new one. */
static void grow_and_remove_b(void) {
    listen(&d);
    listen(&e);
    remove_b_waiting();
}

static void all_are_released(void) {
    HeraldCenterRemoveToken(center, a.token);
    HeraldCenterRemoveToken(center, b.token);
    HeraldCenterRemoveToken(center, c.token);
    three_are_released();
}

SCENARIO(walk_and_waiting_removal, begin_walk, {post_counting, remove_b_waiting}, all_are_released,
         .meets = "ENDS ENDS_CHECK ENDING")
SCENARIO(walk_and_waiting_removal_of_the_last, begin_walk, {post_counting, remove_c_waiting}, all_are_released,
         .meets = "ENDS_BACK")
SCENARIO(walk_and_removal, begin_walk, {post_counting, remove_b}, all_are_released, .meets = "ENDS_LAST READ_ONCE")
SCENARIO(walk_by_name_and_removals, begin_walk, {post_name_counting, remove_b_and_c}, all_are_released)
SCENARIO(walk_after_an_end_and_removal, begin_walk_after_an_end, {post_counting, remove_b}, all_are_released,
         .meets = "ENDS_ACQUIRE ENDS_ENTRY")
SCENARIO(walk_before_an_end_and_removal, begin_walk_before_an_end, {post_name_counting, remove_b}, all_are_released)
SCENARIO(walk_in_stretches_and_waiting_removal, begin_stretches, {post_object_counting, remove_b_waiting},
         all_are_released)
SCENARIO(walk_in_stretches_and_removals, begin_stretches, {post_object_counting, remove_b_and_c}, all_are_released)
SCENARIO(walk_over_a_snapshot_that_is_replaced, begin_walk, {post_counting, grow_and_remove_b}, all_are_released,
         .meets = "REPLACED")
