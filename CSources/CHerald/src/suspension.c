/* Suspension: holding posts, and delivering held posts.
 *
 * Ordering: The center's lock protects the queue. Only one thread at a time delivers from the queue. This thread is the
 * drainer. While there is a drainer, new posts come after what it delivers (exceptions: R16). Outside of callbacks a
 * new post waits for the drainer (backlog.h). In a callback the post joins the queue instead. A delivery sets its
 * hazard pointers, on the slot and the snapshot, under the center's lock. A removal takes the same lock, and so sees
 * the hazard pointers.
 * Progress: A post in a callback never waits for the drainer. Any other post stops waiting when no delivery has
 * returned for a tenth of a second. The queue has two limits. One is heldPostLimit, for each registration. The other
 * limits how many posts of other threads queue behind the drainer. Further posts are dropped, so that the drain ends.
 * Ownership: All deliveries of a post share one held post. The held post is released, under no lock, when the last of
 * these deliveries has been made or forgotten. The hooks that release a held post come from the same options as the
 * hooks that have retained it: the options of the tag, or of the center.
 *
 * This file calls observers and hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "suspension.h"
#include "backlog.h"
#include "hold.h"
#include "deliver.h"
#include "entry_points.h"
#include "job.h"
#include "memory.h"
#include "plan.h"
#include "span.h"
#include "tag.h"
#include "under.h"

/* A thread's reference to a held post. If `delivers` is true, the reference belongs to the delivery that the thread is
 * making. The clean-up gives up the reference, even if an observer throws. */
struct errand {
    HeraldCenterRef center;
    struct herald_held *held;
    bool delivers;
};

static void errand_end(struct errand *errand) {
    if (!errand->held) return;
    struct herald_held *unused = NULL;
    herald_center_lock(errand->center);
    herald_held_unuse(errand->delivers ? herald_backlog_return(&errand->center->queue) : errand->held, &unused);
    herald_center_unlock(errand->center);
    herald_held_free_all(unused);
}

/* ---- Delivering held posts --------------------------------------------------------------------------------------- */

/* Under the center's lock: ends the drain. Afterwards no thread is the drainer. If an observer has thrown, deliveries
 * may be left. The next post makes them. */
static void end_drain(HeraldCenterRef center) {
    herald_backlog_end(&center->queue);
    herald_center_update_flags(center);
}

/* Under the center's lock: whether this thread is to make another delivery. If not, this thread is no longer the
 * drainer when the function returns. */
static bool goes_on(HeraldCenterRef center) {
    struct herald_queue *queue = &center->queue;
    bool more = queue->first && (!queue->suspended || queue->first->number <= queue->until);
    if (!more) end_drain(center);
    return more && !herald_backlog_hand_over(queue);
}

/* Makes the next delivery, if there is one for this thread. */
static bool deliver_next(HeraldCenterRef center) {
    struct errand errand __attribute__((cleanup(errand_end)));
    HERALD_OVERFLOW_CALL(call);
    errand.center = center;
    errand.held = NULL;
    errand.delivers = true;
    herald_overflow_call_begin(&call, NULL, NULL);
    herald_center_lock(center);
    if (!goes_on(center)) {
        herald_center_unlock(center);
        herald_overflow_call_end(&call);
        return false;
    }
    struct herald_slot *slot; /* it is there, because a removal also takes the slot's deliveries off the queue */
    struct herald_held *held = errand.held = herald_queue_take_first(&center->queue, &slot);
    herald_call_show_alone(call.frame, slot);
    call.frame->tag = call.activity.tag = held->tag;
    call.frame->userInfo = call.activity.userInfo = held->userInfo;
    herald_center_unlock(center);

    const struct herald_post post = {center, held->name, held->object, held->userInfo, held->tag, NULL};
    if (herald_call_is_allowed(slot)) herald_deliver_either(call.frame, slot, &post, herald_span_wanted(center));
    herald_call_leave_alone(call.frame, slot);
    herald_overflow_call_end(&call);
    return true;
}

/* The clean-up of a drain. If an observer has cut the drain short, by an exception or by ending the thread, ends the
 * drain. */
static void draining_end(HeraldCenterRef *draining) {
    herald_center_lock(*draining);
    if ((*draining)->queue.drainer == &herald_self) end_drain(*draining);
    herald_center_unlock(*draining);
}

void herald_suspension_hand_in(HeraldCenterRef center) {
    struct herald_queue *queue = &center->queue;
    struct herald_held *unused = NULL;
    herald_center_lock(center);
    if (queue->drainer == &herald_self) {
        if (queue->in_hand) herald_held_unuse(herald_backlog_return(queue), &unused);
        end_drain(center);
    }
    herald_center_unlock(center);
    herald_held_free_all(unused);
}

/* Makes this thread the drainer, and delivers what is queued. No other thread may be the drainer. `newest` becomes the
 * queue's `target`. Called under the center's lock, and unlocks it. */
static void drain(HeraldCenterRef center, uint64_t newest) {
    struct herald_queue *queue = &center->queue;
    HERALD_RETAIN_MEMORY(kept, center); /* an observer may release the center */
    HeraldCenterRef draining __attribute__((cleanup(draining_end))) = center;
    if (!queue->drainer) queue->behind = 0;
    queue->target = newest;
    queue->drainer = &herald_self;
    herald_center_update_flags(center);
    herald_center_unlock(center);
    while (deliver_next(draining)) {
    }
}

void herald_own_HeraldCenterSetSuspended(HeraldCenterRef center, bool suspended) {
    if (!center || center->options.staysQuiet) return;
    herald_center_lock(center);
    herald_center_check(center, "herald: HeraldCenterSetSuspended: this center has been released.");
    struct herald_queue *queue = &center->queue;
    /* Deliveries up to the newest one for a DeliverImmediately registration are still made. The others stay queued. */
    if (suspended && !queue->suspended) queue->until = queue->newest_immediate;
    store_relaxed(&queue->suspended, suspended);
    herald_center_update_flags(center);
    bool follows = !suspended && center->keeping && center->keeping->followers;
    HERALD_RETAIN_MEMORY(kept, follows ? center : NULL); /* an observer may release the center */
    if (suspended || !queue->first || queue->drainer) {
        herald_center_unlock(center);
    } else {
        drain(center, queue->newest);
    }
    if (follows) herald_follower_resume(center);
    herald_tidy();
}

bool herald_own_HeraldCenterIsSuspended(HeraldCenterRef center) {
    return center && load_relaxed(&center->queue.suspended);
}

uint64_t herald_own_HeraldCenterGetDroppedPostCount(HeraldCenterRef center) {
    return center ? load_relaxed(&center->queue.dropped) : 0;
}

void herald_suspension_after_fork(HeraldCenterRef center) {
    struct herald_queue *queue = &center->queue;
    queue->waiting = NULL; /* the waiting threads are in the parent */
    if (queue->drainer != &herald_self) {
        queue->drainer = NULL; /* the next post goes on with the drain */
        queue->in_hand = NULL; /* the drainer does not exist here, so nobody frees the delivery in its hand */
    }
    herald_center_update_flags(center);
}

/* ---- Posting to a center whose queue is in use ------------------------------------------------------------------- */

/* A post that is being made. */
struct making {
    const struct herald_post *post;
    uint64_t limit;                      /* the newest registration when the post began */
    const struct herald_kept_post *kept; /* NULL: the post is not kept */
};

/* Whether the post reaches a registration that was found for it by way of the queue. The registration must be ACTIVE.
 * If it is for a prefix, the post's name must be below that prefix. A follower hears a kept post by its lane. */
static bool is_reached(const struct making *making, const struct herald_slot *slot) {
    const struct herald_post *post = making->post;
    if (load_relaxed(&slot->state) != HERALD_ACTIVE || (making->kept && slot->traits & HERALD_FOLLOWS)) return false;
    return !(slot->traits & HERALD_UNDER) ||
           herald_under_is_name((const struct herald_under *)slot->observer, post->name);
}

/* Under the center's lock: returns the behaviors of the registrations that match the post, as a set (plan.h). */
static unsigned find_behaviors(const struct making *making) {
    struct herald_frame unshown;
    struct herald_found found;
    unsigned behaviors = 0;
    herald_found_under_lock(&found, making->post, &unshown, making->limit);
    for (struct herald_slot *slot; (slot = herald_found_next(&found));)
        if (is_reached(making, slot)) behaviors |= 1u << herald_slot_behavior(slot);
    return behaviors;
}

/* How many posts may queue for a registration. A post that suspension holds has a limit, and so has a post of a thread
 * that is not the drainer. A post that the drainer makes in a callback has none, because no other thread could deliver
 * it sooner. */
static uint64_t room_for(const struct herald_post *post, const struct herald_slot *slot) {
    const struct herald_queue *queue = &post->center->queue;
    bool held = queue->suspended && herald_slot_behavior(slot) != HeraldSuspensionDeliverImmediately;
    return held || queue->drainer != &herald_self ? post->center->options.heldPostLimit : UINT64_MAX;
}

/* Under the center's lock: queues the post for the registrations with these behaviors. If `held` is NULL, queues
 * nothing, and counts one dropped post for each of the registrations. */
static void enqueue(const struct making *making, unsigned behaviors, struct herald_held *held,
                    struct herald_held **unused) {
    if (!behaviors) return;
    const struct herald_post *post = making->post;
    struct herald_queue *queue = &post->center->queue;
    struct herald_frame unshown;
    struct herald_found found;
    herald_found_under_lock(&found, post, &unshown, making->limit);
    for (struct herald_slot *slot; (slot = herald_found_next(&found));) {
        if (!is_reached(making, slot) || !(behaviors >> herald_slot_behavior(slot) & 1)) continue;
        if (!held || !herald_queue_add(queue, slot, held, room_for(post, slot), unused))
            store_relaxed(&queue->dropped, queue->dropped + 1);
    }
}

/* Calls the registrations with these behaviors, and for a kept post the followers, too. */
static size_t post_now(const struct making *making, unsigned behaviors) {
    if (!making->kept) return behaviors ? herald_deliver_under_lock(making->post, behaviors, making->limit) : 0;
    const struct herald_post *post = making->post;
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, post->tag, post->userInfo);
    struct herald_found found;
    herald_center_lock(post->center);
    herald_found_under_lock(&found, post, call.frame, making->limit);
    herald_center_unlock(post->center);
    size_t called = herald_follower_walk(making->kept, &call, &found, behaviors, true);
    herald_overflow_call_end(&call);
    return called;
}

/* Makes the post. `held`: the post is held already, and this is a reference that the function gives up. */
static size_t make_post(struct making *making, struct herald_held *held, unsigned options) {
    const struct herald_post *post = making->post;
    enum { IMMEDIATE = 1 << HeraldSuspensionDeliverImmediately, OVERTIME = 4 /* times heldPostLimit */ };
    HeraldCenterRef center = post->center;
    struct herald_queue *queue = &center->queue;
    const HeraldTagOptions *tag = herald_tag_find(post->tag);
    HERALD_RETAIN_MEMORY(kept, center); /* an observer may release the center */
    struct errand errand __attribute__((cleanup(errand_end)));
    errand.center = center;
    errand.held = held;
    errand.delivers = false;

    struct herald_situation situation;
    memset(&situation, 0, sizeof situation);
    situation.inside = herald_thread_is_inside();
    situation.immediately = options & HeraldPostDeliverImmediately;
    situation.borrowed = !held && tag && tag->borrowed;
    if (held) situation.hold = HERALD_HELD;
    herald_center_lock(center);
    if (!held) making->limit = center->index.committed;
    uint64_t newest = queue->newest; /* the newest delivery when the post begins */
    for (;; herald_center_lock(center)) {
        situation.own = queue->drainer == &herald_self;
        situation.behaviors = find_behaviors(making);
        situation.suspended = queue->suspended;
        situation.draining = queue->drainer != NULL;
        situation.ahead = herald_backlog_is_ahead(queue, newest);
        situation.stalled = queue->stalled;
        situation.overtime = queue->behind / OVERTIME >= center->options.heldPostLimit; /* a product could overflow */
        situation.queued = queue->first != NULL;
        situation.queued_older = queue->first && queue->first->number <= newest;
        struct herald_plan plan = herald_plan_post(&situation);
        if (plan.wait) {
            herald_backlog_wait(center, newest);
            if (queue->drainer == &herald_self) {
                drain(center, newest);
            } else {
                herald_center_unlock(center);
            }
            continue;
        }
        if (plan.drain) {
            if (queue->until < newest) queue->until = newest;
            drain(center, newest);
            continue;
        }
        if (plan.hold) {
            herald_center_unlock(center);
            /* It runs hooks, so no lock is held. */
            situation.hold = herald_hold(post, false, &errand.held) == HeraldOK ? HERALD_HELD : HERALD_NOT_HOLDABLE;
            continue;
        }
        struct herald_held *unused = NULL;
        if (plan.behind && !situation.own) queue->behind++;
        enqueue(making, plan.lost, NULL, &unused);
        /* In a suspended center, the post is queued for the DeliverImmediately registrations first. The drain ends with
         * the last delivery for such a registration. So deliveries that must stay held are queued after it. */
        unsigned first = queue->suspended ? plan.queue & IMMEDIATE : plan.queue;
        enqueue(making, first, errand.held, &unused);
        if (queue->suspended && first) queue->until = queue->newest_immediate;
        enqueue(making, plan.queue & ~first, errand.held, &unused);
        herald_center_unlock(center);
        herald_held_free_all(unused);
        if (plan.lost) herald_span_note(post->center, HeraldTraceDropped);
        if (plan.queue) herald_span_note(post->center, HeraldTraceHeld);
        return post_now(making, plan.now);
    }
}

size_t herald_suspension_post(const struct herald_post *post, unsigned options) {
    struct making making = {post, 0, NULL};
    return make_post(&making, NULL, options);
}

size_t herald_suspension_post_kept(const struct herald_kept_post *kept, struct herald_held *held, uint64_t limit,
                                   unsigned options) {
    struct making making = {kept->post, limit, kept};
    return make_post(&making, held, options);
}
