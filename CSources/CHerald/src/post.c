/* Posting: the paths of a post to its observers. found.h finds the observers, deliver.h walks over them.
 *
 * Ordering: see found.h. The two functions for posts to one bucket (post_cached and post_to_one) do not read the
 * committed sequence. They first read the count of entries in the bucket's snapshot. Then they check that the center
 * has no flags (index.h) and, if the post has an object, that the other bucket of the post has no observers. So every
 * registration in another bucket is newer than the entries that were counted, and the post may leave it out.
 * Progress: Wait-free on the fast path, except that a post by topic reads the bucket again whenever a writer has
 * replaced the snapshot.
 * Ownership: A post owns its frame. After the first callback has begun, the post touches neither the center nor the
 * topic, because a callback may release them.
 *
 * This file calls observers, so it is compiled with unwinding (unwinding.cpp). It is valid C and C++.
 */
#include "deliver.h"
#include "first.h"
#include "post.h"
#include "span.h"
#include "suspension.h"
#include "topic.h"
#include "told.h"

/* ---- One bucket ------------------------------------------------------------------------------------------------- */

/* Whether the center has no flags. The caller has read a snapshot's count before. So if there are no flags, every
 * registration with name NULL is newer than the entries that were counted. */
HERALD_INLINE bool is_quiet(HeraldCenterRef center) {
    return herald_likely(load_acquire(&center->index.flags) == 0 || !HERALD_STEP(FLAGS_AFTER));
}

/* Whether all but one of the first `count` entries are tombstones. The answer is a hint, because a registration may end
 * at any moment. */
HERALD_INLINE bool is_one_left(const struct herald_snapshot *snapshot, uint32_t count) {
    return count - load_relaxed(&snapshot->ends) / HERALD_END_ONE == 1;
}

/* Calls the first `count` entries of a snapshot that the frame has pinned. If all but one of them are tombstones,
 * herald_deliver_one calls the remaining entry. This takes less work than herald_deliver_all. */
HERALD_INLINE size_t deliver_pinned(struct herald_snapshot *snapshot, uint32_t count, HeraldCenterRef center,
                                    HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    struct herald_slot **at = snapshot->entries, **last = at;
    if (herald_unlikely(count != 1)) {
        for (last += count - 1; last != at && load_relaxed(last) == &herald_tombstone;) last--;
        if (is_one_left(snapshot, count))
            while (at != last && load_relaxed(at) == &herald_tombstone) at++;
    }
    if (herald_likely(at == last)) return herald_deliver_one(center, load_relaxed(at), name, object, userInfo, tag);
    return herald_deliver_all(center, last, name, object, userInfo, tag);
}

/* ---- By name ---------------------------------------------------------------------------------------------------- */

/* If the center is suspended or closed, or if its queue is in use, calls no observer and returns false. `fencing`: a
 * full fence follows each hazard pointer. `one_by_one`: each registration is looked at apart, as fences and traces
 * need. */
HERALD_INLINE bool post_by_name(struct herald_thread *self, const struct herald_post *post, bool fencing,
                                bool one_by_one, size_t *called) {
    HERALD_CALL(call) = self;
    struct herald_frame *frame = herald_call_begin(self, post->tag, post->userInfo);
    struct herald_found found;
    const struct herald_index *index = &post->center->index;
    HeraldNameRef name = post->name;
    const void *object = post->object;
    herald_section_begin(self, fencing);
    uint64_t limit = HERALD_STEP(LIMIT_EARLY) ? load_acquire(&index->committed) : UINT64_MAX;
    herald_pause();
    /* The flags are read after the limit. If this read does not see a suspension, every registration that is added
     * during the suspension has a sequence above the limit, and is not called. */
    uint32_t flags = load_acquire(&index->flags);
    if (herald_unlikely(flags & HERALD_FLAG_QUEUE) && HERALD_STEP(QUEUE_AFTER)) {
        herald_section_end(self);
        herald_call_end(&call, frame, 0);
        return false;
    }
    struct herald_lookup own, *lookup = &own; /* the cache has no bucket that is in no table */
    if (herald_unlikely(post->unnamed != NULL)) {
        herald_found_look_up(post, 0, &own);
    } else {
        lookup = herald_found_cached(self, post, index, name, object);
    }
    int pins = herald_found_all(&found, post, lookup, flags, frame, limit);
    herald_section_end(self);
    *called = 0;
    if (one_by_one) {
        *called = herald_deliver_merged(frame, &found, post, fencing, HERALD_EVERY_BEHAVIOR);
    } else {
        *called = herald_deliver_found(frame, &found, post);
    }
    /* Always clears two pins. Two stores cost less than finding out whether fewer are set. */
    if (herald_unlikely(pins > 2)) herald_call_unpin(frame, 2, pins);
    herald_call_unpin(frame, 0, 2);
    herald_call_end(&call, frame, 0);
    return true;
}

HERALD_INLINE size_t post_or_hold(struct herald_thread *self, const struct herald_post *post, unsigned options,
                                  bool fencing, bool one_by_one) {
    size_t called;
    if (herald_likely(post_by_name(self, post, fencing, one_by_one, &called))) return called;
    return herald_suspension_post(post, options);
}

/* ---- The slow path ---------------------------------------------------------------------------------------------- */

/* Makes a post to the center's own table that the fast path cannot make. */
HERALD_SLOW static size_t make(const struct herald_post *post, unsigned options) {
    uint64_t limit = load_acquire(&post->center->index.committed); /* before the flags, as in post_by_name */
    uint32_t flags = load_acquire(&post->center->index.flags);
    if (flags & HERALD_FLAG_QUEUE) return herald_suspension_post(post, options);
    herald_call_attach(); /* the thread gets a record if it can have one */
    if (herald_thread_is_full(herald_self)) return herald_deliver_under_lock(post, HERALD_EVERY_BEHAVIOR, limit);
    bool fencing = flags & HERALD_FLAG_FENCING;
    if (fencing || flags & HERALD_FLAG_TRACED) return post_or_hold(herald_self, post, options, fencing, true);
    return post_or_hold(herald_self, post, options, false, false);
}

HERALD_SLOW static size_t carry(const struct herald_post *post, unsigned options) {
    const HeraldTransport *transport = &post->center->transport;
    HERALD_USE_TRANSPORT(post->center); /* because a callback may release the center */
    if (!is_there) return 0;
    return transport->post(transport->context, post->center, post->name, post->object, post->userInfo, post->tag,
                           options);
}

HERALD_SLOW static size_t post_traced(const struct herald_post *post, unsigned options, bool carried,
                                      const void *caller) {
    HERALD_RETAIN_TRANSPORT(post->center); /* because a hook may release the center */
    HERALD_SPAN(span);
    herald_span_begin_post(&span, post, post->center->number, options, caller);
    span.event.calls = carried ? carry(post, options) : make(post, options);
    herald_span_end(&span, !carried ? HeraldTraceReturned : is_there ? HeraldTraceCarried : HeraldTraceDropped);
    return span.event.calls;
}

/* `carried`: the center's transport gets the post; else the center's own table. `caller`: the code address that made
 * the post, for its trace. */
HERALD_INLINE size_t post_slowly(const struct herald_post *post, unsigned options, bool carried, const void *caller) {
    if (herald_unlikely(herald_span_wanted(post->center))) return post_traced(post, options, carried, caller);
    return carried ? carry(post, options) : make(post, options);
}

HERALD_SLOW static size_t post_slow_here(const struct herald_post *post, unsigned options, const void *caller) {
    bool carried = load_relaxed(&post->center->index.flags) & HERALD_FLAG_TRANSPORT;
    return post_slowly(post, options, carried, caller);
}

/* In a copy of the library that is not the first, no thread has a record. So every post that is made in such a copy
 * comes here, and the fast path need not check for other copies. */
__attribute__((noinline)) static size_t post_slow(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                                  const void *userInfo, const void *tag, unsigned options,
                                                  const void *caller) {
    const struct herald_functions *first = herald_first_elsewhere();
    if (first) return first->post(center, name, object, userInfo, tag, options, caller);
    const struct herald_post post = {center, name, object, userInfo, tag, NULL};
    return post_slow_here(&post, options, caller);
}

/* Not inlined, so that its callers need no stack before they call it. */
__attribute__((noinline)) static size_t post_fast(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                                  const void *userInfo, const void *tag, unsigned options) {
    const struct herald_post post = {center, name, object, userInfo, tag, NULL};
    return post_or_hold(herald_self, &post, options, false, false);
}

/* For a post with an object. The caller has read the count of one bucket's snapshot before. True: every registration in
 * the bucket `other`, and in a bucket that was made after `generation` was read, is newer than the counted entries. */
HERALD_INLINE bool is_alone(const struct herald_index *index, uint64_t generation, const struct herald_bucket *other) {
    if (other && load_acquire(&other->occupied) && HERALD_STEP(OTHER_AFTER)) return false;
    return load_acquire(&index->generation) == generation || !HERALD_STEP(GENERATION_AFTER);
}

/* The caller has opened the frame. Finds in the lookup cache the only bucket that may have observers of the name and
 * object. Pins the bucket's snapshot, and reads its count. A count of 0 means that there are no observers. Returns
 * false if the thread has a ticket to answer, if the cache has no valid entry, or if a second bucket may have
 * observers. */
HERALD_INLINE bool pin_cached(struct herald_thread *self, struct herald_frame *frame, const struct herald_index *index,
                              HeraldNameRef name, const void *object, struct herald_snapshot **snapshot,
                              uint32_t *count) {
    if (herald_handshake_is_asked(self)) return false;
    herald_section_begin(self, false);
    uint64_t generation = load_acquire(&index->generation);
    const struct herald_lookup *own = herald_found_lookup(self, name, object);
    __asm__("" : "+r"(own)); /* kept in a register: see herald_found_cached */
    bool is_one = herald_likely(herald_found_is_valid(own, generation, name, object));
    if (is_one) {
        bool for_object = object && own->object_bucket && load_acquire(&own->object_bucket->occupied);
        struct herald_bucket *bucket = for_object ? own->object_bucket : own->name_bucket;
        *snapshot = bucket ? herald_found_take(bucket, frame, 0) : NULL;
        *count = *snapshot ? load_acquire(&(*snapshot)->count) : 0;
        if (object) is_one = is_alone(index, generation, for_object ? own->name_bucket : own->object_bucket);
    }
    herald_section_end(self);
    return is_one;
}

/* Makes a post if all its observers are in one bucket and the center has no flags. Otherwise the post begins again in
 * post_fast. This function is a leaf: it calls other functions only as its last step. So the arguments stay in the
 * registers in which they came, and the function needs hardly any stack. */
HERALD_INLINE size_t post_cached(struct herald_thread *self, HeraldCenterRef center, HeraldNameRef name,
                                 const void *object, const void *userInfo, const void *tag, bool tagged,
                                 unsigned options) {
    struct herald_frame *frame = herald_call_open(self);
    struct herald_snapshot *snapshot = NULL;
    uint32_t count = 0;
    if (herald_likely(pin_cached(self, frame, &center->index, name, object, &snapshot, &count)) && is_quiet(center)) {
        herald_call_tell(frame, tag, tagged, userInfo);
        if (herald_likely(count != 0)) return deliver_pinned(snapshot, count, center, name, object, userInfo, tag);
        herald_call_close(self, frame, 1);
        return 0;
    }
    herald_call_close(self, frame, 1);
    return post_fast(center, name, object, userInfo, tag, options);
}

/* post_cached for posts with an object, whose observers may be in two buckets. */
__attribute__((noinline)) static size_t post_about(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                                   const void *userInfo, const void *tag, unsigned options) {
    return post_cached(herald_self, center, name, object, userInfo, tag, true, options);
}

/* The address that a post was made from, for traces. If another copy of the library has passed the post on, `caller` is
 * this address. Otherwise `caller` is NULL, and the address is the return address of the public function into which
 * this code is inlined. Only code that needs the address reads it, so the fast path need not carry it along. */
#define CALLER(caller) ((caller) ? (caller) : __builtin_return_address(0))

HERALD_INLINE size_t post(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                          const void *tag, bool tagged, unsigned options, const void *caller) {
    if (herald_unlikely(!center || !name)) return 0;
    struct herald_thread *self = herald_self;
    uint32_t flags = 0; /* a copy that is not the first does not read the flags: none of its threads has a record */
    if (herald_unlikely(herald_thread_is_full(self) || (flags = load_relaxed(&center->index.flags)) & HERALD_FLAG_SLOW))
        return post_slow(center, name, object, userInfo, tag, options, CALLER(caller));
    if (herald_unlikely(flags)) return post_fast(center, name, object, userInfo, tag, options);
    if (object) return post_about(center, name, object, userInfo, tag, options);
    return post_cached(self, center, name, NULL, userInfo, tag, tagged, options);
}

__attribute__((aligned(HERALD_LINE))) size_t HeraldCenterPostNotification(HeraldCenterRef center, HeraldNameRef name,
                                                                          const void *object, const void *userInfo,
                                                                          bool deliverImmediately) {
    return post(center, name, object, userInfo, NULL, false,
                deliverImmediately ? (unsigned)HeraldPostDeliverImmediately : 0u, NULL);
}

size_t HeraldCenterPostNotificationWithOptions(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                               const void *userInfo, unsigned options) {
    return post(center, name, object, userInfo, NULL, false, options, NULL);
}

size_t HeraldCenterPostTagged(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                              const void *tag, unsigned options) {
    return post(center, name, object, userInfo, tag, true, options, NULL);
}

size_t herald_post_from(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                        const void *tag, unsigned options, const void *caller) {
    return post(center, name, object, userInfo, tag, true, options, caller);
}

size_t herald_post_here(const struct herald_post *post, unsigned options, const void *caller) {
    return post_slowly(post, options, false, caller);
}

size_t herald_own_HeraldCenterDeliver(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                      const void *userInfo, const void *tag, unsigned options) {
    if (!center || !name) return 0;
    struct herald_post what = {center, name, object, userInfo, tag, NULL};
    return herald_post_here(&what, options, NULL);
}

/* ---- By topic --------------------------------------------------------------------------------------------------- */

/* Makes a post by topic that may have observers in several buckets. Calls the registrations up to the committed
 * sequence. If the center has other flags than HERALD_FLAG_ANY_NAME, or if there are registrations for an object and
 * any name, which only the table knows, calls no observer and returns false. */
HERALD_INLINE bool post_to_several(struct herald_thread *self, HeraldTopicRef topic, const struct herald_post *what,
                                   size_t *called) {
    HERALD_CALL(call) = self;
    struct herald_frame *frame = herald_call_begin(self, what->tag, what->userInfo);
    struct herald_index *index = &what->center->index;
    struct herald_found found;
    found.sources = 0;
    uint64_t limit = load_acquire(&index->committed);
    uint32_t flags = load_acquire(&index->flags);
    bool served = !(flags & ~(uint32_t)HERALD_FLAG_ANY_NAME);
    if (herald_unlikely(flags) && topic->object_bucket && load_acquire(&index->everything.objects)) served = false;
    if (served) {
        herald_found_hold(&found, topic->name_bucket, frame, 0, limit);
        if (topic->object_bucket) herald_found_hold(&found, topic->object_bucket, frame, 1, limit);
        if (herald_unlikely(flags)) herald_found_hold(&found, &index->everything, frame, 2, limit);
    }
    *called = herald_deliver_found(frame, &found, what);
    herald_call_end(&call, frame, 3);
    return served;
}

static void release_bucket(struct herald_bucket **bucket) {
    if (HERALD_STEP(UNNAMED_RETAINED)) herald_bucket_release(*bucket);
}

HERALD_INLINE size_t post_by_topic(HeraldTopicRef topic, const struct herald_post *what, const void *caller) {
    size_t called;
    if (!herald_thread_is_full(herald_self) && post_to_several(herald_self, topic, what, &called)) return called;
    return post_slow_here(what, 0, caller);
}

/* For a topic without a name. A callback of the post may release the topic, and the slow path reads the bucket again
 * after callbacks of held posts. */
HERALD_SLOW static size_t topic_post_unnamed(HeraldTopicRef topic, const void *userInfo, const void *tag,
                                             const void *caller) {
    struct herald_bucket *unnamed __attribute__((cleanup(release_bucket))) = topic->name_bucket;
    if (HERALD_STEP(UNNAMED_RETAINED)) herald_bucket_retain(unnamed);
    struct herald_post what = {topic->center, topic->name, NULL, userInfo, tag, unnamed};
    return post_by_topic(topic, &what, caller);
}

/* Makes a post by a topic with an object, and every post that post_to_one does not make. The topic belongs to the first
 * copy of the library, which may be another one. So this function does not read the topic before it knows. */
__attribute__((noinline)) static size_t topic_post_slow(HeraldTopicRef topic, const void *userInfo, const void *tag,
                                                        const void *caller) {
    const struct herald_functions *first = herald_first_elsewhere();
    if (first) return first->post_topic(topic, userInfo, tag, caller);
    herald_topic_check(topic);
    if (herald_unlikely(topic->is_unnamed)) return topic_post_unnamed(topic, userInfo, tag, caller);
    struct herald_post what = {topic->center, topic->name, topic->object, userInfo, tag, NULL};
    return post_by_topic(topic, &what, caller);
}

/* Makes a post by a topic without an object. The observers are in one bucket, which lives as long as the topic. This
 * function is a leaf, like post_cached. */
HERALD_INLINE size_t post_to_one(struct herald_thread *self, HeraldTopicRef topic, const void *userInfo,
                                 const void *tag, bool tagged, const void *caller) {
    struct herald_frame *frame = herald_call_open(self);
    struct herald_snapshot *snapshot;
    if (!herald_handshake_is_asked(self) && herald_found_try_hold(topic->name_bucket, frame, 0, &snapshot)) {
        herald_call_tell(frame, tag, tagged, userInfo);
        HeraldCenterRef center = topic->center;
        uint32_t count = herald_likely(snapshot != NULL) ? load_acquire(&snapshot->count) : 0;
        if (herald_likely(count != 0) && is_quiet(center))
            return deliver_pinned(snapshot, count, center, topic->name, NULL, userInfo, tag);
    }
    herald_call_close(self, frame, 1);
    return topic_post_slow(topic, userInfo, tag, CALLER(caller));
}

HERALD_INLINE size_t topic_post(HeraldTopicRef topic, const void *userInfo, const void *tag, bool tagged,
                                const void *caller) {
    if (herald_unlikely(!topic)) return 0;
    struct herald_thread *self = herald_self;
    if (herald_unlikely(herald_thread_is_full(self) || !topic->simple))
        return topic_post_slow(topic, userInfo, tag, CALLER(caller));
    herald_topic_check(topic);
    if (!load_acquire(&topic->name_bucket->occupied) && load_acquire(&topic->center->index.flags) == 0) return 0;
    return post_to_one(self, topic, userInfo, tag, tagged, caller);
}

__attribute__((aligned(HERALD_LINE))) size_t HeraldTopicPost(HeraldTopicRef topic, const void *userInfo) {
    return topic_post(topic, userInfo, NULL, false, NULL);
}

size_t HeraldTopicPostTagged(HeraldTopicRef topic, const void *userInfo, const void *tag) {
    return topic_post(topic, userInfo, tag, true, NULL);
}

size_t herald_topic_post_from(HeraldTopicRef topic, const void *userInfo, const void *tag, const void *caller) {
    return topic_post(topic, userInfo, tag, true, caller);
}
