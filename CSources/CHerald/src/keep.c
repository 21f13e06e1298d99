/* Kept posts (R25): keeping, taking, forgetting and visiting. follower.c delivers them.
 *
 * Ordering: See follower.c. Progress: A kept post takes the center's lock once, and twice more for each call of a
 * follower. Ownership: Each function has its own reference to the held posts that it works on.
 *
 * This file calls observers and hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "keep.h"
#include "carried.h"
#include "copy.h"
#include "deliver.h"
#include "entry_points.h"
#include "error.h"
#include "first.h"
#include "hold.h"
#include "memory.h"
#include "plan.h"
#include "span.h"
#include "suspension.h"
#include "topic.h"

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

static HeraldStatus fail(HeraldStatus status, const void *tag) {
    switch (status) {
    case HeraldOutOfMemory: return herald_fail_of_memory();
    case HeraldQueueFull:
        return herald_fail(status,
                           tag == &herald_message_tag
                               ? "the center keeps as many posts as it may, or the kept messages of the process "
                                 "take as much memory as they may: 16 MiB"
                               : "the center keeps as many posts as it may: keptPostLimit");
    default:
        return herald_fail(status,
                           "userInfo cannot be kept: neither the tag nor the center has a hook that retains it, "
                           "or a hook has returned NULL");
    }
}

/* Keeps the held post, whose reference passes to the cell, and makes the post. */
HERALD_INLINE HeraldStatus post_held(struct herald_held **held, const struct herald_post *post, unsigned options,
                                     size_t *called) {
    HeraldCenterRef center = post->center;
    struct herald_kept_post kept = {post, NULL, 0, !herald_thread_is_inside()};
    struct herald_held *unused __attribute__((cleanup(herald_held_free_list))) = NULL;
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, post->tag, post->userInfo);
    struct herald_found found;
    uint32_t flags = HERALD_STEP(KEPT_QUEUE) ? 0 : load_relaxed(&center->index.flags);
    herald_center_lock(center);
    if (HERALD_STEP(KEPT_QUEUE)) flags = load_relaxed(&center->index.flags);
    bool is_suspended = center->queue.suspended, hurries = options & HeraldPostDeliverImmediately;
    bool closed = center->closed;
    struct herald_cell *cell = NULL;
    struct herald_held *queueable = NULL; /* a reference for the queue */
    HeraldStatus status =
        closed ? HeraldInvalidArgument : herald_kept_put(center, *held, is_suspended && !hurries, &cell, &unused);
    bool queued = flags & HERALD_FLAG_QUEUE && status == HeraldOK;
    bool fencing = call.overflow || flags & HERALD_FLAG_FENCING;
    uint64_t limit = center->index.committed;
    if (status == HeraldOK) {
        kept.number = (*held)->number;
        kept.object = cell->object;
        if (herald_unlikely(is_suspended && hurries)) herald_follower_hurry(&kept);
        if (herald_unlikely(center->keeping->followers)) herald_follower_sweep(center, cell, &unused);
        if (herald_unlikely(queued)) {
            herald_held_lend(*held);
            queueable = *held;
        } else {
            herald_found_under_lock(&found, post, call.frame, limit);
        }
        *held = NULL;
    }
    bool one_by_one = fencing || herald_span_wanted(center) || (status == HeraldOK && center->keeping->followers);
    herald_center_unlock(center);
    if (herald_likely(status == HeraldOK && !queued))
        *called = one_by_one ? herald_follower_walk(&kept, &call, &found, HERALD_EVERY_BEHAVIOR, fencing)
                             : herald_deliver_found(call.frame, &found, post);
    herald_overflow_call_end(&call);
    if (closed) return herald_fail(status, "the center has been released");
    if (status != HeraldOK) return fail(status, post->tag);
    if (herald_unlikely(queued)) *called = herald_suspension_post_kept(&kept, queueable, limit, options);
    return HeraldOK;
}

HERALD_INLINE HeraldStatus keep(const struct herald_post *post, unsigned options, size_t *called) {
    struct herald_held *held __attribute__((cleanup(herald_held_release))) = NULL;
    HeraldStatus status = herald_hold(post, true, &held);
    return herald_likely(status == HeraldOK) ? post_held(&held, post, options, called) : fail(status, post->tag);
}

HERALD_SLOW static HeraldStatus keep_traced(const struct herald_post *post, unsigned options, size_t *called,
                                            const void *caller) {
    HERALD_SPAN(span);
    herald_span_begin_post(&span, post, post->center->number, options, caller);
    HeraldStatus status = keep(post, options, called);
    span.event.calls = *called;
    herald_span_end(&span, status == HeraldOK ? HeraldTraceReturned : HeraldTraceDropped);
    return status;
}

HeraldStatus herald_keep(const struct herald_post *post, unsigned options, size_t *called, const void *caller) {
    HERALD_GUARD_MEMORY(guard, post->center); /* a hook may release the center */
    return herald_unlikely(herald_span_wanted(post->center)) ? keep_traced(post, options, called, caller)
                                                             : keep(post, options, called);
}

HeraldStatus herald_own_herald_kept_post_from(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                              const void *userInfo, const void *tag, unsigned options, size_t *called,
                                              const void *caller) {
    size_t mine = 0;
    if (called) *called = 0;
    if (!center || !name) return herald_fail(HeraldInvalidArgument, "the center or the name is NULL");
    herald_center_check(center, "herald: HeraldCenterPostKept: this center has been released.");
    if (center->transport.size)
        return herald_fail(HeraldInvalidArgument, "this center reaches beyond the process and cannot carry userInfo");
    const struct herald_post post = {center, name, object, userInfo, tag, NULL};
    HeraldStatus status = herald_keep(&post, options, &mine, caller);
    if (called) *called = mine;
    return status;
}

HeraldStatus HeraldCenterPostKept(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                                  const void *tag, unsigned options, size_t *called) {
    return herald_kept_post_from(center, name, object, userInfo, tag, options, called, __builtin_return_address(0));
}

HeraldStatus herald_own_herald_kept_topic_post_from(HeraldTopicRef topic, const void *userInfo, const void *tag,
                                                    size_t *called, const void *caller) {
    if (called) *called = 0;
    if (!topic) return herald_fail(HeraldInvalidArgument, "the topic is NULL");
    herald_topic_check(topic);
    if (topic->is_unnamed) return herald_fail(HeraldInvalidArgument, "a topic without a name keeps nothing");
    return herald_own_herald_kept_post_from(topic->center, topic->name, topic->object, userInfo, tag, 0, called,
                                            caller);
}

HeraldStatus HeraldTopicPostKept(HeraldTopicRef topic, const void *userInfo, const void *tag, size_t *called) {
    return herald_kept_topic_post_from(topic, userInfo, tag, called, __builtin_return_address(0));
}

bool herald_own_HeraldPostIsKept(void) {
    const struct herald_frame *frame = herald_call_frame();
    return frame && load_relaxed(&frame->hazard) & HERALD_BEGINS;
}

/* ---- What is kept ----------------------------------------------------------------------------------------------- */

bool herald_own_HeraldCenterTakeKept(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                     void (*take)(void *context, const void *userInfo, const void *tag),
                                     void *context) {
    if (!center || !name || !take) return false;
    if (center->transport.size) return herald_carried_take(center, name, object, take, context);
    struct herald_held *held __attribute__((cleanup(herald_held_release))) = NULL;
    herald_center_lock(center);
    const struct herald_cell *cell = herald_kept_find(center, name, object, false);
    if (cell && cell->kept) herald_held_lend(held = cell->kept);
    herald_center_unlock(center);
    if (!held) return false;
    take(context, held->userInfo, held->tag);
    return true;
}

bool herald_own_HeraldCenterForget(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    if (!center || !name) return false;
    if (center->transport.size) return herald_carried_forget(center, name, object);
    struct herald_held *unused = NULL;
    herald_center_lock(center);
    struct herald_cell *cell = herald_kept_find(center, name, object, false);
    bool forgotten = cell && herald_kept_forget(center, cell, &unused);
    herald_center_unlock(center);
    herald_held_free_all(unused);
    return forgotten;
}

size_t herald_own_HeraldCenterGetKeptCount(HeraldCenterRef center, size_t *limit, uint64_t *messageBytes) {
    size_t count = 0;
    if (center) {
        herald_center_lock(center);
        if (center->keeping) count = center->keeping->count;
        herald_center_unlock(center);
    }
    if (limit) *limit = center ? center->options.keptPostLimit : 0;
    if (messageBytes) *messageBytes = herald_copy_bytes_kept();
    return count;
}

/* The held posts that a visit shows. */
struct visit {
    struct herald_held **all;
    uint32_t count, room, at;
};

static void visit_end(struct visit *visit) {
    struct herald_held *unused = NULL;
    while (visit->at < visit->count) herald_held_unuse(visit->all[visit->at++], &unused);
    free(visit->all);
    herald_held_free_all(unused);
}

/* Takes a reference to all that the center keeps. Returns false when memory is out. */
static bool take_all(HeraldCenterRef center, struct visit *visit) {
    for (;;) {
        herald_center_lock(center);
        struct herald_keeping *keeping = center->keeping;
        uint32_t count = keeping ? keeping->count : 0, at = 0;
        if (count <= visit->room) {
            for (struct herald_cell *cell;
                 count && (cell = (struct herald_cell *)ground_table_next(&keeping->cells, &at));) {
                if (!cell->kept) continue;
                herald_held_lend(cell->kept);
                visit->all[visit->count++] = cell->kept;
            }
            herald_center_unlock(center);
            return true;
        }
        herald_center_unlock(center);
        free(visit->all);
        visit->room = count + count / 8 + 8;
        visit->all = (struct herald_held **)malloc(visit->room * sizeof visit->all[0]);
        if (!visit->all) return false;
    }
}

void herald_own_HeraldCenterVisitKept(HeraldCenterRef center,
                                      void (*visit)(void *context, HeraldNameRef name, const void *object,
                                                    const void *userInfo, const void *tag),
                                      void *context) {
    if (!center || !visit) return;
    if (center->transport.size) {
        herald_carried_visit(center, visit, context);
        return;
    }
    struct visit visited __attribute__((cleanup(visit_end)));
    memset(&visited, 0, sizeof visited);
    if (!take_all(center, &visited)) return;
    for (uint32_t i = 0; i < visited.count; i++) {
        const struct herald_held *held = visited.all[i];
        HERALD_HOOKS(hooks);
        visit(context, held->name, herald_kept_object(held), held->userInfo, held->tag);
    }
}
