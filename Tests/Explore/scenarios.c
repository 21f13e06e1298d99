/* Each scenario is a few threads that use the public API, and assertions named after the rules of the contract. All
 * variables are as they were before the program began when a run begins. */
#include "scenarios.h"

#include <herald/herald.h>
#include <herald/transport.h>
#include <string.h>

/* ---- What scenarios share
 * -------------------------------------------------------------------------------------------- */

/* An observer that checks how it is called and released. */
struct ear {
    int calls, inside, released;
    bool gone; /* a removal that waits has returned */
    bool throws;
    HeraldToken token;
    void (*then)(struct ear *self); /* in a call, or NULL */
    void (*last)(struct ear *self); /* in the release, or NULL */
    uintptr_t heard[8];             /* userInfo of each call */
};

static HeraldCenterRef center;
static HeraldNameRef name, other_name;
static HeraldTopicRef topic;
static struct ear a, b, c, d;
static int object;

static void hear(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *about, const void *userInfo) {
    (void)from, (void)posted, (void)about;
    struct ear *self = observer;
    must_hold(!self->released, "R10: called after its release");
    must_hold(!self->gone, "R11: called after a removal that waits has returned");
    if (self->calls < 8) self->heard[self->calls] = (uintptr_t)userInfo;
    self->calls++;
    self->inside++;
    let_others();
    if (self->then) self->then(self);
    let_others();
    must_hold(!self->released, "R10: released during a call");
    must_hold(!self->gone, "R11: a removal that waits has returned during a call");
    self->inside--;
}

static void released(void *observer) {
    struct ear *self = observer;
    must_hold(!self->released, "R10: released twice");
    must_hold(!self->inside, "R10: released during a call");
    let_others();
    self->released++;
    if (self->last) self->last(self);
    if (self->throws) throw_something();
}

static void add_for(struct ear *ear, HeraldNameRef to, const void *about, HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {.size = sizeof options, .suspensionBehavior = behavior, .release = released};
    must_hold(HeraldCenterAddObserverWithOptions(center, ear, hear, to, about, &options, &ear->token) == HeraldOK,
              "an observer can be added");
}
static void add(struct ear *ear) { add_for(ear, name, NULL, HeraldSuspensionDeliverImmediately); }

/* Without a hook: nothing is owed at its end. */
static void add_plainly(struct ear *ear, HeraldNameRef to) {
    must_hold(HeraldCenterAddObserverWithOptions(center, ear, hear, to, NULL, NULL, &ear->token) == HeraldOK,
              "an observer can be added");
}

static const void *same(const void *userInfo) { return userInfo; }

static void begin(void) {
    HeraldCenterOptions options = {.size = sizeof options, .retainUserInfo = same, .retainObject = same};
    center = HeraldCenterCreate(&options);
    name = HeraldNameCreate("name");
    other_name = HeraldNameCreate("other");
    topic = HeraldTopicCreate(center, name, NULL);
}

static void end(void) {
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

static void post_topic(void) { HeraldTopicPost(topic, NULL); }
static void post_name(void) { HeraldCenterPostNotification(center, name, NULL, NULL, false); }
static void post_number(uintptr_t number) { HeraldCenterPostNotification(center, name, NULL, (void *)number, false); }

static void remove_waiting(struct ear *ear) {
    HeraldCenterRemoveTokenAndWait(center, ear->token);
    must_hold(!ear->inside, "R11: a removal that waits has returned during a call");
    must_hold(ear->released == 1, "R11: a removal that waits has returned before the release");
    ear->gone = true;
}
static void remove_a_waiting(void) { remove_waiting(&a); }
static void remove_a(void) { HeraldCenterRemoveToken(center, a.token); }
static void remove_all_of_a(void) {
    HeraldCenterRemoveEveryObserverAndWait(center, &a);
    must_hold(a.released == 1, "R11: a removal by observer that waits has returned before the release");
    a.gone = true;
}

static void begin_with_a(void) {
    begin();
    add(&a);
}
static void a_is_released(void) {
    must_hold(a.released == 1, "R10: the release has not run, though all calls are over");
    end();
}

static void post_name_twice(void);
static void find_names_twice(void);
static void make_names(void);

/* ---- Posts, removals, waits
 * ------------------------------------------------------------------------------------------ */

static void begin_with_a_and_b(void) {
    begin_with_a();
    add(&b);
}
static void both_are_released(void) {
    must_hold(a.released == 1, "R10: the first release has not run");
    HeraldCenterRemoveToken(center, b.token);
    must_hold(b.released == 1, "R10: the second release has not run");
    end();
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

/* Removals one after the other: the poster is asked, is guarded, is set aside, takes its ticket back. */
static void begin_with_three(void) {
    begin_with_a_and_b();
    add(&c);
}
static void post_topic_thrice(void) {
    post_topic();
    post_topic();
    post_topic();
}
static void post_name_thrice(void) {
    post_name();
    post_name();
    post_name();
}
static void remove_three(void) {
    HeraldCenterRemoveToken(center, c.token);
    HeraldCenterRemoveToken(center, b.token);
    remove_a_waiting();
}
static void remove_c_and_b(void) {
    HeraldCenterRemoveToken(center, c.token);
    HeraldCenterRemoveToken(center, b.token);
}
/* Threads that do not answer now are guarded by the first removal, and set aside by the second. */
static void guard_all(void) { HeraldCenterRemoveToken(center, c.token); }
static void post_topic_twice(void) {
    post_topic();
    post_topic();
}
static void three_are_released(void) {
    must_hold(a.released == 1 && b.released == 1 && c.released == 1, "R10: a release has not run");
    end();
}

static void both_and_c_are_released(void) {
    must_hold(c.released == 1, "R10: a release has not run");
    HeraldCenterRemoveToken(center, a.token);
    both_are_released();
}
static void three_are_released_after_all(void) {
    HeraldCenterRemoveToken(center, a.token);
    three_are_released();
}
static void remove_a_and_b(void) {
    remove_a();
    remove_waiting(&b);
}
static struct ear e;
static void add_d_and_e(void) {
    add_plainly(&d, name);
    add_plainly(&e, name);
}

/* Callbacks of b nested until no frame of the record is left: the post that calls a is a guest. */
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

/* ---- Snapshots, buckets, slots
 * --------------------------------------------------------------------------------------- */

static void replace_a(void) {
    remove_a();
    add(&b);
    HeraldCenterRemoveToken(center, b.token);
}
static void post_name_twice(void) {
    post_name();
    post_name();
}
/* Registrations alone: what they retire has no removal's barrier. */
static void add_b_and_c(void) {
    add_plainly(&b, name);
    add_plainly(&c, name);
}
static void add_b(void) { add_plainly(&b, name); }
static void add_c_plainly(void) { add_plainly(&c, name); }

/* The bucket goes with its last observer, and comes again with the next. */
static void begin_without_topic(void) {
    begin_with_a();
    HeraldTopicRelease(topic);
    topic = NULL;
}
/* A topic that is made while its bucket goes. */
static void post_new_topic(void) {
    HeraldTopicRef made = HeraldTopicCreate(center, name, NULL);
    HeraldTopicPost(made, NULL);
    HeraldTopicRelease(made);
}
static void a_and_b_are_released(void) {
    must_hold(a.released == 1 && b.released == 1, "R10: a release has not run");
    end();
}

/* A slot that a running post lists. */
static void begin_listed(void) {
    begin();
    add_plainly(&a, name);
    add_plainly(&b, name);
}
static void reuse_b(void) {
    add_plainly(&d, name);
    HeraldCenterRemoveToken(center, b.token);
    add_plainly(&c, other_name);
}
static void c_was_not_called(void) {
    must_hold(c.calls == 0, "R6: a post has called the registration that came into a removed one's slot");
    end();
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
    end();
}

/* A stale token and the slot's next registration. */
static int removals;
static HeraldToken stale;
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
    end();
}

/* ---- Order
 * ----------------------------------------------------------------------------------------------------------- */

static void begin_two_buckets(void) {
    begin();
    add_for(&a, name, NULL, HeraldSuspensionDeliverImmediately);
    add_for(&b, name, &object, HeraldSuspensionDeliverImmediately);
}
static void post_object(void) {
    int before = d.calls;
    HeraldCenterPostNotification(center, name, &object, NULL, false);
    must_hold(d.calls == before || c.calls, "R2: a later registration was called, and an earlier one was not");
}
static void add_to_both(void) {
    add_for(&c, name, NULL, HeraldSuspensionDeliverImmediately);
    add_for(&d, name, &object, HeraldSuspensionDeliverImmediately);
}
static void post_object_by_topic(void) {
    HeraldTopicRef both = HeraldTopicCreate(center, name, &object);
    int before = d.calls;
    HeraldTopicPost(both, NULL);
    must_hold(d.calls == before || c.calls, "R2: a later registration was called, and an earlier one was not");
    HeraldTopicRelease(both);
}
static void add_any_name(void) {
    add_for(&c, NULL, NULL, HeraldSuspensionDeliverImmediately);
    add(&d);
}
static void post_topic_in_order(void) {
    HeraldTopicPost(topic, NULL);
    must_hold(!d.calls || c.calls, "R2: a later registration was called, and an earlier one was not");
}

/* ---- Suspension
 * ------------------------------------------------------------------------------------------------------ */

static void begin_holding(void) {
    begin();
    add_for(&a, name, NULL, HeraldSuspensionHold);
}
static void begin_held(void) {
    begin_holding();
    HeraldCenterSetSuspended(center, true);
    post_number(1);
}
static void post_1_and_2(void) {
    post_number(1);
    post_number(2);
}
static void post_2(void) { post_number(2); }
static void flip(void) {
    HeraldCenterSetSuspended(center, true);
    HeraldCenterSetSuspended(center, false);
}
static void suspend(void) { HeraldCenterSetSuspended(center, true); }
static void resume(void) { HeraldCenterSetSuspended(center, false); }
static void heard_1_and_2(void) {
    HeraldCenterSetSuspended(center, false);
    must_hold(a.calls == 2, "R16: a held post was lost, or came twice");
    must_hold(a.heard[0] == 1 && a.heard[1] == 2, "R16: a post has overtaken another");
    end();
}
static void a_may_have_missed(void) {
    HeraldCenterSetSuspended(center, false);
    HeraldCenterRemoveToken(center, a.token);
    must_hold(a.released == 1, "R10: the release has not run");
    must_hold(a.calls <= 2 && !a.inside, "R16: a held post came twice");
    end();
}

static void begin_coalescing(void) {
    begin();
    add_for(&a, name, NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
}
static void heard_the_last(void) {
    HeraldCenterSetSuspended(center, false);
    must_hold(a.calls == 1 || a.calls == 2, "R16: a coalesced post was lost, or came twice");
    must_hold(a.heard[a.calls - 1] == 2, "R16: the last of those that were put together has not come, or too early");
    end();
}

/* The center's end with posts that are held, and a queue that is delivered. */
static void begin_held_and_shared(void) {
    begin_held();
    HeraldTopicRelease(topic);
    topic = NULL;
    HeraldCenterRetain(center);
}
static void resume_and_release(void) {
    resume();
    HeraldCenterRelease(center);
}
static void post_2_and_release(void) {
    post_2();
    HeraldCenterRelease(center);
}
static void heard_before_the_end(void) {
    must_hold(a.released == 1, "R10: a center has ended, and a release has not run");
    must_hold(a.calls == 2, "R16: a held post was lost, or came twice");
    must_hold(a.heard[0] == 1 && a.heard[1] == 2, "R16: a post has overtaken another");
}

/* ---- The center's end
 * ------------------------------------------------------------------------------------------------ */

/* Three references: one for each thread that posts, and one that the first callback releases. */
static bool given_up;
static void release_center(struct ear *self) {
    (void)self;
    if (given_up) return;
    given_up = true;
    HeraldCenterRelease(center);
}
static void begin_released(void) {
    begin();
    HeraldTopicRelease(topic);
    topic = NULL;
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
    HeraldTopicRelease(topic);
    topic = NULL;
    add(&a);
    HeraldCenterRetain(center);
}
static void a_has_ended(void) { must_hold(a.released == 1, "R10: a center has ended, and a release has not run"); }

/* ---- Fork
 * ------------------------------------------------------------------------------------------------------------ */

static void go_on_as_child(void) {
    fork_here();
    int before = a.calls;
    a.inside = 0; /* the calls of the parent's other threads are over */
    post_name();
    must_hold(a.calls == before + 1, "R18: a post in the child calls no observer");
    add(&b);
    HeraldCenterRemoveTokenAndWait(center, b.token);
    must_hold(b.released == 1, "R18: a removal in the child has not run the release");
    HeraldCenterRemoveTokenAndWait(center, a.token);
    must_hold(a.released == 1, "R18: a removal in the child has not run the release");
    end();
}
static void nothing_more(void) {}

static void remove_while_forked(void) { HeraldCenterRemoveToken(center, a.token); }
static void fork_beside_removal(void) {
    fork_here();
    a.inside = 0;
    add(&b);
    HeraldCenterRemoveTokenAndWait(center, b.token);
    must_hold(b.released == 1, "R18: a removal in the child has not run the release");
    post_name();
    end();
}

/* ---- Hooks that throw
 * ------------------------------------------------------------------------------------------------ */

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

/* A release that uses the center again. */
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
    end();
}

/* ---- Transports
 * ------------------------------------------------------------------------------------------------------ */

static bool known;
static HeraldStatus first_observer(void *context, HeraldCenterRef from, HeraldNameRef of) {
    (void)context, (void)from, (void)of;
    must_hold(!known, "a transport is told twice of a name's first observer");
    let_others();
    known = true;
    return HeraldOK;
}
static void last_observer(void *context, HeraldCenterRef from, HeraldNameRef of) {
    (void)context, (void)from, (void)of;
    must_hold(known, "a transport is told of the last observer of a name that has none");
    let_others();
    known = false;
}
static void begin_carried(void) {
    begin();
    HeraldTopicRelease(topic);
    topic = NULL;
    HeraldCenterRelease(center);
    HeraldTransport transport = {
        .size = sizeof transport, .firstObserver = first_observer, .lastObserver = last_observer};
    must_hold(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK, "a center can be made");
}
static void come_and_go(struct ear *ear) {
    add(ear);
    must_hold(known, "a transport does not know of an observer");
    HeraldCenterRemoveToken(center, ear->token);
}
static void a_comes_and_goes(void) { come_and_go(&a); }
static void b_comes_and_goes(void) { come_and_go(&b); }
static void none_is_known(void) {
    must_hold(!known, "a transport knows of an observer that is gone");
    must_hold(a.released == 1 && b.released == 1, "R10: a release has not run");
    HeraldCenterRelease(center);
}

/* ---- Names
 * ----------------------------------------------------------------------------------------------------------- */

static void find_names(void) {
    must_hold(HeraldNameFind("name") == name, "R13: a name is not found, or another");
    HeraldNameRef found = HeraldNameFind("n3");
    must_hold(!found || found == HeraldNameCreate("n3"), "R13: two names have one text");
}
static void make_names(void) {
    static const char *const texts[] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
    for (int i = 0; i < 8; i++) HeraldNameCreate(texts[i]);
}
static void find_names_twice(void) {
    find_names();
    find_names();
}
static void make_one_name(void) {
    must_hold(HeraldNameCreate("new") == HeraldNameCreate("new"), "R13: two of one text");
}

/* ---- The list
 * -------------------------------------------------------------------------------------------------------- */

void scenario_warm_up(void) { HeraldCenterPostNotification(center, other_name, NULL, NULL, false); }

const struct scenario scenarios[] = {
    {"topic_and_waiting_removal", begin_with_a, {post_topic, remove_a_waiting}, a_is_released},
    {"name_and_waiting_removal", begin_with_a, {post_name, remove_a_waiting}, a_is_released},
    {"name_and_removal", begin_with_a_and_b, {post_name, remove_a}, both_are_released},
    {"topic_of_two_and_removal", begin_with_a_and_b, {post_topic, remove_a}, both_are_released},
    {"removal_by_observer", begin_with_a, {post_topic, remove_all_of_a}, a_is_released},
    {"two_posters_and_removal", begin_with_a, {post_topic, post_topic, remove_a}, a_is_released},
    {"two_removers", begin_with_a, {post_topic, remove_a_waiting, remove_a_waiting}, a_is_released},
    {"waiting_for_a_plain_removal", begin_with_a, {post_topic, remove_a, remove_a_waiting}, a_is_released},
    {"topic_and_three_removals", begin_with_three, {post_topic_thrice, remove_three}, three_are_released},
    {"name_and_three_removals", begin_with_three, {post_name_thrice, remove_three}, three_are_released},
    {"topic_and_two_removers_of_three",
     begin_with_three,
     {post_topic_thrice, remove_a_waiting, remove_c_and_b},
     three_are_released},
    {"guarded_topic_and_removal",
     begin_with_three,
     {post_topic_twice, remove_a_waiting},
     both_and_c_are_released,
     .ready = guard_all},
    {"guarded_topic_and_two_removals",
     begin_with_three,
     {post_topic, remove_a_and_b},
     three_are_released,
     .ready = guard_all,
     .meets = "ASIDE_LOOK"},
    {"guarded_name_and_two_removals",
     begin_with_three,
     {post_name, remove_a_and_b},
     three_are_released,
     .ready = guard_all},
    {"guarded_name_and_removal",
     begin_with_three,
     {post_name_twice, remove_a_waiting},
     both_and_c_are_released,
     .ready = guard_all},
    {"guarded_topic_thrice_and_removal",
     begin_with_three,
     {post_topic_thrice, remove_a_waiting},
     both_and_c_are_released,
     .ready = guard_all,
     .meets = "TAKEN_BACK"},
    {"guarded_topic_and_snapshots",
     begin_with_three,
     {post_topic_twice, add_d_and_e},
     both_and_c_are_released,
     .ready = guard_all},
    {"topic_aside_and_removal",
     begin_with_three,
     {post_topic_twice, remove_a_waiting},
     three_are_released,
     .ready = remove_c_and_b},
    {"name_aside_and_removal",
     begin_with_three,
     {post_name_twice, remove_a_waiting},
     three_are_released,
     .ready = remove_c_and_b},
    {"guarded_find_and_names",
     begin_with_three,
     {find_names_twice, make_names},
     both_and_c_are_released,
     .ready = guard_all},
    {"find_aside_and_names",
     begin_with_three,
     {find_names_twice, make_names},
     three_are_released_after_all,
     .ready = remove_c_and_b},
    {"nested_post_and_self_removal", begin_nested, {post_name, remove_a_waiting}, a_is_released},
    {"guests_and_waiting_removal", begin_deep, {post_other, remove_a_waiting}, a_is_released, .meets = "GUEST_SCAN"},
    {"thread_that_ends_in_a_callback", begin_ending, {post_topic, remove_a_waiting}, a_is_released},
    {"topic_and_replaced_snapshots", begin_with_a, {post_topic, replace_a}, a_and_b_are_released},
    {"topic_and_grown_snapshots", begin_with_a, {post_topic, add_b_and_c}, end},
    {"name_and_grown_snapshots", begin_with_a, {post_name, add_b_and_c}, end},
    {"topic_and_two_writers", begin_with_a, {post_topic, add_b, add_c_plainly}, end},
    {"waited_slot_is_not_used_again", begin_with_a, {post_topic, remove_a_waiting, add_b_and_c}, a_is_released},
    {"name_and_buckets_that_go", begin_without_topic, {post_name_twice, replace_a}, a_and_b_are_released},
    {"topic_made_while_its_bucket_goes", begin_without_topic, {post_new_topic, replace_a}, a_and_b_are_released},
    {"listed_slot_is_not_used_again", begin_listed, {post_topic, reuse_b}, c_was_not_called, .meets = "LINEAGE"},
    {"owed_slot_is_not_used_again", begin_with_a, {remove_a, come_and_stay}, c_is_there},
    {"stale_token", begin_stale, {remove_stale, remove_and_add}, b_is_there},
    {"order_over_buckets", begin_two_buckets, {post_object, add_to_both}, end, .meets = "LIMIT"},
    {"order_over_buckets_by_topic", begin_two_buckets, {post_object_by_topic, add_to_both}, end},
    {"order_beside_any_name", begin_with_a, {post_topic_in_order, add_any_name}, end},
    {"suspension_flips", begin_holding, {post_1_and_2, flip}, heard_1_and_2},
    {"resume_under_load", begin_held, {resume, post_2}, heard_1_and_2},
    {"two_resumes", begin_held, {resume, resume, post_2}, heard_1_and_2},
    {"suspend_and_resume_and_post", begin_held, {resume, suspend, post_2}, heard_1_and_2},
    {"removal_of_a_held_one", begin_held, {resume, remove_a, post_2}, a_may_have_missed},
    {"coalesced_and_resumed", begin_coalescing, {post_1_and_2, resume}, heard_the_last},
    {"center_released_with_a_queue",
     begin_held_and_shared,
     {resume_and_release, post_2_and_release},
     heard_before_the_end},
    {"center_released_in_a_callback", begin_released, {post_and_release, post_and_release}, all_have_ended},
    {"center_released_by_two", begin_shared, {post_and_release, post_and_release}, a_has_ended},
    {"fork_beside_a_post", begin_with_a, {post_topic, go_on_as_child}, nothing_more},
    {"fork_beside_a_removal", begin_with_a, {remove_while_forked, fork_beside_removal}, nothing_more},
    {"hook_that_throws", begin_throwing, {post_catching, remove_catching}, both_are_released},
    {"release_that_comes_back", begin_returning, {post_topic, remove_a}, a_and_c_are_released},
    {"transport_hears_in_turn", begin_carried, {a_comes_and_goes, b_comes_and_goes}, none_is_known},
    {"names_found_while_made", begin, {find_names, make_names}, end},
    {"names_found_again_while_made", begin, {find_names_twice, make_names}, end},
    {"name_made_by_two", begin, {make_one_name, make_one_name}, end, .newcomers = true},
    {"first_post_and_waiting_removal", begin_with_a, {post_topic, remove_a_waiting}, a_is_released, .newcomers = true},
};
const int scenario_count = sizeof scenarios / sizeof *scenarios;
