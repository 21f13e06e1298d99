/* A call: one running post (or one delivery from a queue) in a frame of the thread's record, or, when there is none
 * left, in a frame of its own on the stack (a overflow).
 *
 * Ordering, for each slot (a walk over many looks at one word instead: deliver.c): the hazard pointer := slot
 * (release); light; the state; the callback; the hazard pointer := the next or none (release); light; the state of the
 * slot just left. Partner: claim() and claim_alone() in release.c. Either the remover's look at the frames finds the
 * hazard pointer, and then the look back finds PENDING; or the look at the state finds that it is not ACTIVE.
 */
#ifndef HERALD_CALL_H
#define HERALD_CALL_H

#include "handshake.h"
#include "release.h"

/* It ends with herald_call_end, or by its clean-up when a callback throws or ends its thread; posts inside it have
 * ended by then, so its frame is the innermost. */
typedef struct herald_thread *herald_call; /* NULL once it is over */
#define HERALD_CALL(name) herald_call name __attribute__((cleanup(herald_call_cleanup)))

/* Takes a frame. The caller then looks whether it is asked, and writes what is posted. */
HERALD_INLINE struct herald_frame *herald_call_open(struct herald_thread *self) {
    struct herald_frame *frame = self->top;
    store_release(&self->top,
                  frame + 1); /* first: partners: is_quiescent() in handshake.c, skip_outside() in thread.c */
    return frame;
}

/* After `top` has moved: a signal handler that came before has used the frame. `tagged` is a constant: false where
 * there is no tag, and then there is no userInfo either. */
HERALD_INLINE void herald_call_tell(struct herald_frame *frame, const void *tag, bool tagged, const void *userInfo) {
    frame->tag = tag;
    if (tagged) frame->userInfo = userInfo;
}

HERALD_INLINE struct herald_frame *herald_call_begin(struct herald_thread *self, const void *tag,
                                                     const void *userInfo) {
    struct herald_frame *frame = herald_call_open(self);
    herald_handshake_poll(self);
    herald_call_tell(frame, tag, true, userInfo);
    return frame;
}

HERALD_INLINE void herald_call_unpin(struct herald_frame *frame, int from, int to) {
    for (int i = from; i < to; i++) store_release(&frame->pins[i], (struct herald_snapshot *)NULL);
}

/* the hazard pointer is none already. The release orders the calls before the reclaimer's freeing. */
HERALD_INLINE void herald_call_close(struct herald_thread *self, struct herald_frame *frame, int pins) {
    herald_call_unpin(frame, 0, pins);
    store_release(&self->top, frame);
}

HERALD_INLINE void herald_call_end(herald_call *call, struct herald_frame *frame, int pins) {
    herald_call_close(*call, frame, pins);
    *call = NULL;
}

/* One running post in a frame wherever there is one: in the record, or else on the stack. */
struct herald_overflow_call {
    struct herald_frame *frame;       /* NULL once it is over */
    struct herald_overflow *overflow; /* NULL: the frame is the record's */
    struct herald_overflow own;       /* where there is no memory for another */
    struct herald_activity activity;
};
#define HERALD_OVERFLOW_CALL(name)                                                                                     \
    struct herald_overflow_call name __attribute__((cleanup(herald_overflow_call_cleanup)))

HERALD_BEGIN
void herald_overflow_call_begin(struct herald_overflow_call *call, const void *tag, const void *userInfo);
void herald_overflow_call_end(struct herald_overflow_call *call);

/* The clean-ups: the post is being unwound. */
void herald_call_abandon(struct herald_thread *self);
void herald_overflow_call_abandon(struct herald_overflow_call *call);

/* The thread has ended in the middle of calls, and has not been unwound: ends them, innermost first. */
void herald_call_abandon_all(struct herald_thread *self);
HERALD_END

/* Gives a thread that has posted nothing yet a record, if it can have one; afterwards herald_self tells. */
HERALD_INLINE void herald_call_attach(void) {
    if (herald_unlikely(herald_self == &herald_newcomer)) herald_thread_attach(herald_call_abandon_all);
}

HERALD_INLINE void herald_call_cleanup(herald_call *call) {
    if (herald_unlikely(*call != NULL)) herald_call_abandon(*call);
}

HERALD_INLINE void herald_overflow_call_cleanup(struct herald_overflow_call *call) {
    if (herald_unlikely(call->frame != NULL)) herald_overflow_call_abandon(call);
}

/* ---- The steps of a call ---------------------------------------------------------------------------------------- */

HERALD_INLINE void herald_call_show(struct herald_frame *frame, struct herald_slot *slot, bool fencing) {
    if (HERALD_STEP(HAZARD)) store_release(&frame->hazard, (uintptr_t)slot);
    herald_fence_light(fencing);
}

/* Of a post without fences that shows no other slot afterwards. */
HERALD_INLINE void herald_call_show_last(struct herald_frame *frame, const struct herald_slot *slot) {
    if (HERALD_STEP(HAZARD)) store_release(&frame->hazard, (uintptr_t)slot | HERALD_LAST);
    herald_fence_light(false);
}

HERALD_INLINE bool herald_call_is_allowed(const struct herald_slot *slot) {
    return load_relaxed(&slot->state) == HERALD_ACTIVE || !HERALD_STEP(STATE_CHECK);
}

HERALD_INLINE bool herald_call_owes(const struct herald_slot *left) {
    return herald_unlikely(load_relaxed(&left->state) == HERALD_PENDING) && HERALD_STEP(LOOK_BACK);
}

/* The last slot of a post has been left: nothing is shown. */
HERALD_INLINE void herald_call_look_back(struct herald_slot *left) {
    if (herald_call_owes(left)) herald_release_left(left);
}

/* A slot has been left for `next`, which is shown. A release may take its time: no remover shall wait for `next`
 * meanwhile, which is not being called (R11). The caller must look at the state of `next` afterwards. */
HERALD_INLINE void herald_call_look_back_from(struct herald_frame *frame, struct herald_slot *left,
                                              struct herald_slot *next, bool fencing) {
    if (!herald_call_owes(left)) return;
    herald_call_show(frame, NULL, fencing);
    herald_release_left(left);
    herald_call_show(frame, next, fencing);
}

#endif
