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

/* Two threads, a reference each; the last one ends the center. */
static void begin_shared(void) {
    begin();
    drop_topic();
    add(&a);
    HeraldCenterRetain(center);
}

static void a_has_ended(void) { must_hold(a.released == 1, "R10: a center has ended, and a release has not run"); }

SCENARIO(center_released_in_a_callback, begin_released, {post_and_release, post_and_release}, all_have_ended)
SCENARIO(center_released_by_two, begin_shared, {post_and_release, post_and_release}, a_has_ended)
