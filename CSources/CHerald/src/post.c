/* Posting: the ways a post finds whom to call. The walk itself is in deliver.h.
 *
 * Ordering, by name. section odd; light; committed sequence (acquire); kinds and buckets; a pin for each snapshot;
 * section even (release). Everything published up to the sequence is found, and what is found stays.
 * Ordering, by topic. pin := the bucket's snapshot (release); light; the bucket's snapshot again (acquire: the address
 * may have been used again); anew if it changed. The flags are read after the count, so an observer of another kind
 * that is older than the last entry is not missed.
 * Progress. Wait-free but for the topic's second look, which fails only when a writer has replaced the snapshot.
 * Ownership. A post owns its frame. It touches neither center nor topic after the first callback, for that may have
 * been their last user.
 *
 * This file calls observers, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "post.h"
#include "deliver.h"
#include "suspension.h"
#include "topic.h"
#include "transport_turn.h"

/* ---- The rare ways of a call ------------------------------------------------------------------------------------ */

/* Shows nothing any more, and leaves the slot that was shown. */
static void leave_current(struct herald_frame *frame) {
    struct herald_slot *left = load_relaxed(&frame->current);
    herald_show(frame, NULL, true);
    if (left) herald_look_back(left);
}

/* A callback has thrown, or ends its thread. */
HERALD_SLOW void herald_call_abandon(struct herald_thread *self) {
    struct herald_frame *frame = self->top - 1;
    leave_current(frame);
    herald_call_end(&self, frame, HERALD_PINS);
}

HERALD_SLOW void herald_guest_call_begin(struct herald_guest_call *call, const void *tag) {
    if (herald_self == &herald_newcomer) herald_thread_attach();
    call->is_guest = herald_thread_is_full(herald_self);
    if (call->is_guest) {
        herald_guest_enter(&call->guest);
        herald_activity_begin(&call->activity, tag);
        call->frame = &call->guest.frame;
    } else {
        call->frame = herald_call_begin(herald_self, tag);
    }
}

HERALD_SLOW void herald_guest_call_end(struct herald_guest_call *call) {
    if (call->is_guest) {
        herald_activity_end(&call->activity);
        herald_guest_leave(&call->guest);
    } else {
        struct herald_thread *self = herald_self;
        herald_call_end(&self, call->frame, HERALD_PINS);
    }
    call->frame = NULL;
}

HERALD_SLOW void herald_guest_call_abandon(struct herald_guest_call *call) {
    leave_current(call->frame);
    herald_guest_call_end(call);
}

/* ---- The loop --------------------------------------------------------------------------------------------------- */

struct run {
    struct herald_slot **at, **last; /* the entry that is shown, or none; the last one */
    size_t skipped;
};

/* The entry that is shown, or the slot that was left for it, is not ACTIVE. Goes on to the next that may be called, or
 * shows nothing and returns no entry. */
HERALD_SLOW static struct run stumble(struct herald_frame *frame, struct herald_slot *left, struct run run) {
    while (run.at) {
        if (left) herald_look_back_from(frame, left, *run.at, false);
        left = *run.at;
        if (herald_may_call(left)) return run;
        run.skipped++;
        run.at = run.at == run.last ? NULL : run.at + 1;
        herald_show(frame, run.at ? *run.at : NULL, false);
    }
    herald_look_back(left);
    return run;
}

/* The look back at one slot and the look at the next are one branch: both are ACTIVE, or stumble() sorts it out. A
 * function of its own, so that frame, at, last, slot and post stay in the registers that survive a call: with one of
 * them spilled, each turn waits for a store and its load, and the slope nearly doubles. */
__attribute__((noinline, aligned(HERALD_LINE))) size_t herald_deliver_many(struct herald_frame *frame,
                                                                           struct herald_slot **at,
                                                                           struct herald_slot **last,
                                                                           const struct herald_post *post) {
    size_t count = (size_t)(last - at) + 1, skipped = 0;
    struct herald_slot *left = NULL, *slot = *at;
    herald_show(frame, slot, false);
    uint8_t state = load_relaxed(&slot->state);
    for (;;) {
        if (herald_unlikely(state)) {
            struct run run = {at, last, skipped};
            run = stumble(frame, left, run);
            skipped = run.skipped;
            if (!run.at) return count - skipped;
            at = run.at;
            slot = *at;
        }
        /* Observers that registered one after the other lie one after the other. Harmless where they do not. */
        __builtin_prefetch(slot + 4);
        slot->callback(post->center, slot->observer, post->name, post->object, post->userInfo);
        if (at == last) break;
        left = slot;
        slot = *++at;
        herald_show(frame, slot, false);
        state = load_relaxed(&left->state) | load_relaxed(&slot->state);
    }
    herald_show(frame, NULL, false);
    herald_look_back(slot);
    return count - skipped;
}

/* ---- By name ---------------------------------------------------------------------------------------------------- */

/* In a section, or under the center's lock. */
HERALD_INLINE void take(struct herald_found *found, struct herald_bucket *bucket, struct herald_frame *frame, int pin,
                        uint64_t limit) {
    if (!load_acquire(&bucket->occupied)) return; /* acquire: what was published before it is there to see */
    struct herald_snapshot *snapshot = load_acquire(&bucket->current);
    herald_rest();
    if (herald_keep(PIN)) store_release(&frame->pins[pin], snapshot);
    herald_found_add(found, snapshot, limit);
}

/* Looks up the buckets of the post's own name. */
HERALD_INLINE struct herald_recollection look_up(const struct herald_post *post) {
    const struct herald_table *table = &post->center->table;
    struct herald_recollection found = {0, post->name, post->object, NULL, NULL};
    found.family = herald_bucket_find(table, post->name, NULL);
    if (found.family && post->object) found.own = herald_bucket_find(table, post->name, post->object);
    return found;
}

HERALD_SLOW static void look_up_anew(const struct herald_post *post, uint64_t edition,
                                     struct herald_recollection *recollection) {
    *recollection = look_up(post);
    recollection->edition = edition;
}

/* In a section: the buckets of the post's own name, as this thread found them before if the table is the same. The
 * edition is read in the section, so a bucket that is in the table now is not freed before the section ends. Names
 * that a thread posts again and again cost no look-up; the set is asked for all others. */
HERALD_INLINE const struct herald_recollection *recall(struct herald_thread *self, const struct herald_post *post) {
    uint64_t edition = load_acquire(&post->center->edition);
    uint64_t mixed = ((uint64_t)(uintptr_t)post->name ^ ((uint64_t)(uintptr_t)post->object << 1)) * 0x9e3779b97f4a7c15u;
    struct herald_recollection *recollection = &self->recollections[mixed >> 60];
    bool holds = recollection->name == post->name && recollection->object == post->object &&
                 (recollection->edition == edition || (!herald_keep(EDITION) && recollection->edition));
    if (herald_unlikely(!holds)) look_up_anew(post, edition, recollection);
    return recollection;
}

/* What a post finds, given the buckets of its own name. Returns how many pins it may use. */
HERALD_INLINE int find(struct herald_found *found, const struct herald_post *post,
                       const struct herald_recollection *own, uint32_t kinds, struct herald_frame *frame,
                       uint64_t limit) {
    HeraldCenterRef center = post->center;
    int pins = 0;
    found->sources = 0;
    if (own->family) take(found, own->family, frame, pins++, limit);
    if (own->own) take(found, own->own, frame, pins++, limit);
    if (herald_unlikely(kinds & HERALD_KIND_ANY_NAME)) {
        take(found, &center->everything, frame, pins++, limit);
        if (post->object && load_acquire(&center->everything.objects)) {
            struct herald_bucket *bucket = herald_bucket_find(&center->table, NULL, post->object);
            if (bucket) take(found, bucket, frame, pins++, limit);
        }
    }
    return pins;
}

void herald_post_find(struct herald_found *found, const struct herald_post *post, struct herald_frame *frame,
                      uint64_t limit) {
    found->sources = 0;
    if (post->center->closed) return; /* a callback has released it: its buckets are gone */
    struct herald_recollection own = look_up(post);
    find(found, post, &own, load_relaxed(&post->center->kinds), frame, limit);
}

HERALD_INLINE size_t post_by_name(struct herald_thread *self, const struct herald_post *post, bool careful) {
    HERALD_CALL(call) = self;
    struct herald_frame *frame = herald_call_begin(self, post->tag);
    struct herald_found found;
    herald_section_begin(self, careful);
    uint64_t limit = herald_keep(LIMIT_EARLY) ? load_acquire(&post->center->committed) : UINT64_MAX;
    herald_rest();
    uint32_t kinds = load_acquire(&post->center->kinds);
    int pins = find(&found, post, recall(self, post), kinds, frame, limit);
    herald_section_end(self);
    size_t called = 0;
    if (careful || herald_unlikely(found.sources > 1)) {
        called = herald_deliver_merged(frame, &found, post, careful, HERALD_EVERY_BEHAVIOR);
    } else if (found.sources) {
        called = herald_deliver_run(frame, found.at[0], found.end[0] - 1, post);
    }
    herald_call_end(&call, frame, pins);
    return called;
}

HERALD_SLOW size_t herald_post_under_lock(const struct herald_post *post, unsigned behaviors, uint64_t limit) {
    HERALD_GUEST_CALL(call);
    herald_guest_call_begin(&call, post->tag);
    struct herald_found found;
    herald_center_lock(post->center);
    herald_post_find(&found, post, call.frame, limit);
    herald_center_unlock(post->center);
    size_t called = herald_deliver_merged(call.frame, &found, post, true, behaviors);
    herald_guest_call_end(&call);
    return called;
}

/* ---- The ways round --------------------------------------------------------------------------------------------- */

HERALD_SLOW static size_t post_with_fences(struct herald_thread *self, const struct herald_post *post) {
    return post_by_name(self, post, true);
}

HERALD_SLOW size_t herald_post_locally(const struct herald_post *post, unsigned options) {
    uint32_t kinds = load_relaxed(&post->center->kinds);
    if (kinds & HERALD_KIND_QUEUE) return herald_suspension_post(post, options);
    if (herald_self == &herald_newcomer) herald_thread_attach();
    struct herald_thread *self = herald_self;
    if (herald_thread_is_full(self)) return herald_post_under_lock(post, HERALD_EVERY_BEHAVIOR, UINT64_MAX);
    if (kinds & HERALD_KIND_FENCED) return post_with_fences(self, post);
    return post_by_name(self, post, false);
}

static void carried(HeraldCenterRef *center) { herald_transport_let_go(*center); }

HERALD_INLINE size_t carry(const struct herald_post *post, unsigned options) {
    HERALD_HOOKS(hooks);
    const HeraldTransport *transport = &post->center->transport;
    return transport->post(transport->context, post->center, post->name, post->object, post->userInfo, post->tag,
                           options);
}

static size_t post_by_transport(const struct herald_post *post, unsigned options) {
    if (post->center->transport.livesForever) return carry(post, options);
    HERALD_HOLD(held, post->center); /* a callback may release it */
    herald_transport_hold(post->center);
    HeraldCenterRef center __attribute__((cleanup(carried))) = post->center;
    (void)center;
    return carry(post, options);
}

__attribute__((noinline)) static size_t post_round(const struct herald_post *post, unsigned options) {
    if (load_relaxed(&post->center->kinds) & HERALD_KIND_TRANSPORT) return post_by_transport(post, options);
    return herald_post_locally(post, options);
}

HERALD_INLINE size_t post(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                          const void *tag, unsigned options) {
    if (herald_unlikely(!center || !name)) return 0;
    struct herald_post what = {center, name, object, userInfo, tag};
    struct herald_thread *self = herald_self;
    if (herald_unlikely(herald_thread_is_full(self) || load_relaxed(&center->kinds) & HERALD_KIND_DETOUR))
        return post_round(&what, options);
    return post_by_name(self, &what, false);
}

size_t HeraldCenterPostNotification(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                    const void *userInfo, bool deliverImmediately) {
    return post(center, name, object, userInfo, NULL, deliverImmediately ? (unsigned)HeraldPostDeliverImmediately : 0u);
}

size_t HeraldCenterPostNotificationWithOptions(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                               const void *userInfo, unsigned options) {
    return post(center, name, object, userInfo, NULL, options);
}

size_t HeraldCenterPostTagged(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                              const void *tag, unsigned options) {
    return post(center, name, object, userInfo, tag, options);
}

size_t HeraldCenterDeliver(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                           const void *tag, unsigned options) {
    if (!center || !name) return 0;
    struct herald_post what = {center, name, object, userInfo, tag};
    return herald_post_locally(&what, options);
}

HERALD_SLOW static const void *tag_of_activity(const struct herald_activity *activity) {
    uint32_t depth = herald_thread_depth();
    if (activity && activity->depth == depth) return activity->tag;
    return depth ? herald_self->frames[depth - 1].tag : NULL;
}

/* Observers of Swift's ask at each call. */
const void *HeraldGetCurrentTag(void) {
    const struct herald_activity *activity = herald_activity;
    const struct herald_thread *self = herald_self;
    /* A thread without a record shows a full one whose frames are never written: NULL. */
    if (herald_likely(!activity && self->top != self->frames)) return self->top[-1].tag;
    return tag_of_activity(activity);
}

/* ---- By topic --------------------------------------------------------------------------------------------------- */

/* Pins the bucket's snapshot, which may be replaced and freed at any moment until it is pinned. */
HERALD_INLINE struct herald_snapshot *pin(struct herald_bucket *bucket, struct herald_frame *frame, int pin) {
    struct herald_snapshot *snapshot = load_relaxed(&bucket->current), *again;
    for (;; snapshot = again) {
        herald_rest();
        if (herald_keep(TOPIC_PIN)) store_release(&frame->pins[pin], snapshot);
        herald_light(false);
        again = load_acquire(&bucket->current);
        if (herald_likely(again == snapshot) || !herald_keep(TOPIC_RECHECK)) return snapshot;
    }
}

/* What the topic's buckets cannot answer: suspension, a transport, observers of any name, no frame left. */
HERALD_SLOW static size_t topic_post_round(const struct herald_post *what) { return post_round(what, 0); }

/* A topic with an object: two buckets, and the committed sequence as by name. */
HERALD_INLINE size_t post_to_both(struct herald_thread *self, HeraldTopicRef topic, const struct herald_post *what) {
    HERALD_CALL(call) = self;
    struct herald_frame *frame = herald_call_begin(self, what->tag);
    struct herald_found found;
    found.sources = 0;
    uint64_t limit = load_acquire(&what->center->committed);
    bool round = load_acquire(&what->center->kinds) != 0;
    if (!round) {
        if (load_acquire(&topic->family->occupied)) herald_found_add(&found, pin(topic->family, frame, 0), limit);
        if (load_acquire(&topic->own->occupied)) herald_found_add(&found, pin(topic->own, frame, 1), limit);
    }
    size_t called = 0;
    if (found.sources == 1) {
        called = herald_deliver_run(frame, found.at[0], found.end[0] - 1, what);
    } else if (found.sources) {
        called = herald_deliver_merged(frame, &found, what, false, HERALD_EVERY_BEHAVIOR);
    }
    herald_call_end(&call, frame, 2);
    return herald_unlikely(round) ? topic_post_round(what) : called;
}

/* A topic without an object: one bucket. */
HERALD_INLINE size_t post_to_one(struct herald_thread *self, HeraldTopicRef topic, const void *userInfo,
                                 const void *tag) {
    HERALD_CALL(call) = self;
    struct herald_post what = {topic->center, topic->name, NULL, userInfo, tag};
    struct herald_frame *frame = herald_call_begin(self, tag);
    struct herald_snapshot *snapshot = pin(topic->family, frame, 0);
    uint32_t count = herald_likely(snapshot != NULL) ? load_acquire(&snapshot->count) : 0;
    /* After the count: an observer of any name that is older than the last entry is not missed. */
    bool round = herald_unlikely(load_acquire(&what.center->kinds) != 0);
    size_t called = 0;
    if (herald_likely(count != 0 && !round))
        called = herald_deliver_run(frame, snapshot->entries, snapshot->entries + count - 1, &what);
    herald_call_end(&call, frame, 1);
    return herald_unlikely(round) ? topic_post_round(&what) : called;
}

HERALD_SLOW static size_t topic_post_elsewhere(struct herald_thread *self, HeraldTopicRef topic, const void *userInfo,
                                               const void *tag) {
    struct herald_post what = {topic->center, topic->name, topic->object, userInfo, tag};
    if (herald_thread_is_full(self) || !topic->own) return topic_post_round(&what);
    return post_to_both(self, topic, &what);
}

HERALD_INLINE size_t topic_post(HeraldTopicRef topic, const void *userInfo, const void *tag) {
    if (herald_unlikely(!topic)) return 0;
    herald_topic_check(topic);
    struct herald_thread *self = herald_self;
    if (herald_unlikely(herald_thread_is_full(self) || !topic->simple))
        return topic_post_elsewhere(self, topic, userInfo, tag);
    if (!load_acquire(&topic->family->occupied) && load_acquire(&topic->center->kinds) == 0) return 0;
    return post_to_one(self, topic, userInfo, tag);
}

size_t HeraldTopicPost(HeraldTopicRef topic, const void *userInfo) { return topic_post(topic, userInfo, NULL); }

size_t HeraldTopicPostTagged(HeraldTopicRef topic, const void *userInfo, const void *tag) {
    return topic_post(topic, userInfo, tag);
}
