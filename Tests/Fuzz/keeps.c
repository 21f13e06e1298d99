#include "keeps.h"
#include "arguments.h"
#include "calls.h"
#include "input.h"
#include "keeping.h"

#include <herald/inspect.h>

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

enum { UNTOUCHED = 4242 };

static void check_kept_post(const char *call, HeraldStatus status, size_t called) {
    size_t expected;
    check_status(call, status, reference_keep_end(&expected));
    if (called != UNTOUCHED && called != expected)
        report_difference("R25: a kept post called %zu observers, not %zu", called, expected);
}

void keeps_post(struct center *center) {
    struct selection what = select_three();
    unsigned byte = input_byte(), more = input_byte();
    const void *user_info = world_user_info((byte & 7) % 5), *tag = world_tag((byte >> 3 & 7) % 6);
    unsigned options = byte >> 6 == 3 ? 1 : byte >> 6 == 2 ? 0xfffffffe : 0;
    if (!tag && center && center->is_local && more & 1) tag = world_tag(3); /* the local center has no hooks */
    if (more > 0xf0) what.object = world_object(WORLD_THINGS);              /* which hooks refuse */
    if (more & 2 && !what.name) what.name = world_name(1);
    bool wants_count = (more & 12) != 0;
    size_t called = UNTOUCHED;
    TRACE("keep: center %u, %s, %s, %s, %s%s", center_number(center), world_label_name(what.name),
          world_label(what.object), world_label(user_info), world_label(tag), options & 1 ? ", immediately" : "");
    reference_keep_begin(&(struct post){center, what.name, what.object, user_info, tag, options & 1, NULL});
    HeraldStatus status = HeraldCenterPostKept(real(center), what.name, what.object, user_info, tag, options,
                                               wants_count ? &called : NULL);
    if (wants_count && called == UNTOUCHED) report_difference("R25: a kept post did not say whom it has called");
    check_kept_post("PostKept", status, called);
}

void keeps_post_to_topic(HeraldTopicRef topic, struct post post) {
    size_t called = UNTOUCHED;
    reference_keep_begin(&post);
    HeraldStatus status = HeraldTopicPostKept(topic, post.user_info, post.tag, &called);
    if (called == UNTOUCHED) report_difference("R25: a kept post did not say whom it has called");
    check_kept_post("TopicPostKept", status, called);
}

/* ---- What is kept ----------------------------------------------------------------------------------------------- */

/* A name and an object, which may be one that a hook has made. */
static struct selection select_kept(const struct center *center) {
    struct selection what = select_three();
    unsigned skipped = input_byte();
    if (!center || skipped & 3) return what;
    const struct kept_post *at = keeping_next(center, NULL);
    for (skipped >>= 2; at && skipped % 8; skipped--) {
        const struct kept_post *next = keeping_next(center, at);
        if (next) at = next;
    }
    if (at) what = (struct selection){at->name, at->object, NULL};
    return what;
}

struct taking {
    const struct kept_post *expected;
    bool is_taken;
};

static void take(void *context, const void *user_info, const void *tag) {
    struct taking *taking = context;
    if (!taking->expected) report_difference("R25: something was taken, and nothing is kept");
    if (taking->is_taken) report_difference("R25: something was taken twice");
    taking->is_taken = true;
    for (int after_calls = 0; after_calls < 2; after_calls++) {
        if (user_info != taking->expected->user_info || tag != taking->expected->tag)
            report_difference("R25: %s, %s was taken", world_label(user_info), world_label(tag));
        handles_check_retained("userInfo", user_info);
        if (after_calls) break;
        reference_look_begin();
        calls_make_nested();
        reference_look_end();
    }
}

void keeps_take(struct center *center) {
    struct selection what = select_kept(center);
    TRACE("take: center %u, %s, %s", center_number(center), world_label_name(what.name), world_label(what.object));
    struct taking taking = {center && what.name ? keeping_find(center, what.name, what.object) : NULL, false};
    reference_call_begin();
    bool taken = HeraldCenterTakeKept(real(center), what.name, what.object, take, &taking);
    if (taken != (taking.expected != NULL) || taken != taking.is_taken)
        report_difference("R25: TakeKept answered %s", taken ? "true" : "false");
    reference_call_end();
}

void keeps_forget(struct center *center) {
    struct selection what = select_kept(center);
    TRACE("forget: center %u, %s, %s", center_number(center), world_label_name(what.name), world_label(what.object));
    struct kept_post *expected = center && what.name ? keeping_find(center, what.name, what.object) : NULL;
    reference_call_begin();
    if (expected) keeping_forget(expected);
    bool forgotten = HeraldCenterForget(real(center), what.name, what.object);
    if (forgotten != (expected != NULL)) report_difference("R25: Forget answered %s", forgotten ? "true" : "false");
    reference_call_end();
}

struct visiting {
    const struct kept_post *expected[REFERENCE_KEPT_POSTS];
    size_t count;
};

static void visit(void *context, HeraldNameRef name, const void *object, const void *user_info, const void *tag) {
    struct visiting *visiting = context;
    const struct kept_post *post = NULL;
    for (size_t i = 0; i < visiting->count && !post; i++) {
        if (visiting->expected[i]->name != name || visiting->expected[i]->object != object) continue;
        post = visiting->expected[i];
        visiting->expected[i] = visiting->expected[--visiting->count];
    }
    if (!post) report_difference("R25: a visit shows %s, %s", world_label_name(name), world_label(object));
    if (user_info != post->user_info || tag != post->tag)
        report_difference("R25: a visit shows %s, %s", world_label(user_info), world_label(tag));
    handles_check_retained("userInfo", user_info);
    reference_look_begin();
    calls_make_nested();
    reference_look_end();
    handles_check_retained("userInfo", user_info);
}

void keeps_visit(struct center *center) {
    TRACE("visit: center %u", center_number(center));
    struct visiting visiting = {.count = 0};
    for (const struct kept_post *at = NULL; center && (at = keeping_next(center, at));)
        visiting.expected[visiting.count++] = at;
    reference_call_begin();
    HeraldCenterVisitKept(real(center), visit, &visiting);
    if (visiting.count) report_difference("R25: a visit has not shown %zu posts", visiting.count);
    reference_call_end();
}

/* ---- Ends ------------------------------------------------------------------------------------------------------- */

static void take_nothing(void *context, const void *user_info, const void *tag) {
    (void)context, (void)user_info, (void)tag;
    report_difference("R25: a center that has ended keeps something");
}

static void visit_nothing(void *context, HeraldNameRef name, const void *object, const void *user_info,
                          const void *tag) {
    (void)name, (void)object;
    take_nothing(context, user_info, tag);
}

void keeps_check_ended(HeraldCenterRef ended) {
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept};
    HeraldToken token = {7, 7};
    size_t called = UNTOUCHED;
    if (HeraldCenterPostKept(ended, world_name(1), NULL, NULL, NULL, 0, &called) != HeraldInvalidArgument || called)
        report_difference("R19: a post was kept in a center that has ended");
    if (HeraldCenterAddObserverWithOptions(ended, NULL, (HeraldCallback)(void (*)(void))take_nothing, world_name(1),
                                           NULL, &options, &token) == HeraldOK ||
        token.registration)
        report_difference("R19: an observer was added to a center that has ended");
    for (unsigned name = 1; name <= WORLD_NAMES; name++)
        if (HeraldCenterTakeKept(ended, world_name(name), NULL, take_nothing, NULL) ||
            HeraldCenterForget(ended, world_name(name), NULL))
            report_difference("R25: a center that has ended keeps something");
    HeraldCenterVisitKept(ended, visit_nothing, NULL);
    if (HeraldCenterGetKeptCount(ended, NULL, NULL)) report_difference("R25: a center that has ended keeps something");
}

void keeps_forget_all(struct center *center) {
    for (struct kept_post *at; (at = keeping_next(center, NULL));) {
        reference_call_begin();
        keeping_forget(at);
        if (!HeraldCenterForget(center->real, at->name, at->object))
            report_difference("R25: %s, %s is not kept", world_label_name(at->name), world_label(at->object));
        reference_call_end();
    }
}
