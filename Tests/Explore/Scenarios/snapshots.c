/* Snapshots that are replaced and freed, buckets that end, slots that are used again. */
#include "../stage.h"

/* A stale token, and the next registration of its slot. */
static int removals;
static HeraldToken stale;

static void replace_a(void) {
    remove_a();
    add(&b);
    HeraldCenterRemoveToken(center, b.token);
}

/* Registrations alone: no removal's handshake covers the snapshots that they retire. */
static void add_b_and_c(void) {
    add_plainly(&b, name);
    add_plainly(&c, name);
}

static void add_b(void) { add_plainly(&b, name); }

static void add_c_plainly(void) { add_plainly(&c, name); }

/* A topic that is made while its bucket ends. */
static void post_new_topic(void) {
    HeraldTopicRef made = HeraldTopicCreate(center, name, NULL);
    HeraldTopicPost(made, NULL);
    HeraldTopicRelease(made);
}

/* A slot that a running post lists. */
static void begin_listed(void) {
    begin();
    add_plainly(&a, name);
    add_plainly(&b, name);
}

/* A snapshot may keep one dead slot; with two it is replaced. Then c gets both slots. */
static void reuse_b(void) {
    add_plainly(&d, name);
    HeraldCenterRemoveToken(center, d.token);
    HeraldCenterRemoveToken(center, b.token);
    add_plainly(&c, other_name);
    add_plainly(&c, other_name);
}

static void c_was_not_called(void) {
    must_hold(c.calls == 0, "R6: a post has called the registration that came into a removed one's slot");
    finish();
}

/* A slot whose release is running while its snapshot is freed. */
static void come_and_stay(void) {
    add(&b);
    HeraldCenterRemoveToken(center, b.token);
    add(&c);
}

static void c_is_there(void) {
    must_hold(a.released == 1 && b.released == 1 && c.released == 0, "R10: a release has not run, or one too many");
    post_name();
    must_hold(c.calls == 1, "R10: a registration is lost to the end of another");
    must_hold(HeraldCenterRemoveToken(center, c.token), "R9: a token that is not stale names nothing");
    must_hold(c.released == 1, "R10: the release has not run");
    finish();
}

static void begin_stale(void) {
    begin_with_a();
    stale = a.token;
}

static void remove_stale(void) { removals += HeraldCenterRemoveToken(center, stale); }

static void remove_and_add(void) {
    remove_stale();
    add(&b);
}

static void b_is_there(void) {
    remove_stale();
    must_hold(removals == 1, "R9: a token has removed more than its registration");
    post_name();
    must_hold(b.calls == 1, "R9: a stale token has removed a later registration");
    finish();
}

SCENARIO(topic_and_replaced_snapshots, begin_with_a, {post_topic, replace_a}, a_and_b_are_released)
SCENARIO(topic_and_grown_snapshots, begin_with_a, {post_topic, add_b_and_c}, finish)
SCENARIO(name_and_grown_snapshots, begin_with_a, {post_name, add_b_and_c}, finish)
SCENARIO(topic_and_two_writers, begin_with_a, {post_topic, add_b, add_c_plainly}, finish)
SCENARIO(waited_slot_is_not_used_again, begin_with_a, {post_topic, remove_a_waiting, add_b_and_c}, a_is_released)
SCENARIO(name_and_buckets_that_go, begin_without_topic, {post_name_twice, replace_a}, a_and_b_are_released,
         .meets = "LOOKUP_GENERATION")
SCENARIO(topic_made_while_its_bucket_goes, begin_without_topic, {post_new_topic, replace_a}, a_and_b_are_released)
SCENARIO(listed_slot_is_not_used_again, begin_listed, {post_topic, reuse_b}, c_was_not_called, .meets = "LINEAGE")
SCENARIO(owed_slot_is_not_used_again, begin_with_a, {remove_a, come_and_stay}, c_is_there)
SCENARIO(stale_token, begin_stale, {remove_stale, remove_and_add}, b_is_there, .meets = "GENERATION")
