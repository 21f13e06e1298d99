/* The end of a center. */
#include "../stage.h"

static bool given_up; /* one of three references: two threads have one each, and the first callback releases this */

static void release_center(struct ear *self) {
    (void)self;
    if (given_up) return;
    given_up = true;
    HeraldCenterRelease(center);
}

static void begin_released(void) {
    begin();
    drop_topic();
    add(&a);
    add(&b);
    a.then = release_center;
    HeraldCenterRetain(center);
    HeraldCenterRetain(center);
}

static void post_and_release(void) {
    post_name();
    HeraldCenterRelease(center);
}

static void all_have_ended(void) {
    must_hold(given_up, "R1: no post has called the observer");
    must_hold(a.released == 1 && b.released == 1, "R10: a center has ended, and a release has not run");
}

/* Two threads with a reference each. The last release ends the center. */
static void begin_shared(void) {
    begin();
    drop_topic();
    add(&a);
    HeraldCenterRetain(center);
}

static void a_has_ended(void) { must_hold(a.released == 1, "R10: a center has ended, and a release has not run"); }

/* A callback on one thread goes on with the center, while another thread ends it and frees its memory. */
static HeraldCenterRef elsewhere;

static void unheard(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *about, const void *info) {
    (void)from, (void)observer, (void)posted, (void)about, (void)info;
}

static void change_elsewhere(void) {
    must_hold(HeraldCenterAddObserver(elsewhere, &b, unheard, name, NULL, HeraldSuspensionDeliverImmediately) ==
                  HeraldOK,
              "R15: an observer was refused");
    HeraldCenterRemoveEveryObserver(elsewhere, &b);
}

static void begin_ending(void) {
    begin();
    drop_topic();
    elsewhere = HeraldCenterCreate(NULL);
}

static void let_it_end_and_post(struct ear *self) {
    if (self->inside > 1) return;
    begin_turn(1);
    post_name();
}
/* `a` is in its bucket's second snapshot: the first one would keep the bucket's memory during the call. */
static void begin_ended_in_a_call(void) {
    begin_ending();
    add_plainly(&c, name);
    add(&a);
    HeraldCenterRemoveEveryObserver(center, &c);
    a.then = let_it_end_and_post;
}

static void end_and_change(void) {
    await_turn(1);
    HeraldCenterRelease(center);
    change_elsewhere();
}

static void change_and_remove(struct ear *self) {
    change_elsewhere();
    HeraldCenterRemoveObserver(center, self, name, NULL);
}
static void begin_ended_in_a_hook(void) {
    begin_ending();
    add(&a);
    a.last = change_and_remove;
}

static void end_center(void) { HeraldCenterRelease(center); }

static void both_have_ended(void) {
    a_has_ended();
    HeraldCenterRelease(elsewhere);
}

static void end_in_turn(void) {
    await_turn(1);
    HeraldCenterRelease(center);
}

static void change_in_turn(void) {
    await_turn(1);
    change_elsewhere();
}

SCENARIO(center_ended_and_another_changed, begin_ended_in_a_call, {post_name, end_in_turn, change_in_turn},
         both_have_ended)
SCENARIO(center_ended_during_a_call, begin_ended_in_a_call, {post_name, end_and_change}, both_have_ended,
         .meets = "CLOSE_GENERATION")
SCENARIO(center_used_by_its_last_hook, begin_ended_in_a_hook, {end_center, change_elsewhere}, both_have_ended)
SCENARIO(center_released_in_a_callback, begin_released, {post_and_release, post_and_release}, all_have_ended)
SCENARIO(center_released_by_two, begin_shared, {post_and_release, post_and_release}, a_has_ended)
