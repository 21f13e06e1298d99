/* A call: one running post (or one delivery from a queue) in a frame of the thread's record. If the record has no free
 * frame, the call uses an overflow frame. The scheme: a hazard pointer on the slot that is called. This hazard pointer
 * protects no memory. It shows removers that a callback may be running.
 *
 * Ordering: For each slot, the poster sets its hazard pointer to the slot (release), passes a light fence, reads the
 * slot's state, and calls the callback. Then it sets the hazard pointer to the next slot or to NULL (release), passes a
 * light fence, and reads the state of the slot that it has left. (A walk over many slots reads one word instead of the
 * states: deliver.c.) Partners: claim() and claim_alone() in release.c. One of two things happens. Either the remover
 * finds the hazard pointer in the frame, and then the poster's second read finds PENDING. Or the poster's first read
 * finds that the slot is not ACTIVE, and the poster does not call the callback.
 */
#ifndef HERALD_CALL_H
#define HERALD_CALL_H

#include "handshake.h"
#include "release.h"

/* A call ends with herald_call_end. If a callback throws or ends its thread, the clean-up ends the call. All calls
 * inside a call end before it, so a call that ends always has the thread's innermost frame. */
typedef struct herald_thread *herald_call; /* NULL once the call is over */
#define HERALD_CALL(name) herald_call name __attribute__((cleanup(herald_call_cleanup)))

/* Takes a frame. The caller then looks for a ticket (handshake.h), and writes the tag and userInfo into the frame. */
HERALD_INLINE struct herald_frame *herald_call_open(struct herald_thread *self) {
    struct herald_frame *frame = self->top;
    /* This store comes before everything else in the call. Partners: is_quiescent() (handshake.c), skip_outside()
     * (thread.c). */
    store_release(&self->top, frame + 1);
    return frame;
}

/* Writes the post's tag and userInfo into the frame. `tagged` is a compile-time constant. If `tagged` is false, the
 * post has no tag, and userInfo is not written: nobody reads the userInfo of a post without a tag. */
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

/* Gives up the pins and the frame. The caller has cleared the frame's hazard pointer. The stores here are releases. So
 * when the reclaimer reads that a pin is cleared, the callbacks have returned, and use nothing that the reclaimer
 * frees. */
HERALD_INLINE void herald_call_close(struct herald_thread *self, struct herald_frame *frame, int pins) {
    herald_call_unpin(frame, 0, pins);
    store_release(&self->top, frame);
}

HERALD_INLINE void herald_call_end(herald_call *call, struct herald_frame *frame, int pins) {
    herald_call_close(*call, frame, pins);
    *call = NULL;
}

/* A running post that uses a frame of the thread's record, or an overflow frame if the record has no free frame. */
struct herald_overflow_call {
    struct herald_frame *frame;       /* NULL once the post is over */
    struct herald_overflow *overflow; /* NULL: `frame` is in the thread's record */
    struct herald_overflow own;       /* the overflow frame for the case that memory is out */
    struct herald_activity activity;
};
#define HERALD_OVERFLOW_CALL(name)                                                                                     \
    struct herald_overflow_call name __attribute__((cleanup(herald_overflow_call_cleanup)))

HERALD_BEGIN
/* The rare paths of the two functions below: the thread has no record, or no free frame in it. */
void herald_overflow_call_enter(struct herald_overflow_call *call, const void *tag, const void *userInfo);
void herald_overflow_call_leave(struct herald_overflow_call *call);

/* The clean-ups call these when a post is being unwound. */
void herald_call_abandon(struct herald_thread *self);
void herald_overflow_call_abandon(struct herald_overflow_call *call);

/* For a thread that has ended in the middle of calls without unwinding them: ends these calls, innermost first. */
void herald_call_abandon_all(struct herald_thread *self);

/* The frame of the callback in which this thread is. NULL: the thread is in a hook, or in no callback. */
const struct herald_frame *herald_call_frame(void);
HERALD_END

/* Gives this thread a record if it has posted nothing yet. When memory is out, the thread gets none: herald_self shows
 * whether the thread has a record now. */
HERALD_INLINE void herald_call_attach(void) {
    if (herald_unlikely(herald_self == &herald_newcomer)) herald_thread_attach();
}

HERALD_INLINE void herald_call_cleanup(herald_call *call) {
    if (herald_unlikely(*call != NULL)) herald_call_abandon(*call);
}

HERALD_INLINE void herald_overflow_call_cleanup(struct herald_overflow_call *call) {
    if (herald_unlikely(call->frame != NULL)) herald_overflow_call_abandon(call);
}

HERALD_INLINE void herald_overflow_call_begin(struct herald_overflow_call *call, const void *tag,
                                              const void *userInfo) {
    call->overflow = NULL;
    if (herald_unlikely(herald_thread_is_full(herald_self))) {
        herald_overflow_call_enter(call, tag, userInfo);
    } else {
        call->frame = herald_call_begin(herald_self, tag, userInfo);
    }
}

HERALD_INLINE void herald_overflow_call_end(struct herald_overflow_call *call) {
    if (herald_unlikely(call->overflow != NULL)) {
        herald_overflow_call_leave(call);
    } else {
        herald_call_close(herald_self, call->frame, HERALD_PINS);
    }
    call->frame = NULL;
}

/* ---- The steps of a call ---------------------------------------------------------------------------------------- */

HERALD_INLINE void herald_call_show(struct herald_frame *frame, struct herald_slot *slot, bool fencing) {
    if (HERALD_STEP(HAZARD)) store_release(&frame->hazard, (uintptr_t)slot);
    herald_fence_light(fencing);
}

/* Sets the hazard pointer to the last slot that a post calls, together with the mark HERALD_LAST (see is_at_last_slot
 * in handshake.c). Only for a post that is not fencing. */
HERALD_INLINE void herald_call_show_last(struct herald_frame *frame, const struct herald_slot *slot) {
    if (HERALD_STEP(HAZARD)) store_release(&frame->hazard, (uintptr_t)slot | HERALD_LAST);
    herald_fence_light(false);
}

/* The frame shows the slot already. Sets or clears the mark HERALD_BEGINS. */
HERALD_INLINE void herald_call_mark(struct herald_frame *frame, const struct herald_slot *slot, bool begins) {
    if (HERALD_STEP(HAZARD))
        store_release(&frame->hazard, (uintptr_t)slot | (begins ? (uintptr_t)HERALD_BEGINS : (uintptr_t)0));
}

HERALD_INLINE bool herald_call_is_allowed(const struct herald_slot *slot) {
    return load_relaxed(&slot->state) == HERALD_ACTIVE || !HERALD_STEP(STATE_CHECK);
}

HERALD_INLINE bool herald_call_owes(const struct herald_slot *left) {
    return herald_unlikely(load_relaxed(&left->state) == HERALD_PENDING) && HERALD_STEP(LOOK_BACK);
}

/* Looks back at a slot that this post has left: reads the slot's state again. PENDING means that the post may have been
 * the last one to call the slot. The last one must run the release. Called when the frame shows no slot any more. */
HERALD_INLINE void herald_call_look_back(struct herald_slot *left) {
    if (herald_call_owes(left)) herald_release_left(left);
}

/* Looks back at the slot `left` when the frame already shows the slot `next`. A release may take long. While it runs,
 * the frame shows no slot. Otherwise a remover of `next` would wait for a call that has not begun (R11). Then the frame
 * shows `next` again, and the caller must read the state of `next`. */
HERALD_INLINE void herald_call_look_back_from(struct herald_frame *frame, struct herald_slot *left,
                                              struct herald_slot *next, bool fencing) {
    if (!herald_call_owes(left)) return;
    herald_call_show(frame, NULL, fencing);
    herald_release_left(left);
    herald_call_show(frame, next, fencing);
}

/* For a call of one slot that is ACTIVE and was found under the center's lock. Under the same hold of the lock, makes
 * the frame show the slot and pin its snapshot. A removal takes the lock, too, so no fence is needed. */
HERALD_INLINE void herald_call_show_alone(struct herald_frame *frame, struct herald_slot *slot) {
    store_release(&frame->pins[0], slot->bucket->current);
    store_release(&frame->hazard, (uintptr_t)slot);
}

/* After this call, under no lock: the frame shows no slot, and the call looks back. */
HERALD_INLINE void herald_call_leave_alone(struct herald_frame *frame, struct herald_slot *slot) {
    herald_call_show(frame, NULL, true);
    herald_call_look_back(slot);
}

#endif
