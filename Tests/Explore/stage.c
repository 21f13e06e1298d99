/* The parts that scenarios share: a center, its observers, and common actions. */
#include "explore.h"
#include "stage.h"

#include <string.h>

HeraldCenterRef center;
HeraldNameRef name, other_name;
HeraldTopicRef topic;
struct ear a, b, c, d;

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

void add_for(struct ear *ear, HeraldNameRef to, const void *about, HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {.size = sizeof options, .suspensionBehavior = behavior, .release = released};
    must_hold(HeraldCenterAddObserverWithOptions(center, ear, hear, to, about, &options, &ear->token) == HeraldOK,
              "an observer can be added");
}

void add_below(struct ear *ear, const char *prefix) {
    HeraldObserverOptions options = {.size = sizeof options, .release = released, .prefix = prefix};
    must_hold(HeraldCenterAddObserverWithOptions(center, ear, hear, NULL, NULL, &options, &ear->token) == HeraldOK,
              "an observer can be added");
}

void add(struct ear *ear) { add_for(ear, name, NULL, HeraldSuspensionDeliverImmediately); }

static void hear_tagged(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *about,
                        const void *userInfo, const void *tag) {
    (void)tag;
    hear(from, observer, posted, about, userInfo);
}

void add_to(HeraldTopicRef to, struct ear *ear) {
    must_hold(HeraldTopicAddObserver(to, ear, hear_tagged, released, &ear->token) == HeraldOK,
              "an observer can be added");
}

/* Without a release hook: nothing is pending after its end. */
void add_plainly(struct ear *ear, HeraldNameRef to) {
    must_hold(HeraldCenterAddObserverWithOptions(center, ear, hear, to, NULL, NULL, &ear->token) == HeraldOK,
              "an observer can be added");
}

static const void *same(const void *userInfo) { return userInfo; }

void begin(void) {
    HeraldCenterOptions options = {.size = sizeof options, .retainUserInfo = same, .retainObject = same};
    center = HeraldCenterCreate(&options);
    name = HeraldNameCreate("name");
    other_name = HeraldNameCreate("other");
    topic = HeraldTopicCreate(center, name, NULL);
}

void finish(void) {
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

void post_topic(void) { HeraldTopicPost(topic, NULL); }

void post_name(void) { HeraldCenterPostNotification(center, name, NULL, NULL, false); }

void post_number(uintptr_t number) { HeraldCenterPostNotification(center, name, NULL, (void *)number, false); }

void remove_waiting(struct ear *ear) {
    HeraldCenterRemoveTokenAndWait(center, ear->token);
    must_hold(!ear->inside, "R11: a removal that waits has returned during a call");
    must_hold(ear->released == 1, "R11: a removal that waits has returned before the release");
    ear->gone = true;
}

void remove_a_waiting(void) { remove_waiting(&a); }

void remove_a(void) { HeraldCenterRemoveToken(center, a.token); }

void begin_with_a(void) {
    begin();
    add(&a);
}

void a_is_released(void) {
    must_hold(a.released == 1, "R10: the release has not run, though all calls are over");
    finish();
}

void begin_with_a_and_b(void) {
    begin_with_a();
    add(&b);
}

void both_are_released(void) {
    must_hold(a.released == 1, "R10: the first release has not run");
    HeraldCenterRemoveToken(center, b.token);
    must_hold(b.released == 1, "R10: the second release has not run");
    finish();
}

void post_name_twice(void) {
    post_name();
    post_name();
}

void begin_with_three(void) {
    begin_with_a_and_b();
    add(&c);
}

void remove_c(void) { HeraldCenterRemoveToken(center, c.token); }

void remove_c_and_b(void) {
    HeraldCenterRemoveToken(center, c.token);
    HeraldCenterRemoveToken(center, b.token);
}

void both_and_c_are_released(void) {
    must_hold(c.released == 1, "R10: a release has not run");
    HeraldCenterRemoveToken(center, a.token);
    both_are_released();
}

void three_are_released(void) {
    must_hold(a.released == 1 && b.released == 1 && c.released == 1, "R10: a release has not run");
    finish();
}

void drop_topic(void) {
    HeraldTopicRelease(topic);
    topic = NULL;
}
void begin_without_topic(void) {
    begin_with_a();
    drop_topic();
}

void a_and_b_are_released(void) {
    must_hold(a.released == 1 && b.released == 1, "R10: a release has not run");
    finish();
}

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn;

void begin_turn(int number) {
    pthread_mutex_lock(&turn_lock);
    turn = number;
    pthread_cond_broadcast(&turn_changed);
    pthread_mutex_unlock(&turn_lock);
}

void await_turn(int number) {
    pthread_mutex_lock(&turn_lock);
    while (turn != number) pthread_cond_wait(&turn_changed, &turn_lock);
    pthread_mutex_unlock(&turn_lock);
}

void scenario_warm_up(void) { HeraldCenterPostNotification(center, other_name, NULL, NULL, false); }
