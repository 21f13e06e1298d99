/* Hooks that throw, and hooks that call the center. */
#include "../stage.h"

static void begin_throwing(void) {
    begin_with_a_and_b();
    a.throws = true;
}

static void call(void *function) { (*(void (**)(void))function)(); }

static void post_catching(void) {
    void (*function)(void) = post_name;
    bool thrown = catches(call, &function);
    must_hold(!thrown || a.released == 1, "R17: something else has thrown");
}

static void remove_catching(void) {
    void (*function)(void) = remove_a;
    catches(call, &function);
}

/* A release hook that uses the center. */
static void add_c(struct ear *self) {
    (void)self;
    add(&c);
    post_name();
    HeraldCenterRemoveToken(center, c.token);
}

static void begin_returning(void) {
    begin_with_a();
    a.last = add_c;
}

static void a_and_c_are_released(void) {
    must_hold(a.released == 1 && c.released == 1, "R10: a release has not run");
    finish();
}

SCENARIO(hook_that_throws, begin_throwing, {post_catching, remove_catching}, both_are_released)
SCENARIO(release_that_comes_back, begin_returning, {post_topic, remove_a}, a_and_c_are_released)
