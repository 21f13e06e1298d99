/* The rare paths of a call: a call in an overflow frame, and the end of a call by unwinding.
 *
 * Ordering: see call.h. Progress: an overflow call takes the domain's lock when it begins and when it ends. Ownership:
 * a call owns its frame.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "call.h"
#include "span.h"

/* Clears the frame's hazard pointer, and looks back (call.h) at the slot that the frame showed. */
static void leave_shown(struct herald_frame *frame) {
    struct herald_slot *left = herald_frame_shows(frame);
    herald_call_show(frame, NULL, true);
    store_relaxed(&frame->since, (uint64_t)0); /* `since` was set if the call was traced */
    if (left) herald_call_look_back(left);
}

/* The clean-up: a callback has thrown, or ends its thread. */
HERALD_SLOW void herald_call_abandon(struct herald_thread *self) {
    struct herald_frame *frame = self->top - 1;
    leave_shown(frame);
    herald_call_close(self, frame, HERALD_PINS);
}

HERALD_SLOW void herald_overflow_call_enter(struct herald_overflow_call *call, const void *tag, const void *userInfo) {
    herald_call_attach();
    if (!herald_thread_is_full(herald_self)) {
        call->frame = herald_call_begin(herald_self, tag, userInfo);
        return;
    }
    call->overflow = herald_overflow_enter(&call->own);
    herald_activity_begin(&call->activity, tag, userInfo);
    call->overflow->activity = &call->activity;
    call->frame = &call->overflow->frame;
}

HERALD_SLOW void herald_overflow_call_leave(struct herald_overflow_call *call) {
    herald_activity_end(&call->activity);
    herald_overflow_leave(call->overflow);
}

HERALD_SLOW void herald_overflow_call_abandon(struct herald_overflow_call *call) {
    leave_shown(call->frame);
    herald_overflow_call_end(call);
}

const struct herald_frame *herald_call_frame(void) {
    const struct herald_frame *frame = herald_thread_frame();
    if (frame || !herald_activities) return frame;
    const struct herald_overflow *overflow = herald_overflow_of_thread();
    return overflow && overflow->activity == herald_activities ? &overflow->frame : NULL;
}

/* A thread takes overflow frames only when all frames of its record are in use. So its overflow frames are the
 * innermost ones, and end before the others. */
HERALD_SLOW void herald_call_abandon_all(struct herald_thread *self) {
    herald_span_forget(); /* first, because hooks may post: the spans lay on stack frames that no longer exist */
    for (struct herald_overflow *overflow; (overflow = herald_overflow_of_thread());) {
        leave_shown(&overflow->frame);
        herald_overflow_leave(overflow);
    }
    /* A thread without a record has a stand-in, which all such threads share. */
    while (herald_thread_has_record(self) && self->top != self->frames) herald_call_abandon(self);
}
