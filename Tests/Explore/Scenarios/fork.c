/* The child of a fork. */
#include "../stage.h"

static void go_on_as_child(void) {
    fork_here();
    int before = a.calls;
    a.inside = 0; /* the calls of the parent's other threads do not exist here */
    post_name();
    must_hold(a.calls == before + 1, "R18: a post in the child calls no observer");
    add(&b);
    HeraldCenterRemoveTokenAndWait(center, b.token);
    must_hold(b.released == 1, "R18: a removal in the child has not run the release");
    HeraldCenterRemoveTokenAndWait(center, a.token);
    must_hold(a.released == 1, "R18: a removal in the child has not run the release");
    finish();
}

static void nothing_more(void) {}

static void fork_beside_removal(void) {
    fork_here();
    a.inside = 0;
    add(&b);
    HeraldCenterRemoveTokenAndWait(center, b.token);
    must_hold(b.released == 1, "R18: a removal in the child has not run the release");
    post_name();
    finish();
}

SCENARIO(fork_beside_a_post, begin_with_a, {post_topic, go_on_as_child}, nothing_more)
SCENARIO(fork_beside_a_removal, begin_with_a, {remove_a, fork_beside_removal}, nothing_more)
