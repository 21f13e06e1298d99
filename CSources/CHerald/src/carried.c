/* Kept posts of a center over a transport. follower.c delivers them.
 *
 * Ordering: One hold of the center's lock decides. A kept post that the transport hands in is linked to the chains, and
 * finds the registrations. A follower waits from its add on, and its lane is in place: it has every post that was
 * handed in later. The transport is asked after the add. So what it finds has every kept post that was handed in
 * before. Under one hold of the lock the follower gets what it begins with, and what it is to skip: posts that are in
 * its lane too, or that are handed in later (known.h).
 * Progress: As for kept posts (keep.c).
 * Ownership: The center holds copies of the posts that followers have still to hear.
 *
 * This file calls observers and hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "carried.h"
#include "copy.h"
#include "deliver.h"
#include "entry_points.h"
#include "hold.h"
#include "memory.h"
#include "name.h"
#include "plan.h"
#include "span.h"
#include "suspension.h"
#include "told.h"

static struct herald_post post_of(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    struct herald_post post = {center, name, NULL, message, NULL, NULL};
    if (message) {
        post.object = herald_name_find_object(message->object);
        post.tag = &herald_message_tag;
    }
    return post;
}

/* Holds a copy of the post. The hooks of messages and of plain posts do not throw. */
static HeraldStatus hold_copy(const struct herald_post *post, uint64_t number, struct herald_held **held) {
    HeraldStatus before = herald_copy_problem; /* that of a message in whose call this happens */
    HeraldStatus status = herald_hold(post, false, held);
    herald_copy_problem = before;
    if (*held) (*held)->number = number;
    return status;
}

/* ---- A kept post that arrives ----------------------------------------------------------------------------------- */

/* Under the center's lock. */
static bool has_followers(HeraldCenterRef center, HeraldNameRef name) {
    return center->keeping && center->keeping->followers && herald_kept_find(center, name, NULL, false);
}

/* Under the center's lock: counts a dropped post for each follower that would have heard it. */
static void count_lost(const struct herald_post *post, bool is_suspended) {
    struct herald_frame unshown;
    struct herald_found found;
    uint64_t *dropped = &post->center->queue.dropped;
    herald_found_under_lock(&found, post, &unshown, UINT64_MAX);
    for (struct herald_slot *slot; (slot = herald_found_next(&found));) {
        if (!(slot->traits & HERALD_FOLLOWS) || !herald_slot_is_there(slot)) continue;
        if (!herald_follower_of(slot)->place) continue; /* it is blocked */
        if (is_suspended && herald_slot_behavior(slot) == HeraldSuspensionDrop) continue;
        store_relaxed(dropped, *dropped + 1);
    }
}

static void supersede_one(struct herald_held *held, const struct herald_held *newer) {
    const char *text = herald_known_text(held), *other = herald_known_text(newer);
    if (text == other || (text && other && strcmp(text, other) == 0)) held->is_superseded = true;
}

/* For a post that was linked while the center is suspended. Followers that coalesce do not hear the older posts of its
 * object. These posts are in their lanes, and no cell keeps them. */
static void supersede(struct herald_chain *chain, const struct herald_held *newer) {
    const struct herald_follower *furthest = NULL; /* of those that coalesce, the one that is the furthest behind */
    for (struct herald_follower *at = chain->followers; at; at = at->next) {
        if (herald_slot_behavior(at->slot) != HeraldSuspensionCoalesce) continue;
        for (uint32_t i = at->ahead_at; i < at->ahead_count; i++) supersede_one(at->ahead[i], newer);
        if (!furthest || at->passed < furthest->passed) furthest = at;
    }
    for (struct herald_link *link = furthest ? furthest->place : NULL; link && link->kept != newer; link = link->next)
        supersede_one(link->kept, newer);
}

/* Under the center's lock: links the post to the chains that have followers. Returns false if memory is out. */
static bool link_post(struct herald_kept_post *kept, struct herald_held *held, bool hurries,
                      struct herald_held **unused) {
    HeraldCenterRef center = kept->post->center;
    struct herald_cell *cell;
    bool is_suspended = center->queue.suspended;
    held->was_suspended = is_suspended && !hurries;
    if (!herald_kept_link(center, held, &cell, unused)) return false;
    if (!cell) return true;
    if (cell->object) kept->object = cell->object;
    if (is_suspended) {
        supersede(&cell->chain, held);
        if (cell->of_name != cell) supersede(&cell->of_name->chain, held);
        if (hurries) herald_follower_hurry(kept);
    }
    herald_follower_sweep(center, cell, unused);
    return true;
}

/* `held`: a copy of the post, or NULL. `is_lost`: the post has followers, and could not be held. */
static size_t deliver_copy(const struct herald_post *post, uint64_t number, unsigned options, struct herald_held **held,
                           bool is_lost) {
    HeraldCenterRef center = post->center;
    struct herald_kept_post kept = {post, post->object, number, !herald_thread_is_inside()};
    struct herald_held *unused __attribute__((cleanup(herald_held_free_list))) = NULL;
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, post->tag, post->userInfo);
    struct herald_found found;
    herald_center_lock(center);
    uint32_t flags = load_relaxed(&center->index.flags);
    bool queued = flags & HERALD_FLAG_QUEUE, hurries = options & HeraldPostDeliverImmediately;
    bool fencing = call.overflow || flags & HERALD_FLAG_FENCING;
    bool follows = has_followers(center, post->name);
    if (follows && *held && !link_post(&kept, *held, hurries, &unused)) is_lost = true;
    if (follows && is_lost) count_lost(post, center->queue.suspended && !hurries);
    uint64_t limit = center->index.committed;
    if (herald_likely(!queued)) {
        herald_found_under_lock(&found, post, call.frame, limit);
        if (*held) herald_held_unuse(*held, &unused); /* the lanes have references */
        *held = NULL;
    }
    bool one_by_one = follows || fencing || herald_span_wanted(center);
    herald_center_unlock(center);
    if (is_lost) herald_span_note(center, HeraldTraceDropped);
    size_t called = 0;
    if (herald_likely(!queued))
        called = one_by_one ? herald_follower_walk(&kept, &call, &found, HERALD_EVERY_BEHAVIOR, fencing)
                            : herald_deliver_found(call.frame, &found, post);
    herald_overflow_call_end(&call);
    if (herald_likely(!queued)) return called;
    struct herald_held *queueable = *held;
    *held = NULL;
    return herald_suspension_post_kept(&kept, queueable, limit, options);
}

/* A follower that is added after the first look at the followers begins with this post, or with a newer one. */
static size_t deliver_arrived(const struct herald_post *post, uint64_t number, unsigned options) {
    struct herald_held *held __attribute__((cleanup(herald_held_release))) = NULL;
    herald_center_lock(post->center);
    bool follows = has_followers(post->center, post->name);
    herald_center_unlock(post->center);
    bool is_lost = follows && hold_copy(post, number, &held) != HeraldOK;
    return deliver_copy(post, number, options, &held, is_lost);
}

HERALD_SLOW static size_t deliver_arrived_traced(const struct herald_post *post, uint64_t number, unsigned options) {
    HERALD_SPAN(span);
    herald_span_begin_post(&span, post, post->center->number, options, NULL);
    span.event.calls = deliver_arrived(post, number, options);
    herald_span_end(&span, HeraldTraceReturned);
    return span.event.calls;
}

size_t herald_own_HeraldCenterDeliverKept(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message,
                                          uint64_t number) {
    if (!center || !name) return 0;
    HERALD_GUARD_MEMORY(guard, center); /* an observer may release the center */
    const struct herald_post post = post_of(center, name, message);
    unsigned options = message ? message->options : 0;
    return herald_unlikely(herald_span_wanted(center)) ? deliver_arrived_traced(&post, number, options)
                                                       : deliver_arrived(&post, number, options);
}

/* ---- What a follower begins with -------------------------------------------------------------------------------- */

void herald_carried_ask(HeraldCenterRef center, HeraldNameRef name, const char *text, uint64_t registration) {
    const HeraldTransport *transport = &center->transport;
    const HeraldToken token = {center->number, registration};
    HERALD_USE_TRANSPORT(center);
    if (is_there) transport->begin(transport->context, center, name, text, token);
}

/* What the transport has handed in. What a follower does not take over is given up by the clean-up. */
struct handed_in {
    struct herald_held **kept; /* NULL: there are none */
    uint32_t count;
    uint64_t delivered;
    HeraldStatus status;
    struct herald_known known; /* of `kept` */
};

static void handed_in_end(struct handed_in *in) {
    struct herald_held *unused = NULL;
    for (uint32_t i = 0; i < in->count; i++) herald_held_unuse(in->kept[i], &unused);
    free(in->kept);
    herald_known_clear(&in->known);
    in->kept = NULL;
    in->count = 0;
    herald_held_free_all(unused);
}

static HeraldStatus copy_posts(HeraldCenterRef center, HeraldNameRef name, const HeraldKeptPost *kept, size_t count,
                               struct handed_in *in) {
    if (!count) return HeraldOK;
    if (count > UINT32_MAX) return HeraldOutOfMemory;
    in->kept = (struct herald_held **)malloc(count * sizeof in->kept[0]);
    if (!in->kept) return HeraldOutOfMemory;
    for (size_t i = 0; i < count; i++) {
        const struct herald_post post = post_of(center, name, kept[i].message);
        HeraldStatus status = hold_copy(&post, kept[i].number, &in->kept[in->count]);
        if (status != HeraldOK) return status;
        if (!herald_known_put(&in->known, in->kept[in->count++], UINT64_MAX)) return HeraldOutOfMemory;
    }
    return HeraldOK;
}

/* Under the center's lock: the follower of this registration, if it has still to begin. */
static struct herald_slot *find_waiting(HeraldCenterRef center, HeraldNameRef name, uint64_t registration) {
    struct herald_slot *slot = herald_slots_find(&center->slots, registration);
    if (!slot || !herald_slot_is_there(slot) || !(slot->traits & HERALD_FOLLOWS)) return NULL;
    const struct herald_follower *follower = herald_follower_of(slot);
    return slot->bucket->key.name == name && (follower->waits || follower->status != HeraldOK) ? slot : NULL;
}

/* Under the center's lock: the follower takes over what was handed in. It has perhaps begun before, with a failure.
 * Then it leaves out what it has heard since, and what is older. */
static void take_over(HeraldCenterRef center, struct herald_slot *slot, struct handed_in *in) {
    struct herald_follower *follower = herald_follower_of(slot);
    if (!HERALD_STEP(CARRIED_AT_ONCE)) {
        follower->waits = false;
        herald_center_unlock(center);
        herald_center_lock(center);
    }
    if (follower->status != HeraldOK) follower->until = 0; /* posts that were to be heard at once have been heard */
    bool needs_known = in->known.newest > in->delivered || herald_follower_backlog(slot);
    uint32_t count = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        if (herald_known_has(&follower->known, in->kept[i]) && HERALD_STEP(CARRIED_KNOWN)) {
            herald_held_unuse(in->kept[i], &follower->unused);
        } else {
            in->kept[count++] = in->kept[i];
        }
    }
    follower->start = in->kept;
    follower->start_count = count;
    follower->start_at = 0;
    in->kept = NULL;
    in->count = 0;
    if (in->status == HeraldOK) {
        herald_known_clear(&follower->known);
        if (needs_known) {
            follower->known = in->known;
            memset(&in->known, 0, sizeof in->known);
        }
    }
    follower->status = in->status;
    follower->begins = true;
    follower->waits = false;
}

void herald_own_HeraldCenterBegin(HeraldCenterRef center, HeraldNameRef name, HeraldToken token,
                                  const HeraldKeptPost *kept, size_t count, uint64_t delivered, HeraldStatus status) {
    if (!center || !name || token.center != center->number) return;
    HERALD_GUARD_MEMORY(guard, center); /* an observer may release the center */
    struct handed_in in __attribute__((cleanup(handed_in_end)));
    memset(&in, 0, sizeof in);
    in.delivered = delivered;
    in.status = status == HeraldOK ? copy_posts(center, name, kept, count, &in) : status;
    if (in.status != HeraldOK) handed_in_end(&in);
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, NULL, NULL);
    herald_center_lock(center);
    struct herald_slot *slot = find_waiting(center, name, token.registration);
    if (slot) {
        take_over(center, slot, &in);
        herald_follower_deliver(center, slot, &call);
    } else {
        herald_center_unlock(center);
    }
    herald_overflow_call_end(&call);
}

/* ---- What the transport keeps ----------------------------------------------------------------------------------- */

/* Whether the transport could keep something for the object, and its text. */
static bool can_be_kept(const void *object, const char **text) {
    *text = herald_name_text_of(object);
    return !object || *text;
}

struct taking {
    void (*take)(void *context, const void *userInfo, const void *tag);
    void *context;
};

static void take_message(void *taken, const HeraldMessage *message) {
    const struct taking *taking = (const struct taking *)taken;
    taking->take(taking->context, message, message ? &herald_message_tag : NULL);
}

bool herald_carried_take(HeraldCenterRef center, HeraldNameRef name, const void *object,
                         void (*take)(void *context, const void *userInfo, const void *tag), void *context) {
    const HeraldTransport *transport = &center->transport;
    const char *text;
    if (!transport->takeKept || !can_be_kept(object, &text)) return false;
    struct taking taking = {take, context};
    HERALD_USE_TRANSPORT(center);
    return is_there && transport->takeKept(transport->context, center, name, text, take_message, &taking);
}

bool herald_carried_forget(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    const HeraldTransport *transport = &center->transport;
    const char *text;
    if (!transport->forget || !can_be_kept(object, &text)) return false;
    HERALD_USE_TRANSPORT(center);
    return is_there && transport->forget(transport->context, center, name, text);
}

struct visiting {
    void (*visit)(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag);
    void *context;
};

static void visit_message(void *visited, HeraldNameRef name, const HeraldMessage *message) {
    const struct visiting *visiting = (const struct visiting *)visited;
    const struct herald_post post = post_of(NULL, name, message);
    visiting->visit(visiting->context, name, post.object, message, post.tag);
}

void herald_carried_visit(HeraldCenterRef center,
                          void (*visit)(void *context, HeraldNameRef name, const void *object, const void *userInfo,
                                        const void *tag),
                          void *context) {
    const HeraldTransport *transport = &center->transport;
    if (!transport->visitKept) return;
    struct visiting visiting = {visit, context};
    HERALD_USE_TRANSPORT(center);
    if (is_there) transport->visitKept(transport->context, center, visit_message, &visiting);
}
