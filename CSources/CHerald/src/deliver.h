/* The walk over what a post has found: the loop that everything else is built around. The scheme: hazard pointers hand
 * over hand. Instead of each slot's state the walk reads one word, the snapshot's ends, as a reader of a seqlock reads
 * the sequence. Ordering: see deliver.c. */
#ifndef HERALD_DELIVER_H
#define HERALD_DELIVER_H

#include "call.h"
#include "found.h"
#include "ground_sanitizer.h"
#include "plan.h"
#include "span.h"

HERALD_BEGIN
/* Calls the entries `at` to `last` of a pinned snapshot; returns how many were called. */
size_t herald_deliver_many(struct herald_frame *frame, const struct herald_snapshot *snapshot, struct herald_slot **at,
                           struct herald_slot **last, const struct herald_post *post);

/* The second half of a post to one bucket; the first half, in post.c, is a leaf with hardly any stack. These functions
 * call the observers and end the post. Their parameters come in the registers in which the callback gets them. The
 * thread's innermost frame pins the bucket's snapshot, and nothing else. In the Swift package the whole core is one C++
 * file: there the compiler merges both halves into one function, which uses a stack and executes 8 % fewer instructions
 * (counted). */
size_t herald_deliver_one(HeraldCenterRef center, struct herald_slot *slot, HeraldNameRef name, const void *object,
                          const void *userInfo, const void *tag);
size_t herald_deliver_all(HeraldCenterRef center, struct herald_slot **last, HeraldNameRef name, const void *object,
                          const void *userInfo, const void *tag);

/* Calls the entries of several snapshots in the order of registration (R2): the walk stays in one snapshot until
 * another one has the next registration. */
size_t herald_deliver_stretches(struct herald_frame *frame, struct herald_found *found, const struct herald_post *post);

/* Posts to the registrations up to the sequence `limit` whose behavior is among `behaviors` (one bit for each). The
 * registrations are found under the center's lock. So this function works in every state of the center, also in those
 * in which the fast paths do not. */
size_t herald_deliver_under_lock(const struct herald_post *post, unsigned behaviors, uint64_t limit);

/* Makes one call of a traced post; `center` is the number of the post's center. False: the registration was not called,
 * because it has ended since the post found it. */
bool herald_deliver_traced(struct herald_frame *frame, struct herald_slot *slot, const struct herald_post *post,
                           uint64_t center);

/* Makes one call, and reports to a thread sanitizer what orders the call (ground_sanitizer.h): it comes after the add,
 * and before the release of the registration. Partners: add() in observe.c, and herald_release_see. */
void herald_deliver_watched(const struct herald_slot *slot, const struct herald_post *post);
HERALD_END

/* Calls the observer. Every callback gets the tag as a sixth argument; a callback of five parameters ignores it. By the
 * letter of C such a call is undefined, but on the machines that the library is for, one more argument is one more
 * register. To ask the slot whether its callback takes a tag would cost 1.3 ns for each observer. */
HERALD_ANY_FUNCTION HERALD_INLINE void herald_deliver_to(const struct herald_slot *slot,
                                                         const struct herald_post *post) {
    slot->callback(post->center, slot->observer, post->name, post->object, post->userInfo, post->tag);
}

/* Makes one call outside of the fast paths. */
HERALD_INLINE void herald_deliver_slowly(const struct herald_slot *slot, const struct herald_post *post) {
    if (ground_is_watched()) {
        herald_deliver_watched(slot, post);
    } else {
        herald_deliver_to(slot, post);
    }
}

/* Makes one call, of a post that may be traced. `traced`: what herald_span_wanted has returned before the first call of
 * the post, because a callback may release the center. Returns whether the registration was called. */
HERALD_INLINE bool herald_deliver_either(struct herald_frame *frame, struct herald_slot *slot,
                                         const struct herald_post *post, uint64_t traced) {
    if (herald_unlikely(traced)) return herald_deliver_traced(frame, slot, post, traced);
    herald_deliver_slowly(slot, post);
    return true;
}

/* A step of a walk over slots one by one, from the slot `left` (NULL: the walk begins). Returns the next slot, which
 * the frame then shows, or NULL at the end. */
HERALD_INLINE struct herald_slot *herald_deliver_step(struct herald_frame *frame, struct herald_found *found,
                                                      struct herald_slot *left, bool fencing) {
    struct herald_slot *slot = herald_found_next(found);
    herald_call_show(frame, slot, fencing);
    if (left) herald_call_look_back_from(frame, left, slot, fencing);
    return slot;
}

/* Calls one slot. If `ends` is true, it is the post's last slot. */
HERALD_INLINE size_t herald_deliver_single(struct herald_frame *frame, struct herald_slot *slot,
                                           const struct herald_post *post, bool ends) {
    if (ends) {
        herald_call_show_last(frame, slot);
    } else {
        herald_call_show(frame, slot, false);
    }
    size_t called = 0;
    if (herald_likely(herald_call_is_allowed(slot))) {
        herald_deliver_to(slot, post);
        called = 1;
    }
    herald_call_show(frame, NULL, false);
    herald_call_look_back(slot);
    return called;
}

/* Calls the entries `at` to `last`. Most names have one observer, which is called here; herald_deliver_many calls
 * several. */
HERALD_INLINE size_t herald_deliver_run(struct herald_frame *frame, const struct herald_snapshot *snapshot,
                                        struct herald_slot **at, struct herald_slot **last,
                                        const struct herald_post *post, bool ends) {
    if (at != last) return herald_deliver_many(frame, snapshot, at, last, post);
    return herald_deliver_single(frame, load_relaxed(at), post, ends);
}

/* Calls the registrations that were found. */
HERALD_INLINE size_t herald_deliver_found(struct herald_frame *frame, const struct herald_found *found,
                                          const struct herald_post *post) {
    if (herald_likely(found->sources == 1))
        return herald_deliver_run(frame, found->snapshots[0], found->at[0], found->end[0] - 1, post, true);
    if (!found->sources) return 0;
    struct herald_found several = *found; /* a copy, so that `found` itself can stay in registers */
    return herald_deliver_stretches(frame, &several, post);
}

/* Calls the registrations that were found, one by one. Used when the post is fencing, is for some behaviors only, or is
 * traced. */
HERALD_INLINE size_t herald_deliver_merged(struct herald_frame *frame, struct herald_found *found,
                                           const struct herald_post *post, bool fencing, unsigned behaviors) {
    size_t called = 0;
    uint64_t traced = herald_span_wanted(post->center); /* read now, because a callback may release the center */
    struct herald_slot *slot = NULL;
    while ((slot = herald_deliver_step(frame, found, slot, fencing))) {
        bool wanted = behaviors == HERALD_EVERY_BEHAVIOR || behaviors >> herald_slot_behavior(slot) & 1;
        if (wanted && herald_call_is_allowed(slot)) called += herald_deliver_either(frame, slot, post, traced);
    }
    return called;
}

#endif
