/* Kept posts, and followers: registrations that begin with what is kept. */
#include "../stage.h"
#include "order.h"
#include <herald/message.h>
#include <string.h>

/* ---- What is posted, and who hears it ---------------------------------------------------------------------------- */

/* What is posted: the number says in which order. Nothing is posted twice. */
static struct value {
    int references, uses;
    bool is_over;      /* it has been released */
    uint32_t was_used; /* `uses` again, as the threads see each other's writes */
} values[10];

static struct follower {
    int calls, inside, released, began, limit; /* limit: how many calls `then` is for */
    bool gone;                                 /* a removal that waits has returned */
    struct value *heard[8];
    bool was_kept[8];
    HeraldToken token;
    void (*then)(struct follower *self); /* in a call, or NULL */
    void (*last)(struct follower *self); /* in the release, or NULL */
} f, g;

static char one, other; /* objects */
static bool is_child;   /* of a fork: what the parent's other threads have written last may be missing */

static void use(struct value *value) {
    must_hold(value->references > 0 && !value->is_over, "R25: a kept post is used after its release");
    value->uses++;
    add_relaxed(&value->was_used, 1u);
    let_others();
    must_hold(value->references > 0 && !value->is_over, "R25: a kept post is released while it is used");
}

static const void *retain_value(const void *userInfo) {
    struct value *value = (struct value *)(uintptr_t)userInfo;
    must_hold(!value->is_over, "R25: a kept post is retained after its release");
    value->references++;
    return value;
}

static void release_value(const void *userInfo) {
    struct value *value = (struct value *)(uintptr_t)userInfo;
    must_hold(value->references > 0, "R25: a kept post is released twice");
    must_hold(is_child || load_relaxed(&value->was_used) == (uint32_t)value->uses,
              "R25: who releases a kept post has not seen all uses of it");
    let_others();
    value->is_over = --value->references == 0;
}

static void hear(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *about, const void *userInfo) {
    (void)from, (void)posted, (void)about;
    struct follower *self = observer;
    struct value *value = (struct value *)(uintptr_t)userInfo;
    must_hold(!self->released, "R10: called after its release");
    must_hold(!self->gone, "R11: called after a removal that waits has returned");
    must_hold(!self->inside++, "R25: two calls of a follower at once");
    must_hold(self->calls < 8, "R25: too many calls");
    bool is_kept = HeraldPostIsKept();
    must_hold(!is_kept || !self->began, "R25: what was kept comes after what was posted later");
    must_hold(is_kept || self->began, "R25: a later post comes before what was kept");
    self->heard[self->calls] = value;
    self->was_kept[self->calls++] = is_kept;
    use(value);
    if (self->then && self->calls <= self->limit) self->then(self);
    use(value);
    must_hold(!self->released, "R10: released during a call");
    must_hold(!self->gone, "R11: a removal that waits has returned during a call");
    self->inside--;
}

static void began(void *observer, size_t kept, HeraldStatus status) {
    struct follower *self = observer;
    must_hold(!self->released && !self->gone, "R10: called after its release");
    must_hold(!self->inside, "R25: two calls of a follower at once");
    must_hold(!self->began++ && status == HeraldOK, "R25: a follower begins twice");
    must_hold((int)kept == self->calls, "R25: `began` is told another number than was heard");
}

static void released(void *observer) {
    struct follower *self = observer;
    must_hold(!self->released, "R10: released twice");
    must_hold(!self->inside, "R10: released during a call");
    let_others();
    self->released++;
    if (self->last) self->last(self);
}

static void follow_as(struct follower *self, const void *about, HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = behavior,
                                     .release = released,
                                     .start = HeraldStartKept,
                                     .began = began};
    must_hold(HeraldCenterAddObserverWithOptions(center, self, hear, name, about, &options, &self->token) == HeraldOK,
              "a follower can be added");
}

static void follow(struct follower *self) { follow_as(self, NULL, HeraldSuspensionDeliverImmediately); }

static void post_about(const void *about, int number) {
    HeraldStatus status = HeraldCenterPostKept(center, name, about, &values[number], NULL, 0, NULL);
    must_hold(status == HeraldOK, "a post can be kept");
}

static void post(int number) { post_about(NULL, number); }

/* ---- What must hold at the end ----------------------------------------------------------------------------------- */

static int kept_number;

static void take_number(void *context, const void *userInfo, const void *tag) {
    (void)context, (void)tag;
    kept_number = (int)((const struct value *)userInfo - values);
}

static int number_heard(const struct follower *self, int at) { return (int)(self->heard[at] - values); }

static void has_heard_in_order(const struct follower *self) {
    for (int i = 1; i < self->calls; i++)
        must_hold(number_heard(self, i - 1) < number_heard(self, i),
                  "R25: an older post is heard after a newer one, or one is heard twice");
}

/* Each post from what it began with to number `last`. */
static void has_heard_all(const struct follower *self, int last) {
    has_heard_in_order(self);
    must_hold(self->began == 1, "R25: a follower has not begun");
    must_hold(self->calls > 0 && number_heard(self, self->calls - 1) == last, "R25: the newest post is lost");
    must_hold(last - number_heard(self, 0) == self->calls - 1, "R25: a post is lost");
}

/* The last thing that it has heard is what is kept. */
static void has_heard_the_newest(const struct follower *self) {
    must_hold(HeraldCenterTakeKept(center, name, NULL, take_number, NULL), "R25: nothing is kept");
    must_hold(number_heard(self, self->calls - 1) == kept_number, "R25: the newest post is lost");
}

static void nothing_is_left(void) {
    for (int i = 0; i < 10; i++) must_hold(!values[i].references, "R25: a kept post is never released");
}

static void end(void) {
    finish();
    must_hold(!f.token.center || f.released == 1, "R10: a release has not run");
    must_hold(!g.token.center || g.released == 1, "R10: a release has not run");
    nothing_is_left();
}

/* ---- Beginnings -------------------------------------------------------------------------------------------------- */

/* A center that keeps nothing. */
static void begin_empty(void) {
    HeraldCenterOptions options = {
        .size = sizeof options, .retainUserInfo = retain_value, .releaseUserInfo = release_value};
    begin();
    drop_topic();
    HeraldCenterRelease(center);
    center = HeraldCenterCreate(&options);
}

static void begin_keeping(void) {
    begin_empty();
    post(1);
}

static void begin_followed(void) {
    begin_keeping();
    follow(&g);
}

static void follow_f(void) { follow(&f); }
static void post_2(void) { post(2); }
static void post_3(void) { post(3); }
static void post_4(void) { post(4); }

static void post_2_and_3(void) {
    post(2);
    post(3);
}

static void f_has_heard_3(void) {
    has_heard_all(&f, 3);
    end();
}

static void g_has_heard_3(void) {
    has_heard_all(&g, 3);
    end();
}

static void both_have_heard_3(void) {
    has_heard_all(&g, 3);
    f_has_heard_3();
}

/* Two threads have posted. A follower of the beginning has heard all in the order of the core. Then the other one has
 * heard the end of this, from what it began with. */
static void f_has_heard_as_g(void) {
    must_hold(g.calls > 1 && number_heard(&g, 0) == 1, "R25: a post is lost");
    has_heard_the_newest(&g);
    for (int i = 0; i < f.calls; i++)
        must_hold(f.heard[f.calls - 1 - i] == g.heard[g.calls - 1 - i], "R25: two followers hear another order");
    must_hold(!f.token.center || f.calls, "R25: a follower has not heard what was kept");
}

static void three_were_heard(void) {
    must_hold(g.calls == 3, "R25: a post is lost");
    f_has_heard_as_g();
    end();
}

/* Posts 2 and 3 come in this order, and post 4 anywhere. */
static void four_were_heard(void) {
    int at[5] = {0};
    must_hold(g.calls == 4, "R25: a post is lost");
    for (int i = 0; i < 4; i++) at[number_heard(&g, i)] = i;
    must_hold(at[2] < at[3], "R25: an older post is heard after a newer one");
    f_has_heard_as_g();
    end();
}

SCENARIO(kept_begin_beside_a_poster, begin_keeping, {follow_f, post_2_and_3}, f_has_heard_3,
         .meets = "BEGIN_AT_ONCE LANE_FROM_START")
SCENARIO(kept_begin_beside_a_follower, begin_followed, {follow_f, post_2_and_3}, both_have_heard_3,
         .meets = "KEEP_AT_ONCE LINK_TAKEN")
SCENARIO(kept_begin_beside_two_posters, begin_followed, {follow_f, post_2, post_3}, three_were_heard)
SCENARIO(kept_two_posters, begin_followed, {post_2_and_3, post_4}, four_were_heard,
         .meets = "LANE_OWNER LANE_LAST_LOOK")

/* With objects: f follows one, g follows the name. */

static void begin_with_objects(void) {
    begin_empty();
    post_about(&one, 1);
    follow(&g);
}

static void follow_one(void) { follow_as(&f, &one, HeraldSuspensionDeliverImmediately); }
static void post_one_and_others(void) {
    post_about(&one, 2);
    post_about(&other, 3);
    post(4);
}

static void each_has_heard_its_object(void) {
    must_hold(f.calls > 0 && f.calls <= 2 && number_heard(&f, f.calls - 1) == 2,
              "R25: an object's post is lost, or another's is heard");
    has_heard_in_order(&f);
    has_heard_all(&g, 4);
    end();
}

SCENARIO(kept_objects, begin_with_objects, {follow_one, post_one_and_others}, each_has_heard_its_object)

/* A message about a text, while the text becomes an object that is followed. */
static int messages;

static void hear_message(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *about,
                         const void *userInfo) {
    (void)from, (void)observer, (void)posted;
    must_hold(about == HeraldObjectForString("text"), "R23: a message is heard about another object");
    must_hold(!strcmp(((const HeraldMessage *)userInfo)->object, "text"), "R23: another message is heard");
    messages++;
}

static void post_message(void) {
    HeraldMessage message = {.size = sizeof message, .object = "text", .options = HeraldPostKeep};
    must_hold(HeraldCenterPostMessage(center, name, &message) == HeraldOK, "a message can be kept");
}

static void follow_text(void) {
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept};
    must_hold(HeraldCenterAddObserverWithOptions(center, NULL, hear_message, name, HeraldObjectForString("text"),
                                                 &options, NULL) == HeraldOK,
              "a follower can be added");
}

static void one_message_was_heard(void) {
    must_hold(messages == 1, "R25: a message is lost, or heard twice");
    end();
}

SCENARIO(kept_message_about_a_new_object, begin_empty, {post_message, follow_text}, one_message_was_heard)

/* ---- Hand-over --------------------------------------------------------------------------------------------------- */

/* The first thread posts 2 and stays in its call until 3 and 4 are posted. It delivers these, and is then captured: the
 * next thread that posts outside of callbacks takes the lane over. */
static void be_captured(struct follower *self) {
    if (number_heard(self, self->calls - 1) != 2) return;
    begin_turn(1);
    await_turn(2);
}

static void begin_captured(void) {
    begin_followed();
    g.then = be_captured;
    g.limit = 8;
}

static void capture(void) {
    await_turn(1);
    post(3);
    post(4);
    begin_turn(2);
}

static void capture_and_post_5(void) {
    capture();
    post(5);
}

static void heard_5_in_time(void) {
    must_hold(!was_late(), "R25: nobody has woken a post that waits for a lane");
    has_heard_all(&g, 5);
    end();
}

/* The follower ends in the call for which a poster waits, and waits itself for this poster. */
static void leave_and_wait(struct follower *self) {
    be_captured(self);
    if (number_heard(self, self->calls - 1) != 4) return;
    begin_turn(3);
    let_others();
    HeraldCenterRemoveToken(center, self->token);
    await_turn(4);
}

static void begin_captured_by_leaver(void) {
    begin_captured();
    g.then = leave_and_wait;
}

static void capture_and_post_5_to_leaver(void) {
    capture();
    await_turn(3);
    post(5);
    begin_turn(4);
}

static void ended_in_time(void) {
    must_hold(!was_late(), "R25: nobody has woken a post that waits for a lane");
    has_heard_all(&g, 4);
    end();
}

/* The owner does not return from its call: only the first post waits for it. */
static void stay_in_call(struct follower *self) {
    be_captured(self);
    if (number_heard(self, self->calls - 1) != 4) return;
    begin_turn(3);
    await_turn(4);
}

static void begin_captured_for_long(void) {
    begin_captured();
    g.then = stay_in_call;
}

static void capture_and_post_twice(void) {
    capture();
    await_turn(3);
    post(5);
    was_late(); /* it was, or the search has let the time pass at once */
    post(6);
    must_hold(!was_late(), "R25: each post waits for a call that does not return");
    begin_turn(4);
}

static void g_has_heard_6(void) {
    has_heard_all(&g, 6);
    end();
}

SCENARIO(kept_owner_that_stays, begin_captured_for_long, {post_2, capture_and_post_twice}, g_has_heard_6)
SCENARIO(kept_hand_over, begin_captured, {post_2, capture_and_post_5}, heard_5_in_time, .meets = "TURN_WAKE")
SCENARIO(kept_end_of_a_captured_lane, begin_captured_by_leaver, {post_2, capture_and_post_5_to_leaver}, ended_in_time,
         .meets = "LEAVE_WAKE")

/* ---- Removal ----------------------------------------------------------------------------------------------------- */

static void remove_g(void) { HeraldCenterRemoveToken(center, g.token); }

static void is_gone(struct follower *self) {
    must_hold(!self->inside, "R11: a removal that waits has returned during a call");
    must_hold(self->released == 1, "R11: a removal that waits has returned before the release");
    self->gone = true;
}

static void remove_g_waiting(void) {
    HeraldCenterRemoveTokenAndWait(center, g.token);
    is_gone(&g);
}

static void remove_f_by_observer(void) {
    bool was_there = f.token.center != 0;
    HeraldCenterRemoveEveryObserverAndWait(center, &f);
    if (was_there) is_gone(&f);
}

static void has_heard_some(void) {
    has_heard_in_order(&f);
    has_heard_in_order(&g);
    end();
}

static void remove_itself(struct follower *self) { HeraldCenterRemoveToken(center, self->token); }

static void follow_f_that_leaves(void) {
    f.then = remove_itself;
    f.limit = 1;
    follow(&f);
    must_hold(f.calls == 1 && !f.began, "R25: a follower that removed itself is called again");
}

/* What a lane holds is released before the follower. */
static void has_released_2(struct follower *self) {
    (void)self;
    must_hold(!values[2].references, "R25: a follower is released before what its lane holds");
}

static void begin_with_a_held_lane(void) {
    begin_keeping();
    follow_as(&g, NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    post_2_and_3();
    g.last = has_released_2;
}

static void resume(void) { HeraldCenterSetSuspended(center, false); }

SCENARIO(kept_removal_and_posts, begin_followed, {post_2_and_3, remove_g_waiting}, has_heard_some)
SCENARIO(kept_removal_in_its_beginning, begin_keeping, {follow_f, remove_f_by_observer}, has_heard_some)
SCENARIO(kept_removal_by_itself, begin_keeping, {follow_f_that_leaves, post_2}, has_heard_some)
SCENARIO(kept_removal_of_a_held_lane, begin_with_a_held_lane, {resume, remove_g}, has_heard_some)

/* ---- Taking and forgetting --------------------------------------------------------------------------------------- */

static void use_taken(void *context, const void *userInfo, const void *tag) {
    (void)context, (void)tag;
    use((struct value *)(uintptr_t)userInfo);
}

static void take(void) { HeraldCenterTakeKept(center, name, NULL, use_taken, NULL); }
static void forget(void) { HeraldCenterForget(center, name, NULL); }

static void use_visited(void *context, HeraldNameRef of, const void *about, const void *userInfo, const void *tag) {
    (void)of, (void)about;
    use_taken(context, userInfo, tag);
}

static void visit(void) { HeraldCenterVisitKept(center, use_visited, NULL); }

static void f_has_begun(void) {
    must_hold(f.began == 1 && f.calls <= 1, "R25: a follower has not begun");
    has_heard_some();
}

SCENARIO(kept_taken_and_forgotten, begin_keeping, {take, forget}, end, .meets = "HELD_LENT HELD_ACQUIRE")
SCENARIO(kept_taken_and_posted, begin_keeping, {take, visit, post_2}, end)
SCENARIO(kept_begun_and_forgotten, begin_keeping, {follow_f, forget}, f_has_begun, .newcomers = true)
SCENARIO(kept_posted_and_forgotten, begin_followed, {post_2_and_3, forget}, g_has_heard_3)

/* ---- What observers do ------------------------------------------------------------------------------------------- */

/* Posts again in the call with what was kept, or in the first later one. */
static void post_9(struct follower *self) {
    static bool is_posted;
    int calls = self->calls;
    if (is_posted) return;
    is_posted = true;
    post(9);
    must_hold(self->calls == calls, "R25: a post in a call is heard in this call");
}

static void begin_posting_again(void) {
    begin_followed();
    f.then = g.then = post_9;
    f.limit = 1;
    g.limit = 2;
}

static void all_have_heard_9(void) {
    int nines[2] = {0, 0};
    for (int i = 0; i < f.calls; i++) nines[0] += number_heard(&f, i) == 9;
    for (int i = 0; i < g.calls; i++) nines[1] += number_heard(&g, i) == 9;
    must_hold(nines[0] == 1 && nines[1] == 1, "R25: a post in a call is lost, or heard twice");
    has_heard_the_newest(&f);
    has_heard_the_newest(&g);
    end();
}

/* Releases the center: the threads have a reference each, and the first call gives up the third. */
static bool given_up;

static void give_up(struct follower *self) {
    (void)self;
    if (given_up) return;
    given_up = true;
    HeraldCenterRelease(center);
}

static void begin_ending(void) {
    begin_keeping();
    follow_as(&g, &other, HeraldSuspensionDeliverImmediately);
    f.then = give_up;
    f.limit = 1;
    HeraldCenterRetain(center);
    HeraldCenterRetain(center);
}

/* A call on resume releases the center, while another thread frees what can be freed. */
static void release_center(struct ear *self) {
    (void)self;
    HeraldCenterRelease(center);
}

static void begin_ending_on_resume(void) {
    begin_followed();
    a.then = release_center;
}

static void suspend_with_a_post(void) { /* when the threads have made their first posts, which are of this name */
    add_for(&a, other_name, NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, other_name, NULL, NULL, false);
}

static void free_what_can_be_freed(void) { HeraldNameCreate("another"); }

static void g_has_ended(void) {
    must_hold(a.released == 1 && g.released == 1, "R10: a center has ended, and a release has not run");
    nothing_is_left();
}

static void follow_f_and_release(void) {
    follow(&f);
    HeraldCenterRelease(center);
}

static void post_2_and_release(void) {
    post(2);
    HeraldCenterRelease(center);
}

static void all_has_ended(void) {
    must_hold(f.released == 1 && g.released == 1, "R10: a center has ended, and a release has not run");
    nothing_is_left();
}

/* Throws, or ends its thread: the next kept post goes on with what is left. */
static void throw_it(struct follower *self) {
    self->inside--;
    throw_something();
}

static void end_here(struct follower *self) {
    self->inside--;
    end_thread();
}

static void call(void *function) { (*(void (**)(void))function)(); }

static void follow_f_catching(void) {
    void (*function)(void) = follow_f;
    must_hold(catches(call, &function), "R17: what an observer has thrown is lost");
}

static void post_2_catching(void) {
    void (*function)(void) = post_2;
    catches(call, &function);
}

static void post_3_catching(void) {
    void (*function)(void) = post_3;
    catches(call, &function);
}

static void begin_throwing(void) {
    begin_keeping();
    f.then = throw_it;
    f.limit = 1;
}

static void begin_thrown(void) {
    begin_followed();
    g.then = throw_it;
    g.limit = 2;
}

static void begin_ending_threads(void) {
    begin_keeping();
    f.then = end_here;
    f.limit = 1;
}

/* In which order 2 and 3 were kept is open. */
static void goes_on_with_4(const struct follower *self, int count) {
    post(4);
    must_hold(self->began == 1, "R25: a follower has not begun");
    must_hold(self->calls == count && number_heard(self, count - 1) == 4, "R17: what an observer has left is lost");
}

static void f_goes_on(void) {
    goes_on_with_4(&f, 4 - number_heard(&f, 0));
    has_heard_in_order(&f);
    end();
}

static void g_goes_on(void) {
    goes_on_with_4(&g, 4);
    end();
}

/* In addition to f: observers that are no followers. */
static void begin_with_an_any(void) {
    begin_followed();
    add_for(&a, NULL, NULL, HeraldSuspensionDeliverImmediately);
    add_below(&b, "elsewhere");
}

static void a_and_g_have_ended(void) {
    has_heard_all(&g, 2);
    must_hold(a.released == 1 && !b.calls, "R10: a release has not run");
    end();
}

/* Nine calls deep, where a post has an overflow frame. */
static void go_down(struct ear *self) {
    if (self->calls < 9) {
        HeraldCenterPostNotification(center, other_name, NULL, NULL, false);
    } else {
        follow(&f);
    }
}

static void add_a_that_goes_down(void) {
    add_for(&a, other_name, NULL, HeraldSuspensionDeliverImmediately);
    a.then = go_down;
}

static void go_deep(void) { HeraldCenterPostNotification(center, other_name, NULL, NULL, false); }

static void g_has_heard_2(void) {
    has_heard_all(&g, 2);
    end();
}

static void f_has_heard_2(void) {
    has_heard_all(&f, 2);
    end();
}

/* A fork in a call with what was kept, and one beside a post. The calls of the parent's other threads, and what these
 * had in hand, do not exist in the child. */
static void goes_on_as_child(struct follower *self) {
    post(3);
    must_hold(number_heard(self, self->calls - 1) == 3, "R18: a kept post in the child calls no follower");
    has_heard_in_order(self);
    HeraldCenterRemoveTokenAndWait(center, self->token);
    must_hold(self->released == 1, "R18: a removal in the child has not run the release");
}

static void begin_child(void) {
    fork_here();
    is_child = true;
    g.inside = 0;
}

static void fork_in_call(struct follower *self) {
    (void)self;
    begin_child();
}

static void begin_forking(void) {
    begin_keeping();
    f.then = fork_in_call;
    f.limit = 1;
}

static void follow_f_as_child(void) {
    follow(&f);
    must_hold(f.began == 1, "R18: a follower has not begun in the child");
    goes_on_as_child(&f);
    finish();
}

static void fork_and_go_on(void) {
    begin_child();
    goes_on_as_child(&g);
    follow(&f);
    must_hold(f.began == 1 && f.calls == 1 && f.was_kept[0] && number_heard(&f, 0) == 3,
              "R25: the child does not have what was kept");
    finish();
}

static void nothing_more(void) {}

SCENARIO(kept_posts_in_calls, begin_posting_again, {follow_f, post_2}, all_have_heard_9)
SCENARIO(kept_center_released_in_a_call, begin_ending, {follow_f_and_release, post_2_and_release}, all_has_ended)
SCENARIO(kept_center_released_on_resume, begin_ending_on_resume, {resume, free_what_can_be_freed}, g_has_ended,
         .ready = suspend_with_a_post)
SCENARIO(kept_call_that_throws, begin_throwing, {follow_f_catching, post_2_catching}, f_goes_on)
SCENARIO(kept_later_call_that_throws, begin_thrown, {post_2_catching, post_3_catching}, g_goes_on)
SCENARIO(kept_call_that_ends_its_thread, begin_ending_threads, {follow_f, post_2}, f_goes_on)
SCENARIO(kept_beside_any_name, begin_with_an_any, {post_2, remove_a_waiting}, a_and_g_have_ended)
SCENARIO(kept_begin_nine_deep, begin_keeping, {go_deep, post_2}, f_has_heard_2, .ready = add_a_that_goes_down)
SCENARIO(kept_fork_in_a_call, begin_forking, {follow_f_as_child, post_2}, nothing_more)
SCENARIO(kept_fork_beside_a_post, begin_followed, {post_2, fork_and_go_on}, nothing_more)

/* ---- Suspension -------------------------------------------------------------------------------------------------- */

static struct follower dropping, coalescing, holding;

static void follow_with_each_behavior(void) {
    begin_followed();
    follow_as(&dropping, NULL, HeraldSuspensionDrop);
    follow_as(&coalescing, NULL, HeraldSuspensionCoalesce);
    follow_as(&holding, NULL, HeraldSuspensionHold);
}

static void suspend(void) { HeraldCenterSetSuspended(center, true); }

static void flip(void) {
    suspend();
    resume();
}

static void each_has_heard_by_its_behavior(void) {
    has_heard_in_order(&dropping);
    has_heard_in_order(&coalescing);
    must_hold(number_heard(&coalescing, coalescing.calls - 1) == 3, "R25: the newest post is lost");
    has_heard_all(&holding, 3);
    g_has_heard_3();
}

/* Begins in a suspended center. */
static void begin_suspended(void) {
    begin_keeping();
    suspend();
}

static void resume_and_post_2(void) {
    resume();
    post(2);
}

static void follow_f_holding(void) { follow_as(&f, NULL, HeraldSuspensionHold); }

/* An observer that is no follower: see suspension.c. */
static void suspend_and_add_a(void) {
    suspend();
    add_for(&a, name, NULL, HeraldSuspensionHold);
}

static void a_has_not_heard_yet(void) {
    must_hold(a.calls == 0, "R16: an observer of a suspended center was called");
    resume();
    must_hold(a.calls <= 1, "R16: a held post came twice");
    g_has_heard_2();
}

SCENARIO(kept_suspended, follow_with_each_behavior, {post_2_and_3, flip}, each_has_heard_by_its_behavior)
SCENARIO(kept_begin_suspended, begin_suspended, {follow_f_holding, resume_and_post_2}, f_has_heard_2)
SCENARIO(kept_suspension_and_post, begin_followed, {post_2, suspend_and_add_a}, a_has_not_heard_yet,
         .meets = "KEPT_QUEUE")
