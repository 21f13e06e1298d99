/* Posts, removals, and removals that wait. */
#include "../stage.h"

static void remove_all_of_a(void) {
    HeraldCenterRemoveEveryObserverAndWait(center, &a);
    must_hold(a.released == 1, "R11: a removal by observer that waits has returned before the release");
    a.gone = true;
}

/* The poster gets tickets during its walk over three. */
static void remove_c_b_and_a(void) {
    remove_c_and_b();
    remove_a();
}

/* A callback that posts once more and then removes itself. */
static void post_and_remove(struct ear *self) {
    if (self->inside < 2) post_name();
    HeraldCenterRemoveToken(center, self->token);
}

static void begin_nested(void) {
    begin_with_a();
    a.then = post_and_remove;
}

/* Nested callbacks of b use up the frames of the thread record: the post that calls a has an overflow frame. */
static void post_other(void) { HeraldCenterPostNotification(center, other_name, NULL, NULL, false); }

static void post_deeper(struct ear *self) {
    if (self->inside < 8) {
        post_other();
    } else {
        post_topic();
    }
}

static void begin_deep(void) {
    begin_with_a();
    add_plainly(&b, other_name);
    b.then = post_deeper;
}

static void end_the_thread(struct ear *self) {
    self->inside--;
    end_thread();
}

static void begin_ending(void) {
    begin_with_a();
    a.then = end_the_thread;
}

/* What follows the release. */
static int thens;

static void must_be_over(struct ear *ear, int released) {
    must_hold(!ear->inside, "R11: `then` is called during a call");
    must_hold(ear->released == released, "R11: `then` is called before the release");
    ear->gone = true;
    let_others();
    thens++;
}

static void a_is_over(void *context) {
    (void)context;
    must_be_over(&a, 1);
}

static void b_is_over(void *context) {
    (void)context;
    must_be_over(&b, 0);
}

static void remove_a_then(void) { HeraldCenterRemoveTokenThen(center, a.token, a_is_over, NULL); }

static void remove_b_then(void) { HeraldCenterRemoveTokenThen(center, b.token, b_is_over, NULL); }

static void remove_b(void) { HeraldCenterRemoveToken(center, b.token); }

static void begin_without_a_hook(void) {
    begin();
    add_plainly(&b, name);
}

static void then_was_called(void) {
    must_hold(thens == 1, "R11: `then` was not called once");
    finish();
}

static void both_thens_were_called(void) {
    must_hold(thens == 2, "R11: a `then` was not called once");
    finish();
}

SCENARIO(then, begin_with_a, {post_topic, remove_a_then}, then_was_called)
SCENARIO(two_thens, begin_with_a, {post_topic, remove_a_then, remove_a_then}, both_thens_were_called)
SCENARIO(then_and_removal, begin_with_a, {post_topic, remove_a, remove_a_then}, then_was_called)
SCENARIO(then_without_a_hook, begin_without_a_hook, {post_topic, remove_b_then, remove_b_then}, both_thens_were_called)
SCENARIO(then_without_a_hook_and_removal, begin_without_a_hook, {post_name, remove_b, remove_b_then}, then_was_called)

SCENARIO(topic_and_waiting_removal, begin_with_a, {post_topic, remove_a_waiting}, a_is_released)
SCENARIO(name_and_waiting_removal, begin_with_a, {post_name, remove_a_waiting}, a_is_released, .meets = "SECTION_CHECK")
SCENARIO(name_and_removal, begin_with_a_and_b, {post_name, remove_a}, both_are_released)
SCENARIO(topic_of_two_and_removal, begin_with_a_and_b, {post_topic, remove_a}, both_are_released, .meets = "READ_ONCE")
SCENARIO(topic_of_three_and_removals, begin_with_three, {post_topic, remove_c_b_and_a}, three_are_released)
SCENARIO(removal_by_observer, begin_with_a, {post_topic, remove_all_of_a}, a_is_released)
SCENARIO(two_posters_and_removal, begin_with_a, {post_topic, post_topic, remove_a}, a_is_released)
SCENARIO(two_removers, begin_with_a, {post_topic, remove_a_waiting, remove_a_waiting}, a_is_released)
SCENARIO(waiting_for_a_plain_removal, begin_with_a, {post_topic, remove_a, remove_a_waiting}, a_is_released)
SCENARIO(nested_post_and_self_removal, begin_nested, {post_name, remove_a_waiting}, a_is_released)
SCENARIO(guests_and_waiting_removal, begin_deep, {post_other, remove_a_waiting}, a_is_released,
         .meets = "OVERFLOW_SCAN")
SCENARIO(thread_that_ends_in_a_callback, begin_ending, {post_topic, remove_a_waiting}, a_is_released)
SCENARIO(first_post_and_waiting_removal, begin_with_a, {post_topic, remove_a_waiting}, a_is_released, .newcomers = true)
