/* A span: one traced post, or one traced call, on its thread. */
#ifndef HERALD_SPAN_H
#define HERALD_SPAN_H

#include "center.h"
#include "found.h"
#include <herald/inspect.h>

struct herald_span {
    HeraldTraceEvent event;
    struct herald_span *outer;  /* the span around this one, on the same thread; or NULL */
    struct herald_frame *frame; /* the frame of a call; NULL for a post */
    uint64_t last;              /* in a post: when its last call ended, or 0 */
    bool is_carried;            /* its center has a transport */
    bool over;                  /* the clean-up has nothing to report */
};

HERALD_BEGIN
/* The function that reports an event, or NULL. Atomic; the tracer (tracer.c) sets it before any center is traced. A
 * thread that still reads NULL reports nothing. */
extern void (*herald_span_tell)(const HeraldTraceEvent *event);

/* How many trace hooks this thread is in. Posts that the thread makes in a trace hook are not traced. */
extern __thread uint32_t herald_span_deaf __attribute__((tls_model("initial-exec")));

/* `center` is the number of the post's center. It is passed because the center may have ended. */
void herald_span_begin_post(struct herald_span *span, const struct herald_post *post, uint64_t center, unsigned options,
                            const void *caller);
void herald_span_begin_call(struct herald_span *span, const struct herald_post *post, uint64_t center,
                            const struct herald_slot *slot, struct herald_frame *frame);
void herald_span_end(struct herald_span *span, HeraldTraceOutcome outcome);

/* Notes an outcome for the thread's innermost span, if that span is a traced post to this center. */
void herald_span_note(HeraldCenterRef center, HeraldTraceOutcome outcome);

/* Forgets the spans of this thread, which has ended in the middle of calls and has not been unwound. */
void herald_span_forget(void);

uint64_t herald_span_now(void);

HERALD_END

/* Returns 0 if the post is not traced, else the center's number. */
static inline uint64_t herald_span_wanted(HeraldCenterRef center) {
    bool wanted = load_relaxed(&center->index.flags) & HERALD_FLAG_TRACED && !herald_span_deaf;
    return herald_unlikely(wanted) ? center->number : 0;
}

static inline void herald_span_cleanup(struct herald_span *span) {
    if (!span->over) herald_span_end(span, HeraldTraceUnwound);
}
#define HERALD_SPAN(name) struct herald_span name __attribute__((cleanup(herald_span_cleanup)))

#endif
