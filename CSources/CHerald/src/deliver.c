/* The walk over many observers, and the post that finds its observers under the center's lock.
 *
 * Ordering: see call.h and found.h. A walk over many slots does not read the state of each slot. Instead it reads one
 * word, the snapshot's ends, which changes when a registration in the snapshot ends (snapshot.h). For each slot the
 * walk sets its hazard pointer (release), has a light fence, reads the ends, and calls. Partner: the remover changes
 * the ends (herald_snapshot_bury), then stores the slot's state, then has its barrier. Suppose that the walk has found
 * the ends unchanged for a slot, and that the slot is removed after that. If the callback is still running, the remover
 * finds the hazard pointer. After the callback the walk finds that the ends have changed. From then on the walk reads
 * each slot's state.
 * Progress: Wait-free, except herald_deliver_under_lock.
 * Ownership: A post owns its frame.
 *
 * This file calls observers, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "deliver.h"

/* How many entries one turn of the walk's loop calls. Each turn also looks for a ticket (handshake.h). The look and the
 * loop itself cost as much as one call. So four calls share them. */
#ifdef HERALD_EXPLORE
enum { TURN = 2 };
#else
enum { TURN = 4 };
#endif

/* Goes on with a walk after the ends have changed or the snapshot has been replaced. Calls the entries `at` to `last`,
 * and reads each slot's state before and after the call. The frame already shows `slot`, the entry at `at`. `left` is
 * the slot that the frame showed before (NULL: none). The state of `left` is still to be read again. Returns how many
 * entries were called. */
HERALD_SLOW static size_t deliver_watchfully(struct herald_frame *frame, struct herald_slot **at,
                                             struct herald_slot **last, struct herald_slot *left,
                                             struct herald_slot *slot, const struct herald_post *post) {
    for (size_t called = 0;; at++, slot = load_relaxed(at), herald_call_show(frame, slot, false)) {
        if (left) herald_call_look_back_from(frame, left, slot, false);
        left = slot;
        if (herald_call_is_allowed(slot)) {
            herald_deliver_to(slot, post);
            called++;
        }
        herald_handshake_poll_again(herald_self);
        if (at != last) continue;
        herald_call_show(frame, NULL, false);
        herald_call_look_back(left);
        return called;
    }
}

HERALD_INLINE bool have_changed(const struct herald_snapshot *snapshot, uint32_t ends) {
    return herald_unlikely(load_relaxed(&snapshot->ends) != ends);
}

/* Partner: herald_snapshot_bury. */
HERALD_INLINE struct herald_slot *entry_at(struct herald_slot **at) {
    return HERALD_STEP(ENDS_ENTRY) ? load_acquire(at) : load_relaxed(at);
}

/* The walk over one snapshot. If the ends change, deliver_watchfully goes on with the walk. A tombstone is called like
 * any slot, because a branch around tombstones would be hard to predict. `counts` is a compile-time constant. If
 * `counts` is true, there may be tombstones. The walk counts them, because they are not part of the result. If `counts`
 * is false, `ends` is a constant, too. The function is inlined for these constants, and so that the fields of the post
 * stay in registers. */
HERALD_INLINE size_t walk_over(struct herald_frame *frame, const struct herald_snapshot *snapshot, bool counts,
                               uint32_t ends, struct herald_slot **at, struct herald_slot **last,
                               const struct herald_post *post) {
    struct herald_slot **first = at, **stop = last + 1, *left = NULL, *slot;
    const struct herald_post what = *post; /* stays in registers, because no function gets its address */
    struct herald_post copy;
    size_t skipped = 0;
#define CALL(place)                                                                                                    \
    slot = entry_at(at + place);                                                                                       \
    herald_call_show(frame, slot, false);                                                                              \
    if (have_changed(snapshot, ends) && HERALD_STEP(ENDS_CHECK)) goto changed_##place;                                 \
    if (counts)                                                                                                        \
        skipped += slot->sequence == 0;                                                                                \
    else                                                                                                               \
        __builtin_prefetch(slot + 4); /* slots of observers that registered one after the other are adjacent */        \
    left = slot;                                                                                                       \
    __asm__("" : "+m"(left)); /* stays in memory, because few registers survive a call */                              \
    herald_deliver_to(slot, &what)
    for (; (stop - at) % TURN; at++) {
        CALL(0);
    }
    for (; at != stop; at += TURN) {
        herald_handshake_poll_again(herald_self);
        CALL(0);
        CALL(1);
#ifndef HERALD_EXPLORE
        CALL(2);
        CALL(3);
#endif
    }
#undef CALL
    herald_call_show(frame, NULL, false);
    if (have_changed(snapshot, ends) && HERALD_STEP(ENDS_BACK)) herald_call_look_back(left);
    return (size_t)(stop - first) - skipped;
    /* Each asm hides the value of `at`. Otherwise the compiler would compute `at + 1`, `at + 2` and `at + 3` in each
     * turn of the loop, although only these jumps need them. */
#ifndef HERALD_EXPLORE
changed_3:
    __asm__("" : "+r"(at));
    at += 3;
    goto changed_0;
changed_2:
    __asm__("" : "+r"(at));
    at += 2;
    goto changed_0;
#endif
changed_1:
    __asm__("" : "+r"(at));
    at += 1;
changed_0:
    if (!HERALD_STEP(READ_ONCE)) slot = load_relaxed(at);
    copy = what;
    return (size_t)(at - first) - skipped + deliver_watchfully(frame, at, last, left, slot, &copy);
}

/* Returns the value with which a walk compares the ends. Mostly this is `ends`, which the walk has found at its start.
 * But a walk cannot rely on the ends in three cases: an entry is just becoming the tombstone, another snapshot has
 * taken this one's place, or a registration is blocked. Then the result is a value that the ends never have. So the
 * walk goes on as if the ends had changed. */
HERALD_INLINE uint32_t expected_ends(uint32_t ends) {
    return ends & (HERALD_REPLACED | HERALD_ENDING | HERALD_BLOCKS) ? ~ends : ends;
}

__attribute__((noinline, aligned(HERALD_LINE))) size_t
herald_deliver_many(struct herald_frame *frame, const struct herald_snapshot *snapshot, struct herald_slot **at,
                    struct herald_slot **last, const struct herald_post *post) {
    uint32_t ends = herald_snapshot_ends(snapshot);
    if (herald_likely(ends == 0)) return walk_over(frame, snapshot, false, 0, at, last, post);
    return walk_over(frame, snapshot, true, expected_ends(ends), at, last, post);
}

/* ---- Posts to one bucket ---------------------------------------------------------------------------------------- */

__attribute__((aligned(HERALD_LINE))) size_t herald_deliver_one(HeraldCenterRef center, struct herald_slot *slot,
                                                                HeraldNameRef name, const void *object,
                                                                const void *userInfo, const void *tag) {
    HERALD_CALL(call) = herald_self;
    struct herald_frame *frame = call->top - 1;
    const struct herald_post post = {center, name, object, userInfo, tag, NULL};
    size_t called = herald_deliver_single(frame, slot, &post, true);
    herald_call_end(&call, frame, 1);
    return called;
}

HERALD_INLINE size_t deliver_and_end(bool counts, struct herald_slot **last, const struct herald_post *post) {
    HERALD_CALL(call) = herald_self;
    struct herald_frame *frame = call->top - 1;
    struct herald_snapshot *snapshot = frame->pins[0];
    uint32_t ends = counts ? expected_ends(herald_snapshot_ends(snapshot)) : 0;
    struct herald_slot **at = snapshot->entries;
    while (counts && at != last && load_relaxed(at) == &herald_tombstone) at++;
    size_t called = walk_over(frame, snapshot, counts, ends, at, last, post);
    herald_call_end(&call, frame, 1);
    return called;
}

__attribute__((noinline, aligned(HERALD_LINE))) static size_t deliver_living(HeraldCenterRef center,
                                                                             struct herald_slot **last,
                                                                             HeraldNameRef name, const void *object,
                                                                             const void *userInfo, const void *tag) {
    const struct herald_post post = {center, name, object, userInfo, tag, NULL};
    return deliver_and_end(false, last, &post);
}

__attribute__((noinline, aligned(HERALD_LINE))) static size_t
deliver_among_ended(HeraldCenterRef center, struct herald_slot **last, HeraldNameRef name, const void *object,
                    const void *userInfo, const void *tag) {
    const struct herald_post post = {center, name, object, userInfo, tag, NULL};
    return deliver_and_end(true, last, &post);
}

size_t herald_deliver_all(HeraldCenterRef center, struct herald_slot **last, HeraldNameRef name, const void *object,
                          const void *userInfo, const void *tag) {
    const struct herald_snapshot *snapshot = (herald_self->top - 1)->pins[0];
    if (herald_likely(herald_snapshot_ends(snapshot) == 0))
        return deliver_living(center, last, name, object, userInfo, tag);
    return deliver_among_ended(center, last, name, object, userInfo, tag);
}

/* ---- Several buckets --------------------------------------------------------------------------------------------- */

__attribute__((noinline)) size_t herald_deliver_stretches(struct herald_frame *frame, struct herald_found *found,
                                                          const struct herald_post *post) {
    size_t called = 0;
    uint64_t bound;
    for (int source; (source = herald_found_oldest(found, &bound)) >= 0;) {
        struct herald_slot **at = found->at[source], **end = at + 1;
        herald_handshake_poll_again(herald_self);
        while (end != found->end[source] && load_relaxed(end)->sequence < bound) end++;
        found->at[source] = end;
        called += herald_deliver_run(frame, found->snapshots[source], at, end - 1, post, !HERALD_STEP(LAST_ONLY));
    }
    return called;
}

HERALD_SLOW bool herald_deliver_traced(struct herald_frame *frame, struct herald_slot *slot,
                                       const struct herald_post *post, uint64_t center) {
    HERALD_SPAN(span);
    herald_span_begin_call(&span, post, center, slot, frame);
    bool allowed = herald_call_is_allowed(slot); /* a trace hook may have removed the registration (R6) */
    if (allowed) herald_deliver_slowly(slot, post);
    herald_span_end(&span, allowed ? HeraldTraceReturned : HeraldTraceEnded);
    return allowed;
}

/* The clean-up, also for a callback that throws. */
static void note_return(const struct herald_slot **slot) { ground_watched_release(&(*slot)->observer); }

HERALD_SLOW void herald_deliver_watched(const struct herald_slot *slot, const struct herald_post *post) {
    const struct herald_slot *called __attribute__((cleanup(note_return))) = slot;
    ground_watched_acquire(&called->sequence);
    herald_deliver_to(slot, post);
}

HERALD_SLOW size_t herald_deliver_under_lock(const struct herald_post *post, unsigned behaviors, uint64_t limit) {
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, post->tag, post->userInfo);
    struct herald_found found;
    herald_center_lock(post->center);
    herald_found_under_lock(&found, post, call.frame, limit);
    herald_center_unlock(post->center);
    size_t called = herald_deliver_merged(call.frame, &found, post, true, behaviors);
    herald_overflow_call_end(&call);
    return called;
}
