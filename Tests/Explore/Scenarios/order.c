/* The order in which a post calls. */
#include "../stage.h"

static int object;

static void begin_two_buckets(void) {
    begin();
    add_for(&a, name, NULL, HeraldSuspensionDeliverImmediately);
    add_for(&b, name, &object, HeraldSuspensionDeliverImmediately);
}

/* `before`: how many calls the later one had when the post began. */
static void must_be_in_order(const struct ear *earlier, const struct ear *later, int before) {
    must_hold(later->calls == before || earlier->calls,
              "R2: a later registration was called, and an earlier one was not");
}

static void post_object_in_order(const struct ear *earlier, const struct ear *later) {
    int before = later->calls;
    HeraldCenterPostNotification(center, name, &object, NULL, false);
    must_be_in_order(earlier, later, before);
}

static void post_object(void) { post_object_in_order(&c, &d); }

/* Both buckets exist, and neither has observers. */
static void begin_empty_buckets(void) {
    begin();
    HeraldTopicCreate(center, name, &object);
}

/* The second post finds both in its lookup cache. */
static void post_object_twice(void) {
    post_object_in_order(&d, &c);
    post_object_in_order(&d, &c);
}

static void add_to_both(void) {
    add_for(&c, name, NULL, HeraldSuspensionDeliverImmediately);
    add_for(&d, name, &object, HeraldSuspensionDeliverImmediately);
}

static void add_to_both_object_first(void) {
    add_for(&d, name, &object, HeraldSuspensionDeliverImmediately);
    add_for(&c, name, NULL, HeraldSuspensionDeliverImmediately);
}

static void post_object_by_topic(void) {
    HeraldTopicRef both = HeraldTopicCreate(center, name, &object);
    int before = d.calls;
    HeraldTopicPost(both, NULL);
    must_be_in_order(&c, &d, before);
    HeraldTopicRelease(both);
}

static void add_any_name(void) {
    add_for(&c, NULL, NULL, HeraldSuspensionDeliverImmediately);
    add(&d);
}

static void post_topic_in_order(void) {
    HeraldTopicPost(topic, NULL);
    must_be_in_order(&c, &d, 0);
}

static void post_name_in_order(void) {
    post_name();
    must_be_in_order(&c, &d, 0);
}

SCENARIO(order_over_buckets, begin_two_buckets, {post_object, add_to_both}, finish, .meets = "LIMIT LIMIT_EARLY")
SCENARIO(order_over_empty_buckets, begin_empty_buckets, {post_object_twice, add_to_both_object_first}, finish,
         .meets = "OTHER_AFTER")
SCENARIO(order_over_a_bucket_that_is_made, begin_with_a, {post_object_twice, add_to_both_object_first}, finish,
         .meets = "GENERATION_AFTER")
SCENARIO(order_over_buckets_by_topic, begin_two_buckets, {post_object_by_topic, add_to_both}, finish)
SCENARIO(order_beside_any_name, begin_with_a, {post_topic_in_order, add_any_name}, finish, .meets = "FLAGS_AFTER")
SCENARIO(order_beside_any_name_by_name, begin_with_a, {post_name_in_order, add_any_name}, finish)
