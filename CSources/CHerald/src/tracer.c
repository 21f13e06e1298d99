/* Traces: hooks are observers of a hidden center, on which every event is a post.
 *
 * Ordering. A hook is registered before the centers' kinds say that somebody looks on, and they say so until it has
 * ended. Progress. Bounded by the centers. Ownership. A trace belongs to its registration; it keeps the memory of a
 * center that it is of, not the center.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "life.h"
#include "memory.h"
#include "span.h"
#include <herald/inspect.h>

struct trace {
    HeraldTraceHook hook;
    void *context;
    void (*release)(void *context);
    HeraldCenterRef center; /* NULL: all */
};

static HeraldCenterRef trace_events; /* the hidden center, once it is there; atomic */
static HeraldNameRef carried;        /* of trace_events whose name is not known */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t of_a_center; /* atomic: traces that ask for one; without them nobody need be looked up by it */

static void post_event(const HeraldTraceEvent *event) {
    const void *object = load_relaxed(&of_a_center) ? event->center : NULL;
    HeraldCenterPostNotification(load_acquire(&trace_events), event->name ? event->name : carried, object, event,
                                 false);
}

static void make_trace_events(void) {
    HeraldCenterRef center = herald_center_create_hidden();
    carried = HeraldNameCreate("herald.carried");
    herald_span_tell = post_event;
    store_release(&trace_events, center);
}

/* ---- Who is traced ----------------------------------------------------------------------------------------------- */

static void look_again(HeraldCenterRef center, uint32_t more) {
    herald_center_lock(center);
    center->traces += more;
    herald_center_update_kinds(center);
    herald_center_unlock(center);
}

/* `more`: one, or one less. */
static void count_trace(HeraldCenterRef center, uint32_t more) {
    HeraldCenterRef *all;
    __atomic_fetch_add(&HeraldTraceCount, more, __ATOMIC_SEQ_CST);
    if (center) {
        __atomic_fetch_add(&of_a_center, more, __ATOMIC_SEQ_CST);
        look_again(center, more);
        return;
    }
    __atomic_fetch_add(&herald_center_traces, more, __ATOMIC_SEQ_CST);
    size_t length = herald_centers_copy(&all);
    for (size_t i = 0; i < length; i++) {
        look_again(all[i], 0);
        herald_slots_release(&all[i]->slots);
    }
    free(all);
}

/* ---- Traces ------------------------------------------------------------------------------------------------------ */

static void hear_event(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo) {
    (void)center, (void)name, (void)object;
    const struct trace *trace = (const struct trace *)observer;
    trace->hook(trace->context, (const HeraldTraceEvent *)userInfo);
}

static void end_trace(void *observer) {
    struct trace *trace = (struct trace *)observer;
    struct trace mine = *trace;
    free(trace);
    count_trace(mine.center, (uint32_t)-1);
    if (mine.center) herald_slots_release(&mine.center->slots);
    if (mine.release) mine.release(mine.context);
}

HeraldStatus HeraldTraceStart(HeraldCenterRef center, HeraldNameRef name, HeraldTraceHook hook, void *context,
                              void (*release)(void *context), HeraldToken *token) {
    static const HeraldToken none = {0, 0};
    if (token) *token = none;
    if (!hook || (center && center->hidden)) return HeraldInvalidArgument;
    pthread_once(&once, make_trace_events);
    HeraldCenterRef at = load_acquire(&trace_events);
    struct trace *trace = at && carried ? (struct trace *)malloc(sizeof *trace) : NULL;
    if (!trace) return HeraldOutOfMemory;
    trace->hook = hook;
    trace->context = context;
    trace->release = release;
    trace->center = center;
    if (center) herald_slots_retain(&center->slots);
    count_trace(center, 1); /* first: the registration may end at once, and counts it back */
    HeraldObserverOptions options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.release = end_trace;
    HeraldStatus status = HeraldCenterAddObserverWithOptions(at, trace, hear_event, name, center, &options, token);
    if (status == HeraldOK) return HeraldOK;
    trace->release = NULL;
    end_trace(trace);
    return status;
}

bool HeraldTraceStop(HeraldToken trace) {
    HeraldCenterRef at = load_acquire(&trace_events);
    return at && HeraldCenterRemoveTokenAndWait(at, trace);
}
