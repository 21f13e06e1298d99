/* Signals, and registrations that are blocked. */
#include "../stage.h"

/* ---- Blocked registrations --------------------------------------------------------------------------------------- */

enum { MINE = 7 }; /* the userInfo of posts that are made while b is blocked, by the thread that has blocked it */

static void must_not_be_blocked(struct ear *self) {
    must_hold(self->heard[self->calls - 1] != MINE, "R30: called while it is blocked");
}

static void listen_blocked(struct ear *ear) {
    add(ear);
    ear->then = must_not_be_blocked;
}

static void begin_blocking(void) {
    begin();
    add(&a);
    listen_blocked(&b);
    add(&c);
}

static void begin_blocking_one(void) {
    begin();
    listen_blocked(&b);
}

static void block_and_post(void) {
    HeraldCenterSetTokenBlocked(center, b.token, true);
    HeraldTopicPost(topic, (void *)MINE);
    post_number(MINE);
}

static void block_for_a_while(void) {
    block_and_post();
    int calls = b.calls;
    HeraldCenterSetTokenBlocked(center, b.token, false);
    HeraldTopicPost(topic, NULL);
    must_hold(b.calls > calls, "R30: not called, though it is blocked no longer");
}

static struct ear e;

static void begin_blocking_full(void) {
    begin_blocking();
    add(&d);
}

/* The snapshot is full, and another one takes its place. */
static void block_and_grow(void) {
    HeraldCenterSetTokenBlocked(center, b.token, true);
    add(&e);
    HeraldTopicPost(topic, (void *)MINE);
}

static void grow(void) { add(&e); }

static void block_and_remove(void) {
    HeraldCenterSetTokenBlocked(center, b.token, true);
    remove_waiting(&b);
}

/* Posts that begin after the block, on another thread than the removal's. */
static void block_then_remove(void) {
    HeraldCenterSetTokenBlocked(center, b.token, true);
    begin_turn(1);
    remove_waiting(&b);
}

static void post_blocked(void) {
    await_turn(1);
    HeraldTopicPost(topic, (void *)MINE);
    post_number(MINE);
}

static void all_can_end(void) {
    struct ear *all[] = {&a, &b, &c, &d, &e};
    for (int i = 0; i < 5; i++) {
        if (all[i]->token.center) HeraldCenterRemoveToken(center, all[i]->token);
        must_hold(all[i]->released == (all[i]->token.center != 0), "R10: a release has not run");
    }
    finish();
}

SCENARIO(blocked, begin_blocking, {post_topic, block_for_a_while}, all_can_end, .meets = "BLOCKS")
SCENARIO(blocked_alone, begin_blocking_one, {post_name, block_for_a_while}, all_can_end)
SCENARIO(blocked_in_a_snapshot_that_is_replaced, begin_blocking_full, {post_topic, block_and_grow}, all_can_end,
         .meets = "BLOCKS_COPIED")
SCENARIO(blocked_while_another_is_added, begin_blocking_full, {grow, block_and_post}, all_can_end)
SCENARIO(blocked_and_removed, begin_blocking, {post_topic, block_and_remove}, all_can_end)
SCENARIO(blocked_and_removed_beside_a_post, begin_blocking, {post_blocked, block_then_remove}, all_can_end,
         .meets = "BLOCKS_LAST")
SCENARIO(blocked_while_another_ends, begin_blocking, {post_name, remove_c, block_for_a_while}, all_can_end)

/* ---- Signals ----------------------------------------------------------------------------------------------------- */

static HeraldTopicRef signal;

static void begin_signal(void) {
    begin();
    signal = HeraldTopicCreateUnnamed(center);
    add_to(signal, &a);
    add_to(signal, &b);
}

static void post_signal(void) { HeraldTopicPost(signal, NULL); }
static void empty_signal(void) { HeraldTopicRemoveEveryObserver(signal); }
static void remove_b_waiting(void) { remove_waiting(&b); }
static void connect_c_and_remove_it(void) {
    add_to(signal, &c);
    post_signal();
    remove_waiting(&c);
}

static void signal_can_end(void) {
    HeraldTopicRelease(signal);
    signal = NULL;
    all_can_end();
}

/* In its own post, while another thread removes one of its observers. */
static void release_signal(struct ear *self) {
    if (self->calls == 1) HeraldTopicRelease(signal);
}

static void begin_ending(void) {
    begin_signal();
    a.then = release_signal;
}

static void signal_has_ended(void) {
    must_hold(a.released == 1 && b.released == 1, "R29: a signal has ended before its registrations");
    finish();
}

/* A callback of a held post throws, so that a further held post waits for the signal's post. Its call releases the
 * signal, in whose bucket the post then looks again. */
static void throw_or_release(struct ear *self) {
    if (self->calls == 1) throw_something();
    HeraldTopicRelease(signal);
    signal = NULL;
    for (int i = 0; i < 3; i++) { /* each reclaims what has ended before */
        struct ear passing = {0};
        add_plainly(&passing, other_name);
        HeraldCenterRemoveToken(center, passing.token);
    }
}

static void resume(void *unused) {
    (void)unused;
    HeraldCenterSetSuspended(center, false);
}

static void begin_held(void) {
    begin();
    signal = HeraldTopicCreateUnnamed(center);
    add_to(signal, &b);
    add_for(&a, name, NULL, HeraldSuspensionHold);
    a.then = throw_or_release;
}

/* After the thread's first post, which would deliver what is held. */
static void hold_one_post(void) {
    HeraldCenterSetSuspended(center, true);
    post_number(1);
    post_number(2);
    must_hold(catches(resume, NULL), "R17: what an observer has thrown is lost");
    a.inside--;
}

static void held_signal_has_ended(void) {
    must_hold(a.calls == 2 && !signal && b.released == 1 && b.calls == 0, "R29: a signal has not ended");
    HeraldCenterRemoveToken(center, a.token);
    finish();
}

SCENARIO(signal_and_removal, begin_signal, {post_signal, remove_b_waiting}, signal_can_end)
SCENARIO(signal_that_is_emptied, begin_signal, {post_signal, empty_signal}, signal_can_end)
SCENARIO(signal_that_is_emptied_and_removal, begin_signal, {post_signal, empty_signal, remove_b_waiting},
         signal_can_end)
SCENARIO(signal_and_adds, begin_signal, {post_signal, connect_c_and_remove_it}, signal_can_end)
SCENARIO(signal_that_ends_in_its_post, begin_ending, {post_signal, remove_b_waiting}, signal_has_ended)
SCENARIO(signal_that_ends_before_its_post_looks_again, begin_held, {post_signal}, held_signal_has_ended,
         .ready = hold_one_post, .meets = "UNNAMED_RETAINED")
