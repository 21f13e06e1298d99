#include "reference.h"
#include "kept.h"
#include "queue.h"
#include "report.h"
#include "world.h"

/* A call of the library that is in progress. */
struct call {
    enum { CALLS_NOBODY, POST, RESUME } kind;
    struct post post;
    uint64_t began, queued;                    /* how many registrations there were, and the newest delivery */
    bool is_draining;                          /* it delivers from the queue */
    uint16_t members[REFERENCE_REGISTRATIONS]; /* the observers that the post itself calls */
    unsigned count, next;
    size_t called;
};

/* A callback or hook that is in progress. */
struct activity {
    bool is_hook;
    const void *tag;
};

static struct center centers[REFERENCE_CENTERS];
static struct registration registrations[REFERENCE_REGISTRATIONS];
static struct call calls[REFERENCE_DEPTH];
static struct activity activities[REFERENCE_DEPTH];
static unsigned center_count, registration_count, call_count, activity_count;

void reference_begin(void) { center_count = registration_count = call_count = activity_count = 0; }

/* ---- Centers ---------------------------------------------------------------------------------------------------- */

struct center *reference_add_center(HeraldCenterRef real, const HeraldCenterOptions *options) {
    if (center_count == REFERENCE_CENTERS) return NULL;
    struct center *center = &centers[center_count++];
    *center = (struct center){.real = real, .is_alive = true, .references = 1, .limit = 1024};
    if (!options) return center;
    center->keeps_user_info = options->retainUserInfo != NULL;
    center->keeps_object = options->retainObject != NULL;
    if (options->heldPostLimit) center->limit = options->heldPostLimit;
    return center;
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
    queue_remove_registration(&registration->center->queue, registration);
}

void reference_remove_matching(struct center *center, const void *observer, HeraldNameRef name, const void *object) {
    if (!center || !observer) return;
    for (unsigned i = 0; i < registration_count; i++) {
        struct registration *r = &registrations[i];
        if (r->state == ACTIVE && r->center == center && r->observer == observer && (!name || r->name == name) &&
            (!object || r->object == object))
            remove_registration(r);
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
}

/* ---- Who is called ---------------------------------------------------------------------------------------------- */

/* R1 */
static bool matches(const struct registration *r, const struct post *post) {
    return r->state == ACTIVE && r->center == post->center && fits(r, post);
}

enum { DROP = 1 << 1, COALESCE = 1 << 2, HOLD = 1 << 3, AT_ONCE = 1 << 4, EVERY = DROP | COALESCE | HOLD | AT_ONCE };

/* R5: only registrations that existed when the post began. */
static bool hears(const struct call *call, const struct registration *r, unsigned behaviors) {
    return r->index < call->began && matches(r, &call->post) && behaviors >> r->behavior & 1;
}

static bool is_heard(const struct call *call, unsigned behaviors) {
    for (unsigned i = 0; i < registration_count; i++)
        if (hears(call, &registrations[i], behaviors)) return true;
    return false;
}

static void keep(const struct call *call, unsigned behaviors) {
    for (unsigned i = 0; i < registration_count; i++)
        if (hears(call, &registrations[i], behaviors)) queue_add(call->post.center, &registrations[i], &call->post);
}

/* On a suspended center, immediate observers come first. Deliveries that are kept behind them wait for the resume. */
static void keep_in_order(const struct call *call, unsigned behaviors) {
    if (!call->post.center->is_suspended) {
        keep(call, behaviors);
        return;
    }
    keep(call, behaviors & AT_ONCE);
    keep(call, behaviors & ~(unsigned)AT_ONCE);
}

static bool holds_earlier_posts(const struct call *call, const struct queue *queue) {
    return queue->count && queue->deliveries[0].number <= call->queued;
}

/* R2: the index is the order of registration. */
static void choose(struct call *call, unsigned behaviors) {
    for (unsigned i = 0; i < registration_count; i++)
        if (hears(call, &registrations[i], behaviors)) call->members[call->count++] = (uint16_t)i;
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
    unsigned kept = 0, at_once = EVERY;
    if (!call->post.immediately && center->is_suspended) {
        kept = center->is_draining ? COALESCE | HOLD | AT_ONCE : COALESCE | HOLD;
        at_once = AT_ONCE & ~kept;
    } else if (!call->post.immediately && center->is_draining) {
        kept = EVERY;
        at_once = 0;
    }
    keep_in_order(call, kept);
    choose(call, at_once);
}

/* The next step of a call: a delivery from the queue, a registration of its own, or nothing. */
struct step {
    const struct delivery *delivery;
    struct registration *registration;
};

static struct step next_step(struct call *call) {
    struct center *center = call->post.center;
    while (call->is_draining) {
        const struct delivery *delivery = queue_next(center);
        if (delivery) return (struct step){delivery, delivery->registration};
        call->is_draining = false;
        center->is_draining = false;
        if (call->kind == POST) decide(call);
    }
    while (call->next < call->count && registrations[call->members[call->next]].state != ACTIVE) call->next++; /* R6 */
    if (call->next == call->count) return (struct step){NULL, NULL};
    return (struct step){NULL, &registrations[call->members[call->next]]};
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static struct call *begin_call(int kind) {
    if (call_count == REFERENCE_DEPTH) report_difference("calls are nested too deeply for the model");
    struct call *call = &calls[call_count++];
    call->kind = kind;
    call->post = (struct post){0};
    call->began = registration_count;
    call->is_draining = false;
    call->count = call->next = 0;
    call->called = 0;
    return call;
}

static void end_call(void) {
    struct call *call = &calls[call_count - 1];
    struct step step = next_step(call);
    if (step.registration) report_difference("R1, R16: registration %u has not been called", step.registration->index);
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
}

void reference_suspend_end(void) { end_call(); }

/* ---- Callbacks -------------------------------------------------------------------------------------------------- */

static void begin_activity(bool is_hook, const void *tag) {
    if (activity_count == REFERENCE_DEPTH) report_difference("callbacks are nested too deeply for the model");
    activities[activity_count++] = (struct activity){is_hook, tag};
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

static void check_delivery(const struct center *center, const struct delivery *delivery, HeraldNameRef name,
                           const void *object, const void *user_info) {
    if (name != delivery->name)
        report_difference("R16: a held post came with the name %s, not %s", world_label_name(name),
                          world_label_name(delivery->name));
    kept_check("object", object, delivery->object, center->keeps_object);
    kept_check("userInfo", user_info, delivery->user_info, center->keeps_user_info);
}

void reference_callback_begin(unsigned index, HeraldCenterRef center, const void *observer, HeraldNameRef name,
                              const void *object, const void *user_info) {
    report_trace(2 * activity_count + 1, "callback of registration %u", index);
    report_figures.callbacks++;
    if (!call_count) report_difference("registration %u was called outside of any call", index);
    struct call *call = &calls[call_count - 1];
    check_nothing_is_due(call_count - 1);
    struct step step = next_step(call);
    if (!step.registration) report_difference("registration %u was called, and nobody was to be", index);
    if (step.registration->index != index)
        report_difference("registration %u was called, and %u was to be", index, step.registration->index);
    check_who(step.registration, center, observer);
    step.registration->running++;
    if (step.delivery) {
        report_figures.held++;
        check_delivery(call->post.center, step.delivery, name, object, user_info);
        begin_activity(false, step.delivery->tag);
        queue_remove_first(&call->post.center->queue);
    } else {
        check_post(index, &call->post, name, object, user_info);
        begin_activity(false, call->post.tag);
        call->next++;
        call->called++;
    }
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
static void check_nothing_is_kept(void) {
    if (call_count > 1 || activity_count || (call_count == 1 && calls[0].kind != CALLS_NOBODY)) return;
    for (unsigned i = 0; i < center_count; i++)
        if (centers[i].queue.count) return;
    if (kept_count()) report_difference("R16: nothing is held, but %zu things are still kept", kept_count());
}

void reference_release_begin(unsigned index, const void *observer) {
    struct registration *r = check_hook(index, "release");
    if (!r->has_release || r->is_released) report_difference("R10: the release of registration %u ran again", index);
    if (observer != r->observer) report_difference("R10: registration %u released %s", index, world_label(observer));
    check_nothing_is_kept();
    r->is_released = true;
    begin_activity(true, NULL);
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
    begin_activity(true, NULL);
    reference_compare();
}

void reference_hook_end(void) { activity_count--; }

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

static void compare_center(const struct center *center) {
    if (HeraldCenterIsSuspended(center->real) != center->is_suspended)
        report_difference("R16: a center is %ssuspended", center->is_suspended ? "not " : "");
    uint64_t dropped = HeraldCenterGetDroppedPostCount(center->real);
    if (dropped != center->dropped)
        report_difference("R16: a center dropped %llu posts, not %llu", (unsigned long long)dropped,
                          (unsigned long long)center->dropped);
}

void reference_compare(void) {
    compare_tag();
    for (unsigned i = 0; i < center_count; i++)
        if (centers[i].is_alive) compare_center(&centers[i]);
    if (!call_count) check_nothing_is_kept();
}

void reference_end(void) {
    if (call_count || activity_count) report_difference("a call has not ended");
    for (unsigned i = 0; i < registration_count; i++) {
        const struct registration *r = &registrations[i];
        if (r->state == ACTIVE) report_difference("registration %u was not removed by the clean-up", i);
        if (is_owed(r)) report_difference("R10: the release of registration %u never ran", i);
    }
    for (unsigned i = 0; i < center_count; i++) queue_destroy(&centers[i].queue);
    if (kept_count()) report_difference("R16: %zu things are still kept at the end", kept_count());
}
