#include "reference.h"
#include "handles.h"
#include "keeping.h"
#include "queue.h"
#include "report.h"
#include "world.h"

#include <herald/inspect.h>

/* A call of the library that is in progress. */
struct call {
    enum { CALLS_NOBODY, POST, RESUME, FOLLOW } kind;
    struct post post;
    bool keeps, waits_for_info, waits_for_object; /* a kept post; the hooks that have still to run */
    HeraldStatus status;                          /* of a kept post */
    struct registration *follower;                /* whose lane it delivers */
    bool resumes_followers;
    const void *answered_info, *answered_object;   /* by the hooks of a kept post */
    uint64_t began, queued;                        /* how many registrations there were, and the newest delivery */
    bool is_draining;                              /* it delivers from the queue */
    uint16_t members[2 * REFERENCE_REGISTRATIONS]; /* the observers that the post itself calls */
    unsigned count, next;
    size_t called;
};

/* A callback or hook that is in progress. */
struct activity {
    bool is_hook, is_marked;
    const struct registration *registration; /* that is called; NULL in a hook */
    const void *tag;
};

static struct center centers[REFERENCE_CENTERS];
static struct registration registrations[REFERENCE_REGISTRATIONS];
static struct call calls[REFERENCE_DEPTH];
static struct activity activities[REFERENCE_DEPTH];
static unsigned center_count, registration_count, call_count, activity_count;

void reference_begin(void) {
    center_count = registration_count = call_count = activity_count = 0;
    keeping_begin();
}

/* ---- Centers ---------------------------------------------------------------------------------------------------- */

struct center *reference_add_center(HeraldCenterRef real, const HeraldCenterOptions *options) {
    if (center_count == REFERENCE_CENTERS) return NULL;
    struct center *center = &centers[center_count++];
    *center = (struct center){.real = real, .is_alive = true, .references = 1, .limit = 1024, .kept_limit = 65536};
    if (!options) return center;
    if (options->retainUserInfo) center->info_policy = options->releaseUserInfo ? HANDLES_OWN : HANDLES_FOREVER;
    if (options->retainObject) center->object_policy = options->releaseObject ? HANDLES_OWN : HANDLES_FOREVER;
    if (options->retainObject == handles_retain_same) center->object_policy = HANDLES_SAME;
    if (options->heldPostLimit) center->limit = options->heldPostLimit;
    if (options->keptPostLimit) center->kept_limit = options->keptPostLimit;
    return center;
}

struct world_policies reference_policies(const struct post *post) {
    struct world_policies policies;
    if (world_describes(post->tag, &policies)) return policies;
    return (struct world_policies){post->center->info_policy, post->center->object_policy};
}

/* ---- Registrations ---------------------------------------------------------------------------------------------- */

unsigned reference_count(void) { return registration_count; }
struct registration *reference_at(unsigned index) {
    return &registrations[index];
}

struct registration *reference_new(void) {
    if (registration_count == REFERENCE_REGISTRATIONS) return NULL;
    struct registration *registration = &registrations[registration_count];
    *registration = (struct registration){.index = registration_count++};
    return registration;
}

static bool equal_tokens(HeraldToken a, HeraldToken b) {
    return a.center == b.center && a.registration == b.registration;
}

void reference_check_token(const struct registration *registration) {
    if (equal_tokens(registration->token, (HeraldToken){0, 0}))
        report_difference("R9: registration %u has no token", registration->index);
    for (unsigned i = 0; i < registration->index; i++)
        if (equal_tokens(registrations[i].token, registration->token))
            report_difference("R9: registrations %u and %u have the same token", i, registration->index);
}

static bool is_owed(const struct registration *r) {
    return r->state == REMOVED && !r->running &&
           ((r->has_release && !r->is_released) || (r->has_object_release && !r->is_object_released));
}

/* R10: releases that were due inside this call have run. */
static void check_nothing_is_due(unsigned depth) {
    for (unsigned i = 0; i < registration_count; i++)
        if (is_owed(&registrations[i]) && registrations[i].due == depth)
            report_difference("R10: the release of registration %u has not run when it was due", i);
}

static bool fits(const struct registration *r, const struct post *post) {
    return (!r->name || r->name == post->name) && (!r->object || r->object == post->object);
}

static void remove_registration(struct registration *registration) {
    registration->state = REMOVED;
    registration->due = call_count - 1;
    keeping_leave(registration);
    queue_remove_registration(&registration->center->queue, registration);
}

void reference_remove_matching(struct center *center, const void *observer, HeraldNameRef name, const void *object) {
    if (!center || !observer) return;
    for (unsigned i = 0; i < registration_count; i++) {
        struct registration *r = &registrations[i];
        if (r->state == ACTIVE && !r->by_token && r->center == center && r->observer == observer &&
            (!name || r->name == name) && (!object || r->object == object))
            remove_registration(r);
    }
}

void reference_remove_exactly(struct center *center, HeraldNameRef name, const void *object) {
    for (unsigned i = 0; i < registration_count; i++) {
        struct registration *r = &registrations[i];
        if (r->state == ACTIVE && r->center == center && r->name == name && r->object == object) remove_registration(r);
    }
}

bool reference_remove_token(struct center *center, HeraldToken token) {
    if (!center || equal_tokens(token, (HeraldToken){0, 0})) return false;
    for (unsigned i = 0; i < registration_count; i++) {
        struct registration *r = &registrations[i];
        if (r->state != ACTIVE || r->center != center || !equal_tokens(r->token, token)) continue;
        remove_registration(r);
        return true;
    }
    return false;
}

void reference_center_release(struct center *center) {
    if (center->is_local || --center->references) return;
    center->is_alive = false;
    for (unsigned i = 0; i < registration_count; i++)
        if (registrations[i].state == ACTIVE && registrations[i].center == center)
            remove_registration(&registrations[i]);
    keeping_forget_all(center);
}

/* ---- Who is called ---------------------------------------------------------------------------------------------- */

/* R1 */
static bool matches(const struct registration *r, const struct post *post) {
    return r->state == ACTIVE && r->center == post->center && fits(r, post);
}

enum { DROP = 1 << 1, COALESCE = 1 << 2, HOLD = 1 << 3, AT_ONCE = 1 << 4, EVERY = DROP | COALESCE | HOLD | AT_ONCE };

/* R5: only registrations that existed when the post began. Followers hear a kept post by their lanes. R30: nothing is
 * held for a blocked registration. */
static bool hears(const struct call *call, const struct registration *r, unsigned behaviors) {
    if ((call->keeps && r->follows) || r->blocked) return false;
    return r->index < call->began && matches(r, &call->post) && behaviors >> r->behavior & 1;
}

static bool is_heard(const struct call *call, unsigned behaviors) {
    for (unsigned i = 0; i < registration_count; i++)
        if (hears(call, &registrations[i], behaviors)) return true;
    return false;
}

static void hold(const struct call *call, unsigned behaviors) {
    for (unsigned i = 0; i < registration_count; i++)
        if (hears(call, &registrations[i], behaviors)) queue_add(call->post.center, &registrations[i], &call->post);
}

/* On a suspended center, immediate observers come first. Deliveries that are held behind them wait for the resume. */
static void hold_in_order(const struct call *call, unsigned behaviors) {
    if (!call->post.center->is_suspended) {
        hold(call, behaviors);
        return;
    }
    hold(call, behaviors & AT_ONCE);
    hold(call, behaviors & ~(unsigned)AT_ONCE);
}

static bool holds_earlier_posts(const struct call *call, const struct queue *queue) {
    return queue->count && queue->deliveries[0].number <= call->queued;
}

/* R2: the index is the order of registration. A follower's lane is delivered by each kept post that reaches it. */
static void choose(struct call *call, unsigned behaviors) {
    for (unsigned i = 0; i < registration_count; i++) {
        const struct registration *r = &registrations[i];
        bool follows = call->keeps && r->follows && r->index < call->began && matches(r, &call->post);
        if (follows || hears(call, r, behaviors)) call->members[call->count++] = (uint16_t)i;
    }
    if (!call->keeps || call->post.kept->object == call->post.object) return;
    for (unsigned i = 0; i < registration_count; i++) {
        const struct registration *r = &registrations[i];
        if (r->index < call->began && keeping_is_followed(r, call->post.kept))
            call->members[call->count++] = (uint16_t)i;
    }
}

static void drain(struct call *call, struct center *center) {
    call->is_draining = true;
    center->is_draining = true;
}

/* R16: the outcome of a post, unless it has to empty the queue first. */
static void decide(struct call *call) {
    struct center *center = call->post.center;
    if (holds_earlier_posts(call, &center->queue) && !center->is_draining && is_heard(call, AT_ONCE)) {
        if (center->until < call->queued) center->until = call->queued;
        drain(call, center);
        return;
    }
    unsigned held = 0, at_once = EVERY;
    if (!call->post.immediately && center->is_suspended) {
        held = center->is_draining ? COALESCE | HOLD | AT_ONCE : COALESCE | HOLD;
        at_once = AT_ONCE & ~held;
    } else if (!call->post.immediately && center->is_draining) {
        held = EVERY;
        at_once = 0;
    }
    hold_in_order(call, held);
    choose(call, at_once);
}

/* The next step of a call: a delivery from the queue, the next thing in a follower's lane, a registration of its own,
 * or nothing. */
struct step {
    struct registration *registration;
    const struct delivery *delivery;
    struct keeping_next lane;
};

static void deliver_lane(struct call *call, struct registration *follower) {
    call->follower = follower;
    follower->is_called = true;
}

static struct step next_of_lane(struct call *call) {
    struct registration *follower = call->follower;
    if (follower) {
        struct step step = {.registration = follower, .lane = keeping_next_of(follower)};
        if (step.lane.kind != KEEPING_NOTHING) return step;
        keeping_rest(follower);
        follower->is_called = false;
        call->follower = NULL;
    }
    return (struct step){0};
}

static bool is_behind(const struct call *call, const struct registration *r) {
    return r->follows && r->center == call->post.center && !r->is_called;
}

/* On a resume any of the followers may be next. `wanted` is the one that was called. */
static void choose_follower(struct call *call, unsigned wanted) {
    struct registration *chosen = NULL;
    for (unsigned i = 0; i < registration_count && call->resumes_followers; i++) {
        struct registration *r = &registrations[i];
        if (!is_behind(call, r) || keeping_next_of(r).kind == KEEPING_NOTHING) continue;
        if (!chosen || i == wanted) chosen = r;
    }
    if (chosen) {
        deliver_lane(call, chosen);
        return;
    }
    for (unsigned i = 0; i < registration_count && call->resumes_followers; i++)
        if (is_behind(call, &registrations[i])) keeping_rest(&registrations[i]);
}

enum { NOBODY = REFERENCE_REGISTRATIONS };

static struct step next_step(struct call *call, unsigned wanted) {
    struct center *center = call->post.center;
    for (;;) {
        struct step step = next_of_lane(call);
        if (step.registration) return step;
        while (call->is_draining) {
            const struct delivery *delivery = queue_next(center);
            if (delivery && delivery->registration->blocked) { /* R30 */
                queue_remove_first(&center->queue);
                continue;
            }
            if (delivery) return (struct step){.registration = delivery->registration, .delivery = delivery};
            call->is_draining = false;
            center->is_draining = false;
            if (call->kind == POST) decide(call);
        }
        choose_follower(call, wanted);
        if (call->follower) continue;
        if (call->next == call->count) return step;
        struct registration *r = &registrations[call->members[call->next]];
        if (r->state != ACTIVE || r->blocked) { /* R6, R30 */
            call->next++;
        } else if (call->keeps && r->follows) {
            call->next++;
            if (!r->is_called) deliver_lane(call, r); /* otherwise who calls it delivers this post, too */
        } else {
            return (struct step){.registration = r};
        }
    }
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static struct call *begin_call(int kind) {
    if (call_count == REFERENCE_DEPTH) report_difference("calls are nested too deeply for the model");
    struct call *call = &calls[call_count++];
    call->kind = kind;
    call->post = (struct post){0};
    call->began = registration_count;
    call->keeps = call->waits_for_info = call->waits_for_object = false;
    call->status = HeraldOK;
    call->follower = NULL;
    call->resumes_followers = false;
    call->is_draining = false;
    call->count = call->next = 0;
    call->called = 0;
    return call;
}

static void end_call(void) {
    struct call *call = &calls[call_count - 1];
    struct step step = next_step(call, NOBODY);
    if (step.lane.kind != KEEPING_NOTHING)
        report_difference("R25: registration %u has not been called%s", step.registration->index,
                          step.lane.kind == KEEPING_BEGAN ? ": began" : "");
    if (step.registration) report_difference("R1, R16: registration %u has not been called", step.registration->index);
    if (call->waits_for_info || call->waits_for_object) report_difference("R25: a retain hook has not run");
    check_nothing_is_due(call_count - 1);
    call_count--;
    reference_compare();
}

void reference_call_begin(void) { begin_call(CALLS_NOBODY); }
void reference_call_end(void) { end_call(); }

void reference_post_begin(const struct post *post) {
    bool calls_anybody = post->center && post->name;
    struct call *call = begin_call(calls_anybody ? POST : CALLS_NOBODY);
    call->post = *post;
    if (!calls_anybody) return;
    call->queued = post->center->queue.newest;
    decide(call);
}

size_t reference_post_end(void) {
    end_call();
    return calls[call_count].called;
}

void reference_suspend_begin(struct center *center, bool suspended) {
    struct call *call = begin_call(RESUME);
    call->post.center = center;
    if (!center) return;
    if (suspended && !center->is_suspended) center->until = center->queue.newest_owed;
    center->is_suspended = suspended;
    if (!suspended && !center->is_draining) drain(call, center);
    call->resumes_followers = !suspended;
}

void reference_suspend_end(void) { end_call(); }

/* ---- Kept posts ------------------------------------------------------------------------------------------------- */

/* All hooks have run: keeps the post, and begins to call its observers. */
static void keep(struct call *call) {
    const struct post *post = &call->post;
    const struct kept_post wanted = {.center = post->center,
                                     .name = post->name,
                                     .object = call->answered_object,
                                     .user_info = call->answered_info,
                                     .tag = post->tag};
    call->began = registration_count;
    if (!post->center->is_alive) { /* the hooks have released it */
        call->status = HeraldInvalidArgument;
        return;
    }
    call->post.kept = keeping_add(&wanted, post->immediately);
    if (!call->post.kept) {
        call->status = HeraldQueueFull;
        return;
    }
    report_figures.kept++;
    handles_give_to(call->post.kept, wanted.user_info);
    handles_give_to(call->post.kept, wanted.object);
    call->keeps = true;
    call->queued = post->center->queue.newest;
    decide(call);
}

static void keep_if_complete(struct call *call) {
    if (!call->waits_for_info && !call->waits_for_object && call->status == HeraldOK) keep(call);
}

void reference_keep_begin(const struct post *post) {
    bool is_possible = post->center && post->name;
    struct call *call = begin_call(is_possible ? POST : CALLS_NOBODY);
    call->post = *post;
    call->status = HeraldInvalidArgument;
    if (!is_possible) return;
    struct world_policies policies = reference_policies(post);
    call->waits_for_info = post->user_info && policies.info != HANDLES_NONE;
    call->waits_for_object = post->object && policies.object != HANDLES_NONE;
    call->answered_info = NULL;
    call->answered_object = call->waits_for_object ? NULL : post->object;
    if (!post->user_info || call->waits_for_info) call->status = HeraldOK;
    keep_if_complete(call);
}

HeraldStatus reference_keep_end(size_t *called) {
    struct call *call = &calls[call_count - 1];
    if (call->status == HeraldInvalidArgument) call->waits_for_info = call->waits_for_object = false;
    end_call();
    *called = call->called;
    return call->status;
}

bool reference_is_keeping(void) {
    const struct call *call = call_count ? &calls[call_count - 1] : NULL;
    return call && (call->waits_for_info || call->waits_for_object);
}

static bool is_followed(const struct center *center) {
    for (unsigned i = 0; i < registration_count; i++)
        if (registrations[i].follows && registrations[i].state == ACTIVE && registrations[i].center == center)
            return true;
    return false;
}

/* A hook may run between two deliveries, and between the last one and the end of a drain or of a lane. */
bool reference_may_call_in_release(void) {
    const struct call *call = call_count ? &calls[call_count - 1] : NULL;
    for (unsigned i = 0; i < call_count; i++)
        if (calls[i].is_draining) return false;
    if (!call || call->kind == CALLS_NOBODY) return call != NULL;
    return call->kind == POST && !is_followed(call->post.center);
}

void reference_retained(bool is_object, const void *thing, const void *answer) {
    if (!reference_is_keeping()) {
        if (call_count && calls[call_count - 1].keeps) report_difference("R25: a retain hook ran twice in a kept post");
        return;
    }
    struct call *call = &calls[call_count - 1];
    bool *waits = is_object ? &call->waits_for_object : &call->waits_for_info;
    if (!*waits) report_difference("R25: a retain hook ran twice in a kept post");
    if (thing != (is_object ? call->post.object : call->post.user_info))
        report_difference("R25: a retain hook got %s", world_label(thing));
    *waits = false;
    *(is_object ? &call->answered_object : &call->answered_info) = answer;
    if (!answer) call->status = HeraldInvalidArgument;
    keep_if_complete(call);
}

void reference_follow_begin(struct registration *follower) {
    struct call *call = begin_call(FOLLOW);
    call->post.center = follower->center;
    keeping_follow(follower);
    deliver_lane(call, follower);
}

void reference_follow_end(void) { end_call(); }

/* ---- Callbacks -------------------------------------------------------------------------------------------------- */

static void begin_activity(const struct registration *called, bool is_marked, const void *tag) {
    if (activity_count == REFERENCE_DEPTH) report_difference("callbacks are nested too deeply for the model");
    activities[activity_count++] = (struct activity){!called, is_marked, called, tag};
    if (activity_count > report_figures.deepest) report_figures.deepest = activity_count;
}

unsigned reference_depth(void) { return activity_count; }

static void check_who(const struct registration *r, HeraldCenterRef center, const void *observer) {
    if (center != r->center->real) report_difference("registration %u was called with another center", r->index);
    if (observer != r->observer)
        report_difference("registration %u was called with %s", r->index, world_label(observer));
}

static void check_post(unsigned index, const struct post *post, HeraldNameRef name, const void *object,
                       const void *user_info) {
    if (name != post->name)
        report_difference("registration %u was called with the name %s", index, world_label_name(name));
    if (object != post->object) report_difference("registration %u was called with %s", index, world_label(object));
    if (user_info != post->user_info)
        report_difference("registration %u was called with %s", index, world_label(user_info));
}

static void check_delivery(const struct delivery *delivery, HeraldNameRef name, const void *object,
                           const void *user_info) {
    if (name != delivery->name)
        report_difference("R16: a held post came with the name %s, not %s", world_label_name(name),
                          world_label_name(delivery->name));
    handles_check("object", object, delivery->object, delivery->object_policy);
    handles_check("userInfo", user_info, delivery->user_info, delivery->info_policy);
}

static void check_kept(unsigned index, const struct kept_post *kept, HeraldNameRef name, const void *object,
                       const void *user_info) {
    check_post(index, &(struct post){.name = kept->name, .object = kept->object, .user_info = kept->user_info}, name,
               object, user_info);
    handles_check_retained("object", object);
    handles_check_retained("userInfo", user_info);
}

static struct step expect(struct call *call, unsigned index) {
    struct step step = next_step(call, index);
    if (!step.registration) report_difference("registration %u was called, and nobody was to be", index);
    if (step.registration->index != index)
        report_difference("registration %u was called, and %u was to be", index, step.registration->index);
    return step;
}

void reference_callback_begin(unsigned index, HeraldCenterRef center, const void *observer, HeraldNameRef name,
                              const void *object, const void *user_info) {
    report_trace(2 * activity_count + 1, "callback of registration %u", index);
    report_figures.callbacks++;
    if (!call_count) report_difference("registration %u was called outside of any call", index);
    struct call *call = &calls[call_count - 1];
    check_nothing_is_due(call_count - 1);
    struct step step = expect(call, index);
    check_who(step.registration, center, observer);
    step.registration->running++;
    if (step.lane.kind == KEEPING_BEGAN) report_difference("R25: registration %u was called before began", index);
    if (step.lane.kind != KEEPING_NOTHING) {
        bool is_marked = step.lane.kind == KEEPING_MARKED;
        *(is_marked ? &report_figures.marked : &report_figures.later) += 1;
        check_kept(index, step.lane.post, name, object, user_info);
        begin_activity(step.registration, is_marked, step.lane.post->tag);
        keeping_take(step.registration);
        call->called++;
    } else if (step.delivery) {
        report_figures.held++;
        if (step.delivery->kept) {
            check_kept(index, step.delivery->kept, name, object, user_info);
        } else {
            check_delivery(step.delivery, name, object, user_info);
        }
        begin_activity(step.registration, false, step.delivery->tag);
        queue_remove_first(&call->post.center->queue);
    } else {
        check_post(index, &call->post, name, object, user_info);
        begin_activity(step.registration, false, call->post.tag);
        call->next++;
        call->called++;
    }
    reference_compare();
}

void reference_began_begin(unsigned index, const void *observer, size_t kept, HeraldStatus status) {
    report_trace(2 * activity_count + 1, "began of registration %u, with %zu", index, kept);
    report_figures.began++;
    if (!call_count) report_difference("registration %u was called outside of any call", index);
    struct call *call = &calls[call_count - 1];
    check_nothing_is_due(call_count - 1);
    struct step step = expect(call, index);
    if (step.lane.kind != KEEPING_BEGAN) report_difference("R25: began of registration %u was called", index);
    check_who(step.registration, step.registration->center->real, observer);
    if (status != HeraldOK) report_difference("R25: registration %u began with status %d", index, (int)status);
    if (kept != step.registration->start_count)
        report_difference("R25: registration %u began with %zu posts, not %zu", index, kept,
                          step.registration->start_count);
    step.registration->running++;
    begin_activity(step.registration, false, NULL);
    keeping_take(step.registration);
    reference_compare();
}

void reference_callback_end(unsigned index) {
    activity_count--;
    struct registration *registration = &registrations[index];
    if (--registration->running == 0) registration->due = call_count - 1;
}

/* ---- Hooks ------------------------------------------------------------------------------------------------------ */

static struct registration *check_hook(unsigned index, const char *hook) {
    report_trace(2 * activity_count + 1, "%s hook of registration %u", hook, index);
    report_figures.hooks++;
    struct registration *r = &registrations[index];
    if (index >= registration_count || r->state == FAILED)
        report_difference("R10: the %s hook of registration %u ran, which was not added", hook, index);
    if (r->state == ACTIVE) report_difference("R10: the %s hook ran while registration %u lasts", hook, index);
    if (r->running) report_difference("R10: the %s hook ran during a call of registration %u", hook, index);
    return r;
}

/* R16: held posts of a registration are dropped before its release. A post or a resume may still retain its object, so
 * this is checked only outside of them. */
static void check_nothing_is_held(void) {
    if (call_count > 1 || activity_count || (call_count == 1 && calls[0].kind != CALLS_NOBODY)) return;
    for (unsigned i = 0; i < center_count; i++)
        if (centers[i].queue.count) return;
    if (handles_held_count())
        report_difference("R16: nothing is held, but %zu things are still retained", handles_held_count());
}

/* R25: what was still to be delivered to a follower is released before its release hook runs. */
static void check_kept_handles(void) {
    if (!activity_count && (!call_count || (call_count == 1 && calls[0].kind == CALLS_NOBODY))) keeping_check_handles();
}

void reference_release_begin(unsigned index, const void *observer) {
    struct registration *r = check_hook(index, "release");
    if (!r->has_release || r->is_released) report_difference("R10: the release of registration %u ran again", index);
    if (observer != r->observer) report_difference("R10: registration %u released %s", index, world_label(observer));
    check_nothing_is_held();
    if (r->center->is_alive) check_kept_handles(); /* a center's end forgets after it has ended its registrations */
    r->is_released = true;
    begin_activity(NULL, false, NULL);
    reference_compare();
}

void reference_release_object_begin(unsigned index, const void *object) {
    struct registration *r = check_hook(index, "releaseObject");
    if (!r->has_object_release || r->is_object_released)
        report_difference("R12: the object of registration %u was released again", index);
    if (r->has_release && !r->is_released)
        report_difference("R12: the object of registration %u was released before its observer", index);
    if (object != r->object) report_difference("R12: registration %u released %s", index, world_label(object));
    r->is_object_released = true;
    begin_activity(NULL, false, NULL);
    reference_compare();
}

void reference_hook_end(void) { activity_count--; }

void reference_look_begin(void) { begin_activity(NULL, false, NULL); }
void reference_look_end(void) { activity_count--; }

/* ---- Comparisons ------------------------------------------------------------------------------------------------ */

/* R21. In a hook both NULL and the tag of the callback around it are allowed. */
static void compare_tag(void) {
    const void *tag = HeraldGetCurrentTag();
    unsigned at = activity_count;
    if (at && activities[at - 1].is_hook && !tag) return;
    while (at && activities[at - 1].is_hook) at--;
    const void *expected = at ? activities[at - 1].tag : NULL;
    if (tag != expected) report_difference("R21: the tag is %s, not %s", world_label(tag), world_label(expected));
}

/* R25. In a hook both false and the mark of the callback around it are allowed. */
static void compare_mark(void) {
    bool is_kept = HeraldPostIsKept();
    unsigned at = activity_count;
    if (at && activities[at - 1].is_hook && !is_kept) return;
    while (at && activities[at - 1].is_hook) at--;
    if (is_kept != (at && activities[at - 1].is_marked))
        report_difference("R25: a call is %smarked as kept", is_kept ? "" : "not ");
}

/* R9. In a hook both {0, 0} and the token of the callback around it are allowed. What the caller did not ask for, the
 * model does not know. */
static void compare_token(void) {
    HeraldToken token = HeraldGetCurrentToken(), none = {0, 0};
    unsigned at = activity_count;
    if (at && activities[at - 1].is_hook && equal_tokens(token, none)) return;
    while (at && activities[at - 1].is_hook) at--;
    const struct registration *called = at ? activities[at - 1].registration : NULL;
    if (called && equal_tokens(called->token, none)) return;
    if (!equal_tokens(token, called ? called->token : none))
        report_difference("R9: the current token is not that of %s", called ? "the call" : "nothing");
}

static void compare_center(const struct center *center) {
    if (HeraldCenterIsSuspended(center->real) != center->is_suspended)
        report_difference("R16: a center is %ssuspended", center->is_suspended ? "not " : "");
    uint64_t dropped = HeraldCenterGetDroppedPostCount(center->real);
    uint64_t least = center->dropped + center->least_dropped, most = center->dropped + center->most_dropped;
    if (dropped < least || dropped > most)
        report_difference("R16: a center dropped %llu posts, not %llu to %llu", (unsigned long long)dropped,
                          (unsigned long long)least, (unsigned long long)most);
    size_t limit = 0, kept = HeraldCenterGetKeptCount(center->real, &limit, NULL), expected = keeping_count(center);
    if (kept != expected) report_difference("R25: a center keeps %zu posts, not %zu", kept, expected);
    if (limit != center->kept_limit) report_difference("R25: a center has the limit %zu", limit);
}

void reference_compare(void) {
    compare_tag();
    compare_mark();
    compare_token();
    for (unsigned i = 0; i < center_count; i++)
        if (centers[i].is_alive) compare_center(&centers[i]);
    if (!call_count) check_nothing_is_held();
    if (!call_count) check_kept_handles();
}

void reference_end(void) {
    if (call_count || activity_count) report_difference("a call has not ended");
    for (unsigned i = 0; i < registration_count; i++) {
        const struct registration *r = &registrations[i];
        if (r->state == ACTIVE) report_difference("registration %u was not removed by the clean-up", i);
        if (is_owed(r)) report_difference("R10: the release of registration %u never ran", i);
    }
    for (unsigned i = 0; i < center_count; i++) queue_destroy(&centers[i].queue);
    if (handles_count()) report_difference("R16, R25: %zu things are still retained at the end", handles_count());
}
