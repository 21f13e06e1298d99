/* Traces (R24). The hook of a trace is an observer of a hidden center, and every event is a post to that center.
 *
 * Ordering: A traced center has HERALD_FLAG_TRACED before the hook is registered, and keeps the flag until that
 * registration has ended.
 * Progress: Bounded by the number of centers.
 * Ownership: A trace belongs to its registration. A trace of one center has a reference to that center's memory, but
 * not to the center.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "error.h"
#include "first.h"
#include "life.h"
#include "memory.h"
#include "span.h"
#include <herald/inspect.h>

struct trace {
    HeraldTraceHook hook;
    void *context;
    void (*release)(void *context);
    HeraldCenterRef center; /* NULL: all centers */
};

static HeraldCenterRef trace_events; /* atomic: the hidden center, or NULL before the first trace */
static HeraldNameRef carried;        /* atomic: the name for events that have no name of their own */

static uint32_t of_a_center; /* atomic: how many traces are limited to one center; while this is 0, events are posted
                                with no object */

static void post_event(const HeraldTraceEvent *event) {
    HeraldCenterRef at = load_acquire(&trace_events); /* acquire: `carried` was set before */
    if (!at) return;
    const void *object = load_relaxed(&of_a_center) ? event->center : NULL;
    HeraldCenterPostNotification(at, event->name ? event->name : load_relaxed(&carried), object, event, false);
}

/* Returns the hidden center, or NULL when memory is out. Two threads may begin the first trace at the same time. Then
 * both make a center, and one of the two centers is released. */
static HeraldCenterRef find_trace_events(void) {
    HeraldCenterRef found = load_acquire(&trace_events);
    if (found) return found;
    HeraldNameRef name = HeraldNameCreate("herald.carried");
    HeraldCenterRef made = name ? herald_center_create_hidden() : NULL;
    if (!made) return NULL;
    store_relaxed(&carried, name); /* the same name for all threads */
    store_release(&herald_span_tell, &post_event);
    if (__atomic_compare_exchange_n(&trace_events, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    HeraldCenterRelease(made);
    return found;
}

/* ---- Which centers are traced ------------------------------------------------------------------------------------ */

static void look_again(HeraldCenterRef center, uint32_t more) {
    herald_center_lock(center);
    center->traces += more;
    herald_center_update_flags(center);
    herald_center_unlock(center);
}

/* ---- Copies of the library (R22) -------------------------------------------------------------------------------- */

static struct herald_copy *followers; /* domain's lock */

/* Whether count_for_all() already updates the count that `traces` points to. A linker may have merged the counts of two
 * copies into one variable. So `traces` may point to this copy's own count, or to that of a copy in `followers`. */
static bool is_followed(const uint32_t *traces) {
    const struct herald_copy *each = followers;
    while (each && each->traces != traces) each = each->next_follower;
    return each || traces == &HeraldTraceCount;
}

void herald_trace_follow(struct herald_copy *copy) {
    herald_domain_lock();
    if (!is_followed(copy->traces)) {
        copy->next_follower = followers;
        followers = copy;
        __atomic_fetch_add(copy->traces, load_relaxed(&HeraldTraceCount), __ATOMIC_SEQ_CST);
    }
    herald_domain_unlock();
}

static void count_for_all(uint32_t more) {
    herald_domain_lock();
    __atomic_fetch_add(&HeraldTraceCount, more, __ATOMIC_SEQ_CST);
    for (struct herald_copy *each = followers; each; each = each->next_follower)
        __atomic_fetch_add(each->traces, more, __ATOMIC_SEQ_CST);
    herald_domain_unlock();
}

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* `more` is 1 when a trace begins, and (uint32_t)-1 when a trace ends. */
static void count_trace(HeraldCenterRef center, uint32_t more) {
    count_for_all(more);
    if (center) {
        __atomic_fetch_add(&of_a_center, more, __ATOMIC_SEQ_CST);
        look_again(center, more);
        return;
    }
    __atomic_fetch_add(&herald_center_traces, more, __ATOMIC_SEQ_CST);
    for (HeraldCenterRef each = NULL; (each = herald_center_after(each));) look_again(each, 0);
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

HeraldStatus herald_own_HeraldTraceStart(HeraldCenterRef center, HeraldNameRef name, HeraldTraceHook hook,
                                         void *context, void (*release)(void *context), HeraldToken *token) {
    static const HeraldToken none = {0, 0};
    if (token) *token = none;
    if (!hook) return herald_fail(HeraldInvalidArgument, "the hook is NULL");
    if (center && center->hidden) return herald_fail(HeraldInvalidArgument, "this center is not traced");
    HeraldCenterRef at = find_trace_events();
    struct trace *trace = at ? (struct trace *)malloc(sizeof *trace) : NULL;
    if (!trace) return herald_fail_of_memory();
    trace->hook = hook;
    trace->context = context;
    trace->release = release;
    trace->center = center;
    if (center) herald_slots_retain(&center->slots);
    count_trace(center, 1); /* before the registration, which may end at once and count the trace down */
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

bool herald_own_HeraldTraceStop(HeraldToken trace) {
    HeraldCenterRef at = load_acquire(&trace_events);
    return at && HeraldCenterRemoveTokenAndWait(at, trace);
}
