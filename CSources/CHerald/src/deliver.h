/* The walk over what a post has found: the loop that everything else is built around.
 *
 * Ordering. For each slot: `current` := slot (release); light; the state; the call; `current` := the next or none
 * (release); light; the state of the slot just left. Partner: claim() in release.c. Either the remover's look at the
 * frames finds `current`, and then the look back finds PENDING; or the look at the state finds that it is not ACTIVE.
 */
#ifndef HERALD_DELIVER_H
#define HERALD_DELIVER_H

#include "post.h"
#include "release.h"
#include "snapshot.h"

/* One running post in a frame of the thread's record. It ends with herald_call_end, or by its clean-up when a callback
 * throws or ends its thread; posts inside it have ended by then, so its frame is the innermost. */
typedef struct herald_thread *herald_call; /* NULL once it is over */
#define HERALD_CALL(name) herald_call name __attribute__((cleanup(herald_call_cleanup)))

HERALD_INLINE struct herald_frame *herald_call_begin(struct herald_thread *self, const void *tag) {
    struct herald_frame *frame = self->top;
    frame->tag = tag;
    self->top = frame + 1;
    return frame;
}

/* `current` is none already. The release orders the calls before the reclaimer's freeing. */
HERALD_INLINE void herald_call_end(herald_call *call, struct herald_frame *frame, int pins) {
    for (int i = 0; i < pins; i++) store_release(&frame->pins[i], (struct herald_snapshot *)NULL);
    (*call)->top = frame;
    *call = NULL;
}

/* One running post in a frame wherever there is one: in the record, or else on the stack. */
struct herald_guest_call {
    struct herald_frame *frame; /* NULL once it is over */
    struct herald_guest guest;
    struct herald_activity activity;
    bool is_guest;
};
#define HERALD_GUEST_CALL(name) struct herald_guest_call name __attribute__((cleanup(herald_guest_call_cleanup)))

HERALD_BEGIN
void herald_guest_call_begin(struct herald_guest_call *call, const void *tag);
void herald_guest_call_end(struct herald_guest_call *call);

/* The clean-ups: the post is being unwound. */
void herald_call_abandon(struct herald_thread *self);
void herald_guest_call_abandon(struct herald_guest_call *call);

size_t herald_deliver_many(struct herald_frame *frame, struct herald_slot **at, struct herald_slot **last,
                           const struct herald_post *post);
HERALD_END

HERALD_INLINE void herald_call_cleanup(herald_call *call) {
    if (herald_unlikely(*call != NULL)) herald_call_abandon(*call);
}

HERALD_INLINE void herald_guest_call_cleanup(struct herald_guest_call *call) {
    if (herald_unlikely(call->frame != NULL)) herald_guest_call_abandon(call);
}

/* What a post has found: up to four snapshots, and how far to read them. */
struct herald_found {
    struct herald_slot **at[HERALD_PINS], **end[HERALD_PINS];
    int sources;
};

/* Adds a pinned snapshot's registrations up to `limit`: what was added since the post began would, from another bucket,
 * be called before an older one that the post has missed. */
HERALD_INLINE void herald_found_add(struct herald_found *found, struct herald_snapshot *snapshot, uint64_t limit) {
    if (!snapshot) return;
    uint32_t count = load_acquire(&snapshot->count);
    while (count && snapshot->entries[count - 1]->sequence > limit && herald_keep(LIMIT)) count--;
    if (!count) return;
    found->at[found->sources] = snapshot->entries;
    found->end[found->sources] = snapshot->entries + count;
    found->sources++;
}

/* The oldest registration not yet taken, or NULL. */
HERALD_INLINE struct herald_slot *herald_found_next(struct herald_found *found) {
    struct herald_slot *oldest = NULL;
    int source = 0;
    for (int i = 0; i < found->sources; i++) {
        if (found->at[i] == found->end[i]) continue;
        struct herald_slot *slot = *found->at[i];
        if (!oldest || slot->sequence < oldest->sequence) {
            oldest = slot;
            source = i;
        }
    }
    if (oldest) found->at[source]++;
    return oldest;
}

HERALD_INLINE void herald_show(struct herald_frame *frame, struct herald_slot *slot, bool careful) {
    if (herald_keep(CURRENT)) store_release(&frame->current, slot);
    herald_light(careful);
}

HERALD_INLINE bool herald_may_call(const struct herald_slot *slot) {
    return load_relaxed(&slot->state) == HERALD_ACTIVE || !herald_keep(STATE_CHECK);
}

HERALD_INLINE bool herald_owes(const struct herald_slot *left) {
    return herald_unlikely(load_relaxed(&left->state) == HERALD_PENDING) && herald_keep(LOOK_BACK);
}

/* The last slot of a post has been left: nothing is shown. */
HERALD_INLINE void herald_look_back(struct herald_slot *left) {
    if (herald_owes(left)) herald_release_left(left);
}

/* A slot has been left for `next`, which is shown. A release may take its time: nobody shall wait for `next` meanwhile,
 * which is not being called (R11). Whoever comes back must look at its state. */
HERALD_INLINE void herald_look_back_from(struct herald_frame *frame, struct herald_slot *left, struct herald_slot *next,
                                         bool careful) {
    if (!herald_owes(left)) return;
    herald_show(frame, NULL, careful);
    herald_release_left(left);
    herald_show(frame, next, careful);
}

/* One snapshot's entries, `at` to `last`; returns how many were called. Most names have one observer: that one is
 * called here, more in herald_deliver_many. */
HERALD_INLINE size_t herald_deliver_run(struct herald_frame *frame, struct herald_slot **at, struct herald_slot **last,
                                        const struct herald_post *post) {
    if (at != last) return herald_deliver_many(frame, at, last, post);
    struct herald_slot *slot = *at;
    herald_show(frame, slot, false);
    size_t called = 0;
    if (herald_likely(herald_may_call(slot))) {
        slot->callback(post->center, slot->observer, post->name, post->object, post->userInfo);
        called = 1;
    }
    herald_show(frame, NULL, false);
    herald_look_back(slot);
    return called;
}

/* Several snapshots' entries in the order of registration (R2). */
HERALD_INLINE size_t herald_deliver_merged(struct herald_frame *frame, struct herald_found *found,
                                           const struct herald_post *post, bool careful, unsigned behaviors) {
    size_t called = 0;
    struct herald_slot *slot = herald_found_next(found);
    herald_show(frame, slot, careful);
    while (slot) {
        bool wanted = behaviors == HERALD_EVERY_BEHAVIOR || behaviors >> slot->behavior & 1;
        if (wanted && herald_may_call(slot)) {
            slot->callback(post->center, slot->observer, post->name, post->object, post->userInfo);
            called++;
        }
        struct herald_slot *left = slot;
        slot = herald_found_next(found);
        herald_show(frame, slot, careful);
        herald_look_back_from(frame, left, slot, careful);
    }
    return called;
}

#endif
