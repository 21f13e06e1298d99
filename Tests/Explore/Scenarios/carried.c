/* Kept posts of a transport: what it hands in, beside followers that wait, begin, leave and are suspended. */
#include "../stage.h"
#include "order.h"
#include <herald/message.h>
#include <string.h>

/* The transport: the newest number that it keeps, and its last question. Posts have no object. */
static int kept;
static HeraldToken asked;

static struct follower {
    int heard[8], calls, inside, released, began, failed;
    bool gone; /* a removal that waits has returned */
    HeraldToken token;
    void (*then)(struct follower *self); /* in the first call, or NULL */
} f, g;

static int number_of(const HeraldMessage *message) { return *(const char *)message->bytes - '0'; }

static void hear(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *about, const void *userInfo) {
    (void)from, (void)posted, (void)about;
    struct follower *self = observer;
    must_hold(!self->released, "R10: called after its release");
    must_hold(!self->gone, "R11: called after a removal that waits has returned");
    must_hold(!self->inside++, "R25: two calls of a follower at once");
    must_hold(self->calls < 8, "R25: too many calls");
    bool is_kept = HeraldPostIsKept();
    must_hold(!is_kept || !self->began, "R25: a follower begins twice");
    must_hold(is_kept || self->began || self->failed, "R25: a later post comes before what was kept");
    int number = number_of(userInfo);
    must_hold(!self->calls || self->heard[self->calls - 1] < number,
              "R25: an older post is heard after a newer one, or one is heard twice");
    self->heard[self->calls++] = number;
    let_others();
    must_hold(number_of(userInfo) == number, "R25: a kept post is released while it is used");
    if (self->then && self->calls == 1) self->then(self);
    must_hold(!self->released, "R10: released during a call");
    self->inside--;
}

static void began(void *observer, size_t count, HeraldStatus status) {
    struct follower *self = observer;
    must_hold(!self->released && !self->gone, "R10: called after its release");
    must_hold(!self->inside, "R25: two calls of a follower at once");
    must_hold(!self->began, "R25: a follower begins twice");
    if (status == HeraldOK) {
        self->began++;
        must_hold(self->failed || (int)count == self->calls, "R25: `began` is told another number than was heard");
        must_hold((int)count <= self->calls, "R25: `began` is told another number than was heard");
    } else {
        self->failed++;
        must_hold(!count, "R25: a beginning that has failed has a count");
    }
    let_others();
}

static void released(void *observer) {
    struct follower *self = observer;
    must_hold(!self->released, "R10: released twice");
    must_hold(!self->inside, "R10: released during a call");
    self->released++;
}

static void ask(void *context, HeraldCenterRef from, HeraldNameRef of, const char *object, HeraldToken token) {
    (void)context, (void)from, (void)of;
    must_hold(!object, "R25: a transport is asked for another object");
    asked = token;
    begin_turn(1);
}

static void follow_as(struct follower *self, HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = behavior,
                                     .release = released,
                                     .start = HeraldStartKept,
                                     .began = began};
    must_hold(HeraldCenterAddObserverWithOptions(center, self, hear, name, NULL, &options, &self->token) == HeraldOK,
              "a follower can be added");
}

/* A post is kept, and arrives later. */
static void arrive(int number) {
    const char letter = (char)('0' + number);
    HeraldMessage message = {.size = sizeof message, .bytes = &letter, .length = 1};
    kept = number;
    let_others();
    HeraldCenterDeliverKept(center, name, &message, (uint64_t)number);
}

static void begin_token(HeraldToken token, HeraldStatus status) {
    const char letter = (char)('0' + kept);
    HeraldMessage message = {.size = sizeof message, .bytes = &letter, .length = 1};
    const HeraldKeptPost post = {&message, (uint64_t)kept};
    let_others();
    HeraldCenterBegin(center, name, token, &post, status == HeraldOK, 0, status);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static void follow_f(void) { follow_as(&f, HeraldSuspensionDeliverImmediately); }
static void arrive_2_and_3(void) {
    arrive(2);
    arrive(3);
}
static void begin_asked(void) {
    await_turn(1);
    begin_token(asked, HeraldOK);
}
static void begin_f(void) { begin_token(f.token, HeraldOK); }
static void fail_f(void) { begin_token(f.token, HeraldTransportFailed); }
static void begin_g(void) { begin_token(g.token, HeraldOK); }

static void remove_f_waiting(void) {
    HeraldCenterRemoveTokenAndWait(center, f.token);
    must_hold(f.released == 1, "R11: a removal that waits has returned before the release");
    f.gone = true;
}

static void suspend(void) { HeraldCenterSetSuspended(center, true); }
static void resume(void) { HeraldCenterSetSuspended(center, false); }
static void flip(void) {
    suspend();
    resume();
}

/* ---- Beginnings and ends ----------------------------------------------------------------------------------------- */

static void begin_carried(void) {
    HeraldTransport transport = {.size = sizeof transport, .begin = ask};
    begin();
    drop_topic();
    HeraldCenterRelease(center);
    must_hold(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK, "a center can be made");
    kept = 1;
}

static void begin_waiting(void) {
    begin_carried();
    follow_f();
}

static void begin_failed(void) {
    begin_waiting();
    fail_f();
}

static void begin_with_g(void) {
    begin_waiting();
    follow_as(&g, HeraldSuspensionDeliverImmediately);
    begin_g();
}

static void begin_waiting_to_hold(void) {
    begin_carried();
    follow_as(&f, HeraldSuspensionHold);
    follow_as(&g, HeraldSuspensionCoalesce);
    begin_g();
}

static void end(void) {
    finish();
    must_hold(!f.token.center || f.released == 1, "R10: a release has not run");
    must_hold(!g.token.center || g.released == 1, "R10: a release has not run");
}

static void has_heard_3(const struct follower *self) {
    must_hold(self->began == 1, "R25: a follower has not begun");
    must_hold(self->calls > 0 && self->heard[self->calls - 1] == 3, "R25: the newest post is lost");
}

/* Each post from what it began with to 3. */
static void has_heard_all(const struct follower *self) {
    has_heard_3(self);
    must_hold(3 - self->heard[0] == self->calls - 1, "R25: a post is lost");
}

static void f_has_heard_all(void) {
    has_heard_all(&f);
    end();
}

static void f_has_heard_3(void) {
    has_heard_3(&f);
    end();
}

static void both_have_heard_all(void) {
    has_heard_all(&g);
    f_has_heard_all();
}

static void f_has_begun(void) {
    must_hold(f.began == 1 && f.calls == 1 && f.heard[0] == 1, "R25: a follower has not begun");
    end();
}

static void f_has_heard_all_and_g_the_newest(void) {
    has_heard_3(&g);
    f_has_heard_all();
}

SCENARIO(carried_beginning, begin_carried, {follow_f, arrive_2_and_3, begin_asked}, f_has_heard_all,
         .meets = "LANE_SKIPS_KNOWN")
SCENARIO(carried_posts_while_it_waits, begin_waiting, {arrive_2_and_3, begin_f}, f_has_heard_all,
         .meets = "LANE_WAITS CARRIED_AT_ONCE")
SCENARIO(carried_beginning_beside_a_follower, begin_with_g, {arrive_2_and_3, begin_f}, both_have_heard_all)
SCENARIO(carried_second_beginning, begin_failed, {arrive_2_and_3, begin_f}, f_has_heard_3, .meets = "CARRIED_KNOWN")
SCENARIO(carried_failure_and_beginning, begin_waiting, {fail_f, begin_f}, f_has_begun, .meets = "BEGAN_AS_TAKEN")
SCENARIO(carried_failure_beside_posts, begin_waiting, {fail_f, begin_f, arrive_2_and_3}, f_has_heard_3)
SCENARIO(carried_two_beginnings, begin_waiting, {begin_f, begin_f}, f_has_begun)
SCENARIO(carried_removal, begin_waiting, {begin_f, arrive_2_and_3, remove_f_waiting}, end)
SCENARIO(carried_suspension, begin_waiting_to_hold, {begin_f, arrive_2_and_3, flip}, f_has_heard_all_and_g_the_newest)

/* ---- What observers do ------------------------------------------------------------------------------------------- */

static void throw_it(struct follower *self) {
    self->inside--;
    throw_something();
}

static void end_here(struct follower *self) {
    self->inside--;
    end_thread();
}

static void call(void *function) { (*(void (**)(void))function)(); }

static void begin_f_catching(void) {
    void (*function)(void) = begin_f;
    catches(call, &function);
}

static void arrive_2_catching(void) {
    static void (*const function)(void) = arrive_2_and_3;
    if (catches(call, (void *)(uintptr_t)&function)) arrive(3);
}

static void begin_throwing(void) {
    begin_waiting();
    f.then = throw_it;
}

static void begin_ending_its_thread(void) {
    begin_waiting();
    f.then = end_here;
}

/* The thread that delivered may have ended or thrown in its call: the next kept post goes on. */
static void f_goes_on(void) {
    arrive(4);
    must_hold(f.began == 1 && f.heard[f.calls - 1] == 4, "R17: what an observer has left is lost");
    must_hold(4 - f.heard[0] == f.calls - 1, "R25: a post is lost");
    end();
}

/* Releases the center, of which each thread has a reference. */
static void give_up(struct follower *self) {
    (void)self;
    HeraldCenterRelease(center);
}

static void begin_ending(void) {
    begin_waiting();
    f.then = give_up;
    HeraldCenterRetain(center);
    HeraldCenterRetain(center);
}

static void begin_f_and_release(void) {
    begin_f();
    HeraldCenterRelease(center);
}

static void arrive_and_release(void) {
    arrive_2_and_3();
    HeraldCenterRelease(center);
}

static void f_has_ended(void) { must_hold(f.released == 1, "R10: a center has ended, and a release has not run"); }

static void fork_and_begin(void) {
    fork_here();
    f.inside = 0;
    begin_f();
    must_hold(f.began == 1, "R18: a follower has not begun in the child");
    HeraldCenterRemoveTokenAndWait(center, f.token);
    must_hold(f.released == 1, "R18: a removal in the child has not run the release");
    finish();
}

static void nothing_more(void) {}

SCENARIO(carried_call_that_throws, begin_throwing, {begin_f_catching, arrive_2_catching}, f_goes_on)
SCENARIO(carried_call_that_ends_its_thread, begin_ending_its_thread, {begin_f, arrive_2_and_3}, f_goes_on)
SCENARIO(carried_center_released_in_a_call, begin_ending, {begin_f_and_release, arrive_and_release}, f_has_ended)
SCENARIO(carried_fork, begin_waiting, {arrive_2_and_3, fork_and_begin}, nothing_more)
