/* Posts from signal handlers, which the first thread of each scenario runs at one of its steps. */
#include "../explore.h"
#include "../stage.h"

static struct ear e, g;
static int tried, heard;

static void post_other(void) { HeraldCenterPostNotification(center, other_name, NULL, NULL, false); }

static void try_topic(void) {
    size_t called = 0;
    bool done = HeraldTopicTryPost(topic, NULL, &called);
    must_hold(done || !called, "R15: a post that is refused has called somebody");
    tried += done;
    heard += (int)called;
}

/* What is owed is run with the next change of a center, at the latest. */
static void change_something(void) {
    add_plainly(&e, other_name);
    HeraldCenterRemoveToken(center, e.token);
    must_hold(a.calls + b.calls + c.calls + d.calls + g.calls >= heard, "R15: observers were counted, and not called");
}

static void a_is_released_at_last(void) {
    change_something();
    a_is_released();
}

static void a_and_b_are_released_at_last(void) {
    change_something();
    a_and_b_are_released();
}

static void three_are_released_at_last(void) {
    change_something();
    three_are_released();
}

/* The inner one of two leaves the slot in the list; so does the outer one, which is still in its call. */
static void try_and_remove(struct ear *self) {
    if (self->inside < 2) {
        try_topic();
    } else {
        HeraldCenterRemoveToken(center, self->token);
    }
}
static void begin_nested(void) {
    begin_with_a();
    a.then = try_and_remove;
}

/* Both leave it there, while the other thread does no more than look. */
static void try_and_let_remove(struct ear *self) {
    if (self->inside < 2) {
        try_topic();
    } else {
        begin_turn(1);
        await_turn(2);
    }
}
static void begin_nested_in_turn(void) {
    begin_with_a();
    a.then = try_and_let_remove;
}
static void remove_a_and_look(void) {
    await_turn(1);
    remove_a();
    begin_turn(2);
    HeraldNameCreate("another name");
}

static bool is_posting; /* and has no turn in hand */
static void let_it_be_removed(struct ear *self) {
    (void)self;
    if (is_posting) begin_turn(3);
}
static void begin_with_five(void) {
    begin_with_three();
    add(&d);
    add(&g);
    a.then = let_it_be_removed;
}

static void post_in_turn(void) {
    post_name();
    post_name();
    begin_turn(1);
    await_turn(2);
    is_posting = true;
    post_other();
    is_posting = false;
    begin_turn(3);
}
static void remove_in_turn(void) {
    await_turn(1);
    HeraldCenterRemoveToken(center, b.token);
    HeraldCenterRemoveToken(center, d.token);
    HeraldCenterRemoveToken(center, g.token);
    begin_turn(2);
    await_turn(3);
    remove_a_waiting();
}

static void idle(void) { let_others(); }

static void add_b_and_remove_a(void) {
    add(&b);
    remove_a();
}

static void remove_b(void) { HeraldCenterRemoveToken(center, b.token); }

static void remove_a_and_b(void) {
    remove_a();
    remove_b();
}

static void find_a_name(void) { must_hold(HeraldNameFind("name") == name, "R12: a name is found"); }

static void add_and_remove_d(void) {
    add_plainly(&d, name);
    HeraldCenterRemoveToken(center, d.token);
    add_plainly(&d, name);
}

/* Topics for an object, beside observers of any name, for the object and for all. */
static int object;
static void begin_with_an_object(void) {
    begin();
    HeraldTopicRelease(topic);
    topic = HeraldTopicCreate(center, name, &object);
    add_for(&a, NULL, &object, HeraldSuspensionDeliverImmediately);
    add_for(&b, NULL, NULL, HeraldSuspensionDeliverImmediately);
}
static void post_object(void) { HeraldCenterPostNotification(center, name, &object, NULL, false); }
static void add_others_for_the_object(void) {
    add_for(&c, NULL, &object, HeraldSuspensionDeliverImmediately);
    remove_a();
    add_for(&d, NULL, &object, HeraldSuspensionDeliverImmediately);
}
static void all_are_released_at_last(void) {
    remove_b();
    HeraldCenterRemoveToken(center, c.token);
    HeraldCenterRemoveToken(center, d.token);
    a_and_b_are_released_at_last();
}

static void remove_a_and_change_something(void) {
    remove_a();
    change_something();
}

/* The idle thread does not end before. */
static void idle_until_removed(void) {
    idle();
    await_turn(1);
}
static void remove_a_waiting_for_idle(void) {
    remove_a_waiting();
    begin_turn(1);
}

SCENARIO(signal_in_idleness_and_removal, begin_with_a, {idle_until_removed, remove_a_waiting_for_idle},
         a_is_released_at_last, .interrupt = try_topic, .meets = "EXPECT_OWED")
SCENARIO(signals_in_two_threads_and_removal, begin_with_a, {try_topic, try_topic, remove_a_and_change_something},
         a_is_released_at_last)
SCENARIO(signal_in_a_signal_and_changes, begin_nested, {try_topic, change_something}, a_is_released_at_last,
         .meets = "OWE OWED_FENCE")
SCENARIO(signal_in_a_signal_and_a_look, begin_nested_in_turn, {try_topic, remove_a_and_look}, a_is_released_at_last,
         .meets = "OWED_MARK")
SCENARIO(signal_in_a_post_and_removal, begin_with_a, {post_topic, remove_a}, a_is_released_at_last,
         .interrupt = try_topic)
SCENARIO(signal_aside_and_removal, begin_with_three, {idle, remove_a_waiting}, three_are_released_at_last,
         .ready = remove_c_and_b, .interrupt = try_topic, .meets = "APPEAR")
SCENARIO(signal_in_a_post_aside_and_removal, begin_with_three, {post_topic, remove_a_waiting},
         three_are_released_at_last, .ready = remove_c_and_b, .interrupt = try_topic)
/* Its third post takes the ticket back, when it has been set aside after the second. */
SCENARIO(signal_as_a_thread_comes_back, begin_with_five, {post_in_turn, remove_in_turn}, a_is_released_at_last,
         .ready = remove_c, .interrupt = try_topic, .meets = "STAY_ASIDE")
SCENARIO(signal_guarded_and_two_removals, begin_with_three, {post_name, remove_a_and_b}, three_are_released_at_last,
         .ready = remove_c, .interrupt = try_topic)
SCENARIO(signal_in_a_removal, begin_with_a, {remove_a, post_topic}, a_is_released_at_last, .interrupt = try_topic)
SCENARIO(signal_in_a_removal_that_waits, begin_with_a, {remove_a_waiting, post_topic}, a_is_released_at_last,
         .interrupt = try_topic)
SCENARIO(signal_in_changes_and_a_post, begin_with_a, {add_b_and_remove_a, post_topic, remove_b}, a_is_released_at_last,
         .interrupt = try_topic)
SCENARIO(signal_beside_a_post_and_a_removal, begin_with_a, {idle, post_topic, remove_a_waiting}, a_is_released_at_last,
         .interrupt = try_topic)
SCENARIO(signal_in_a_look_up_and_changes, begin_with_a, {find_a_name, add_and_remove_d}, change_something,
         .interrupt = try_topic)
SCENARIO(signal_of_an_object_and_changes, begin_with_an_object, {post_object, add_others_for_the_object},
         all_are_released_at_last, .interrupt = try_topic)
