/* Suspension: what is kept, and how it is delivered.
 *
 * Ordering. The queue belongs to the center's lock; one thread at a time delivers from it, the drainer, and while
 * there is one, whatever is posted queues behind it, so nothing overtakes. A delivery shows its slot and pins its
 * snapshot under the lock, so that a removal, which takes the lock too, sees it.
 * Progress. Nobody waits for the drainer.
 * Ownership. A held post is shared by its deliveries, and given back by the hooks that kept it, outside every lock,
 * when the last is delivered or dropped.
 *
 * This file calls observers and hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "suspension.h"
#include "center.h"
#include "deliver.h"
#include "job.h"
#include "reclaim.h"
#include "table.h"
#include "tag.h"

struct herald_held {
    struct herald_held *next; /* in a list of those that are to be given back */
    uint64_t references;      /* center's lock */
    HeraldNameRef name;
    const void *object;   /* as the center's hooks kept it, or NULL */
    const void *posted;   /* the object as it was posted: an address to compare */
    const void *userInfo; /* likewise kept, or NULL */
    const void *tag;
    void (*releaseUserInfo)(const void *);
    void (*releaseObject)(const void *);
};

/* What is kept for one registration. */
struct lane {
    struct herald_chain chain; /* first */
    struct herald_slot *slot;
    struct herald_delivery *first, *last;
    uint64_t count;
};

struct herald_delivery {
    struct herald_chain chain;                         /* first; in `coalesced` */
    struct herald_delivery *next, *previous;           /* in the queue */
    struct herald_delivery *lane_next, *lane_previous; /* in the lane */
    struct lane *lane;
    struct herald_held *held;
    uint64_t number;
    bool coalesces;
};

bool herald_suspension_is_needed(HeraldCenterRef center) {
    return center->suspended || center->queue.first || center->queue.drainer;
}

/* ---- Held posts ------------------------------------------------------------------------------------------------- */

/* Keeps what is posted by the hooks of its tag, or else of the center. Stored before they run, so that one that throws
 * loses nothing. */
static void hold(const struct herald_post *post, const HeraldTagOptions *tag, struct herald_held **kept) {
    const HeraldCenterOptions *center = &post->center->options;
    HeraldTagOptions hooks_of_center = {sizeof hooks_of_center, false,
                                        center->retainUserInfo, center->releaseUserInfo,
                                        center->retainObject,   center->releaseObject};
    const HeraldTagOptions *options = tag ? tag : &hooks_of_center;
    struct herald_held *held = *kept = (struct herald_held *)calloc(1, sizeof *held);
    if (!held) return;
    HERALD_HOOKS(hooks);
    held->references = 1;
    held->name = post->name;
    held->posted = post->object;
    held->tag = post->tag;
    held->releaseUserInfo = options->releaseUserInfo;
    held->releaseObject = options->releaseObject;
    if (post->userInfo && options->retainUserInfo) held->userInfo = options->retainUserInfo(post->userInfo);
    if (post->object && options->retainObject) held->object = options->retainObject(post->object);
    /* An object that could not be kept is like no other: its address may be another's by the next post. */
    if (post->object && options->retainObject && !held->object) held->posted = held;
}

/* Under the center's lock. */
static void unuse(struct herald_held *held, struct herald_held **unused) {
    if (--held->references) return;
    held->next = *unused;
    *unused = held;
}

struct giving_back {
    struct herald_job job; /* first */
    struct herald_held *held;
    int step;
};

static bool give_back_step(struct herald_job *job) {
    struct giving_back *giving = (struct giving_back *)(void *)job;
    struct herald_held *held = giving->held;
    if (!held) return false;
    switch (giving->step++) {
    case 0:
        if (held->userInfo && held->releaseUserInfo) held->releaseUserInfo(held->userInfo);
        break;
    case 1:
        if (held->object && held->releaseObject) held->releaseObject(held->object);
        break;
    default:
        giving->held = held->next;
        giving->step = 0;
        free(held);
    }
    return true;
}

void herald_suspension_free(struct herald_held *unused) {
    if (!unused) return;
    struct giving_back giving;
    giving.held = unused;
    giving.step = 0;
    herald_job_do(&giving.job, give_back_step);
}

/* ---- The queue -------------------------------------------------------------------------------------------------- */

static uint64_t slot_hash(const struct herald_slot *slot) { return herald_mix((uint64_t)(uintptr_t)slot, 2); }

static uint64_t coalescing_hash(const struct herald_slot *slot, const struct herald_held *held) {
    return herald_mix(slot_hash(slot) ^ (uint64_t)(uintptr_t)held->name, (uint64_t)(uintptr_t)held->posted);
}

static struct lane *find_lane(HeraldCenterRef center, const struct herald_slot *slot) {
    struct herald_chain *chain = herald_chains_find(&center->queue.lanes, slot_hash(slot));
    while (chain && ((struct lane *)(void *)chain)->slot != slot) chain = chain->next;
    return (struct lane *)(void *)chain;
}

static struct lane *obtain_lane(HeraldCenterRef center, struct herald_slot *slot) {
    struct lane *lane = find_lane(center, slot);
    if (lane) return lane;
    if (!herald_chains_reserve(&center->queue.lanes)) return NULL;
    lane = (struct lane *)calloc(1, sizeof *lane);
    if (!lane) return NULL;
    lane->slot = slot;
    lane->chain.hash = slot_hash(slot);
    herald_chains_insert(&center->queue.lanes, &lane->chain);
    return lane;
}

static void drop_lane_if_empty(HeraldCenterRef center, struct lane *lane) {
    if (lane->count) return;
    herald_chains_remove(&center->queue.lanes, &lane->chain);
    free(lane);
}

/* Takes a delivery out of the queue; its held post is the caller's. The lane stays. */
static struct herald_held *take_out(HeraldCenterRef center, struct herald_delivery *delivery) {
    struct herald_queue *queue = &center->queue;
    struct lane *lane = delivery->lane;
    *(delivery->previous ? &delivery->previous->next : &queue->first) = delivery->next;
    *(delivery->next ? &delivery->next->previous : &queue->last) = delivery->previous;
    *(delivery->lane_previous ? &delivery->lane_previous->lane_next : &lane->first) = delivery->lane_next;
    *(delivery->lane_next ? &delivery->lane_next->lane_previous : &lane->last) = delivery->lane_previous;
    lane->count--;
    if (delivery->coalesces) herald_chains_remove(&queue->coalesced, &delivery->chain);
    struct herald_held *held = delivery->held;
    free(delivery);
    return held;
}

static struct herald_delivery *find_coalesced(HeraldCenterRef center, const struct lane *lane,
                                              const struct herald_held *held) {
    struct herald_chain *chain = herald_chains_find(&center->queue.coalesced, coalescing_hash(lane->slot, held));
    for (; chain; chain = chain->next) {
        struct herald_delivery *delivery = (struct herald_delivery *)(void *)chain;
        if (delivery->lane == lane && delivery->held->name == held->name && delivery->held->posted == held->posted)
            return delivery;
    }
    return NULL;
}

/* Adds a delivery behind all others. False when memory is out. */
static bool enqueue(HeraldCenterRef center, struct herald_slot *slot, struct herald_held *held,
                    struct herald_held **unused) {
    struct herald_queue *queue = &center->queue;
    bool coalesces = center->suspended && slot->behavior == HeraldSuspensionCoalesce;
    struct lane *lane = obtain_lane(center, slot);
    struct herald_delivery *delivery = lane ? (struct herald_delivery *)calloc(1, sizeof *delivery) : NULL;
    if (!delivery || (coalesces && !herald_chains_reserve(&queue->coalesced))) {
        free(delivery);
        if (lane) drop_lane_if_empty(center, lane);
        return false;
    }
    if (coalesces) {
        struct herald_delivery *earlier = find_coalesced(center, lane, held);
        if (earlier) unuse(take_out(center, earlier), unused);
        delivery->chain.hash = coalescing_hash(slot, held);
        herald_chains_insert(&queue->coalesced, &delivery->chain);
    }
    if (center->suspended && slot->behavior == HeraldSuspensionHold && lane->count >= center->options.heldPostLimit) {
        unuse(take_out(center, lane->first), unused);
        store_relaxed(&center->dropped, center->dropped + 1);
    }
    delivery->coalesces = coalesces;
    delivery->lane = lane;
    delivery->held = held;
    held->references++;
    delivery->number = ++queue->newest;
    if (slot->behavior == HeraldSuspensionDeliverImmediately) queue->newest_at_once = delivery->number;
    delivery->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = delivery;
    queue->last = delivery;
    delivery->lane_previous = lane->last;
    *(lane->last ? &lane->last->lane_next : &lane->first) = delivery;
    lane->last = delivery;
    lane->count++;
    return true;
}

static void drop_lane(HeraldCenterRef center, struct lane *lane, struct herald_held **unused) {
    while (lane->first) unuse(take_out(center, lane->first), unused);
    drop_lane_if_empty(center, lane);
}

void herald_suspension_drop(HeraldCenterRef center, struct herald_slot *slot, struct herald_held **unused) {
    struct lane *lane = center->queue.first ? find_lane(center, slot) : NULL;
    if (lane) drop_lane(center, lane, unused);
    if (lane) herald_center_update_kinds(center);
}

struct herald_held *herald_suspension_drop_all(HeraldCenterRef center) {
    struct herald_held *unused = NULL;
    while (center->queue.first) drop_lane(center, center->queue.first->lane, &unused);
    return unused;
}

void herald_suspension_destroy(HeraldCenterRef center) {
    free(center->queue.lanes.heads);
    free(center->queue.coalesced.heads);
}

void herald_suspension_after_fork(HeraldCenterRef center) {
    if (center->queue.drainer != &herald_self) center->queue.drainer = NULL; /* the next post goes on with it */
    herald_center_update_kinds(center);
}

/* ---- Delivering what is kept ------------------------------------------------------------------------------------ */

/* The use of a held post; the clean-up gives it back, also when an observer throws. */
struct errand {
    HeraldCenterRef center;
    struct herald_held *held;
};

static void errand_end(struct errand *errand) {
    if (!errand->held) return;
    struct herald_held *unused = NULL;
    herald_center_lock(errand->center);
    unuse(errand->held, &unused);
    herald_center_unlock(errand->center);
    herald_suspension_free(unused);
}

/* Under the center's lock: the delivery that is to go next, or NULL. */
static struct herald_delivery *next_delivery(HeraldCenterRef center) {
    struct herald_delivery *first = center->queue.first;
    return first && (!center->suspended || first->number <= center->queue.until) ? first : NULL;
}

/* Delivers the next one; false, and the thread is the drainer no more, when there is none. */
static bool deliver_next(HeraldCenterRef center) {
    struct errand errand __attribute__((cleanup(errand_end)));
    HERALD_GUEST_CALL(call);
    errand.center = center;
    errand.held = NULL;
    herald_guest_call_begin(&call, NULL);
    herald_center_lock(center);
    struct herald_delivery *delivery = next_delivery(center);
    if (!delivery) {
        center->queue.drainer = NULL;
        herald_center_update_kinds(center);
        herald_center_unlock(center);
        herald_guest_call_end(&call);
        return false;
    }
    struct lane *lane = delivery->lane;
    struct herald_slot *slot = lane->slot; /* ACTIVE: a removal drops what is kept */
    struct herald_held *held = take_out(center, delivery);
    drop_lane_if_empty(center, lane);
    errand.held = held;
    store_release(&call.frame->pins[0], slot->bucket->current);
    store_release(&call.frame->current, slot);
    call.frame->tag = call.activity.tag = held->tag;
    herald_center_unlock(center);

    slot->callback(center, slot->observer, held->name, held->object, held->userInfo);
    herald_show(call.frame, NULL, true);
    herald_look_back(slot);
    herald_guest_call_end(&call);
    return true;
}

static void drain_end(HeraldCenterRef *draining) {
    HeraldCenterRef center = *draining;
    herald_center_lock(center);
    if (center->queue.drainer == &herald_self) { /* an observer has thrown: the next post goes on */
        center->queue.drainer = NULL;
        herald_center_update_kinds(center);
    }
    herald_center_unlock(center);
}

/* Under the center's lock, which it gives up; there is no drainer. */
static void drain(HeraldCenterRef center) {
    center->queue.drainer = &herald_self;
    herald_center_update_kinds(center);
    herald_center_unlock(center);
    HERALD_HOLD(held, center); /* an observer may release it */
    HeraldCenterRef draining __attribute__((cleanup(drain_end))) = center;
    while (deliver_next(draining)) {
    }
}

void HeraldCenterSetSuspended(HeraldCenterRef center, bool suspended) {
    if (!center) return;
    herald_center_lock(center);
    herald_center_check(center, "herald: HeraldCenterSetSuspended: this center has been released.");
    /* What the drainer has not come to stays, but for what somebody must hear at once, and what comes before that. */
    if (suspended && !center->suspended) center->queue.until = center->queue.newest_at_once;
    store_relaxed(&center->suspended, suspended);
    herald_center_update_kinds(center);
    if (suspended || !center->queue.first || center->queue.drainer) {
        herald_center_unlock(center);
    } else {
        drain(center);
    }
    herald_center_tidy();
}

bool HeraldCenterIsSuspended(HeraldCenterRef center) { return center && load_relaxed(&center->suspended); }

uint64_t HeraldCenterGetDroppedPostCount(HeraldCenterRef center) { return center ? load_relaxed(&center->dropped) : 0; }

/* ---- Posting to a center whose queue counts --------------------------------------------------------------------- */

enum {
    AT_ONCE = 1 << HeraldSuspensionDeliverImmediately,
    KEPT = 1 << HeraldSuspensionCoalesce | 1 << HeraldSuspensionHold
};

/* Under the center's lock: the behaviors of the registrations that match. */
static unsigned matching(const struct herald_post *post, uint64_t limit) {
    struct herald_frame unshown;
    struct herald_found found;
    unsigned behaviors = 0;
    herald_post_find(&found, post, &unshown, limit);
    for (struct herald_slot *slot; (slot = herald_found_next(&found));)
        if (load_relaxed(&slot->state) == HERALD_ACTIVE) behaviors |= 1u << slot->behavior;
    return behaviors;
}

/* Under the center's lock: queues the post for the registrations with these behaviors. */
static void enqueue_matching(const struct herald_post *post, uint64_t limit, unsigned behaviors,
                             struct herald_held *held, struct herald_held **unused) {
    HeraldCenterRef center = post->center;
    struct herald_frame unshown;
    struct herald_found found;
    herald_post_find(&found, post, &unshown, limit);
    for (struct herald_slot *slot; (slot = herald_found_next(&found));) {
        if (load_relaxed(&slot->state) != HERALD_ACTIVE || !(behaviors >> slot->behavior & 1)) continue;
        if (!held || !enqueue(center, slot, held, unused)) store_relaxed(&center->dropped, center->dropped + 1);
    }
}

size_t herald_suspension_post(const struct herald_post *post, unsigned options) {
    HeraldCenterRef center = post->center;
    struct herald_queue *queue = &center->queue;
    const HeraldTagOptions *tag = herald_tag_find(post->tag);
    bool borrowed = tag && tag->borrowed;
    bool immediately = options & HeraldPostDeliverImmediately;
    uint64_t limit = 0, upto = 0; /* registrations and deliveries there are as the post begins */
    HERALD_HOLD(held, center);    /* an observer may release it */
    struct errand errand __attribute__((cleanup(errand_end)));
    errand.center = center;
    errand.held = NULL;
    for (bool begun = false, kept = false;; begun = true) {
        herald_center_lock(center);
        if (!begun) limit = center->committed;
        if (!begun) upto = queue->newest;
        unsigned behaviors = matching(post, limit);
        /* Who hears at once hears after all that is queued; and a queue nobody delivers from is a drain cut short. */
        bool at_last =
            queue->first && !queue->drainer && behaviors & AT_ONCE && !borrowed && queue->first->number <= upto;
        bool left_over = queue->first && !queue->drainer && !center->suspended;
        if (at_last || left_over) {
            if (queue->until < upto) queue->until = upto;
            drain(center);
            continue;
        }
        bool lost = kept && !errand.held; /* no memory to keep it */
        unsigned queued = 0, at_once = HERALD_EVERY_BEHAVIOR;
        if (!immediately && center->suspended) {
            queued = queue->drainer && !lost ? KEPT | AT_ONCE : KEPT;
            at_once = AT_ONCE & ~queued;
        } else if (!immediately && queue->drainer && !lost) {
            queued = HERALD_EVERY_BEHAVIOR;
            at_once = 0;
        }
        if (borrowed && behaviors & AT_ONCE) { /* what cannot be kept is heard now, by those who want it at once */
            queued &= ~(unsigned)AT_ONCE;
            at_once |= AT_ONCE;
        }
        if (behaviors & queued && !kept) {
            herald_center_unlock(center);
            hold(post, tag, &errand.held); /* runs hooks: no lock */
            kept = true;
            continue;
        }
        struct herald_held *unused = NULL;
        if (behaviors & queued & AT_ONCE && center->suspended) {
            /* Those first: what is kept behind them must not be delivered with them. */
            enqueue_matching(post, limit, AT_ONCE, errand.held, &unused);
            queue->until = queue->newest_at_once;
            queued &= ~(unsigned)AT_ONCE;
        }
        if (behaviors & queued) enqueue_matching(post, limit, queued, errand.held, &unused);
        herald_center_unlock(center);
        herald_suspension_free(unused);
        return behaviors & at_once ? herald_post_under_lock(post, at_once, limit) : 0;
    }
}
