/* The walk over many observers, and the walk that finds its observers under the center's lock.
 *
 * Ordering: see call.h and found.h. Progress: wait-free, but for herald_deliver_under_lock. Ownership: a post owns its
 * frame.
 *
 * This file calls observers, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "deliver.h"

struct run {
    struct herald_slot **at, **last; /* the entry whose slot is shown, or none; the last one */
    struct herald_slot *slot;        /* as the entry was read: it may have become the tombstone */
    size_t skipped;
};

/* The slot that is shown, or the one that was left for it, is not ACTIVE. Goes on to the next that may be called, or
 * shows nothing and returns no entry. */
HERALD_SLOW static struct run skip_inactive(struct herald_frame *frame, struct herald_slot *left, struct run run) {
    while (run.at) {
        if (left) herald_call_look_back_from(frame, left, run.slot, false);
        left = run.slot;
        if (herald_call_is_allowed(left)) return run;
        run.skipped++;
        run.at = run.at == run.last ? NULL : run.at + 1;
        run.slot = run.at ? load_relaxed(run.at) : NULL;
        herald_call_show(frame, run.slot, false);
    }
    herald_call_look_back(left);
    return run;
}

/* Entries between two looks whether a remover asks: a walk over thousands keeps none waiting. */
#ifdef HERALD_EXPLORE
enum { UNHEARD = 1 };
#else
enum { UNHEARD = 64 };
#endif

static inline struct herald_slot **next_stop(struct herald_slot **at, struct herald_slot **last) {
    return last - at > UNHEARD ? at + UNHEARD : last;
}

/* The look back at one slot and the look at the next are one branch: both are ACTIVE, or skip_inactive() sorts it out.
 * A function of its own, so that frame, at, stop, slot and post stay in the registers that survive a call: with one of
 * them spilled, each turn waits for a store and its load, and the slope nearly doubles. */
__attribute__((noinline, aligned(HERALD_LINE))) size_t herald_deliver_many(struct herald_frame *frame,
                                                                           struct herald_slot **at,
                                                                           struct herald_slot **last,
                                                                           const struct herald_post *post) {
    while (load_relaxed(last) == &herald_tombstone) {
        if (last == at) return 0;
        last--;
    }
    size_t count = (size_t)(last - at) + 1, skipped = 0;
    struct herald_slot *left = NULL, *slot = load_relaxed(at);
    struct herald_slot **stop = next_stop(at, last);
    herald_call_show(frame, slot, false);
    uint8_t state = load_relaxed(&slot->state);
    for (;;) {
        if (herald_unlikely(state)) {
            struct run run = {at, last, herald_does(READ_ONCE) ? slot : load_relaxed(at), skipped};
            run = skip_inactive(frame, left, run);
            skipped = run.skipped;
            if (!run.at) return count - skipped;
            at = run.at;
            slot = run.slot;
            stop = next_stop(at, last);
        }
        /* Observers that registered one after the other lie one after the other. Harmless where they do not. */
        __builtin_prefetch(slot + 4);
        herald_deliver_to(slot, post);
        if (at == stop) {
            if (at == last) break;
            stop = next_stop(at, last);
            herald_ask_hear_again(herald_self);
        }
        left = slot;
        slot = load_relaxed(++at);
        herald_call_show(frame, slot, false);
        state = load_relaxed(&left->state) | load_relaxed(&slot->state);
    }
    herald_call_show(frame, NULL, false);
    herald_call_look_back(slot);
    return count - skipped;
}

/* The source whose next registration is the oldest; `bound` is the sequence of the next one of the others. */
static int oldest_source(const struct herald_found *found, uint64_t *bound) {
    int oldest = -1;
    uint64_t first = UINT64_MAX;
    *bound = UINT64_MAX;
    for (int i = 0; i < found->sources; i++) {
        if (found->at[i] == found->end[i]) continue;
        uint64_t sequence = load_relaxed(found->at[i])->sequence;
        if (sequence < first) {
            *bound = first;
            first = sequence;
            oldest = i;
        } else if (sequence < *bound) {
            *bound = sequence;
        }
    }
    return oldest;
}

__attribute__((noinline)) size_t herald_deliver_stretches(struct herald_frame *frame, struct herald_found *found,
                                                          const struct herald_post *post) {
    size_t called = 0;
    uint64_t bound;
    for (int source; (source = oldest_source(found, &bound)) >= 0;) {
        struct herald_slot **at = found->at[source], **end = at + 1;
        while (end != found->end[source] && load_relaxed(end)->sequence < bound) end++;
        found->at[source] = end;
        called += herald_deliver_run(frame, at, end - 1, post, !herald_does(LAST_ONLY));
    }
    return called;
}

HERALD_SLOW bool herald_deliver_traced(struct herald_frame *frame, struct herald_slot *slot,
                                       const struct herald_post *post, uint64_t center) {
    HERALD_SPAN(span);
    herald_span_begin_call(&span, post, center, slot, frame);
    bool allowed = herald_call_is_allowed(slot); /* a hook may have removed it (R6) */
    if (allowed) herald_deliver_to(slot, post);
    herald_span_end(&span, allowed ? HeraldTraceReturned : HeraldTraceEnded);
    return allowed;
}

HERALD_SLOW size_t herald_deliver_under_lock(const struct herald_post *post, unsigned behaviors, uint64_t limit) {
    HERALD_GUEST_CALL(call);
    herald_guest_call_begin(&call, post->tag, post->userInfo);
    struct herald_found found;
    herald_center_lock(post->center);
    herald_found_under_lock(&found, post, call.frame, limit);
    herald_center_unlock(post->center);
    size_t called = herald_deliver_merged(call.frame, &found, post, true, behaviors);
    herald_guest_call_end(&call);
    return called;
}
