/* Followers: delivering their lanes.
 *
 * Ordering: One hold of the center's lock decides. A kept post gets its number, becomes what its cell keeps, is linked
 * to the chains, and finds the registrations. A follower's registration takes what is kept and its place in the chain.
 * So each kept post is either among what the follower begins with, or behind its place. Only a lane's owner takes posts
 * out of it, under the lock. Before the owner gives the lane up, it has found it empty, under the same hold of the
 * lock. So a post that was linked before is delivered by the owner, and one that is linked later finds the lane free.
 * Progress: A poster never waits for an owner, except in one case. An owner that has delivered many posts of other
 * threads gives the lane to the next thread that posts outside of callbacks. This thread waits for the call that runs
 * (at most PATIENCE_WITH_OWNER).
 * Ownership: A follower belongs to its registration, and is freed by a hook of it. While a thread owns the lane, the
 * thread's frame shows the slot, so the hook does not run.
 *
 * This file calls observers and hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "follower.h"
#include "deliver.h"
#include "ground_list.h"
#include "memory.h"
#include "sleeper.h"
#include "span.h"

#include <sched.h>

enum { PATIENCE_WITH_OWNER = 100000000 /* nanoseconds */ };
#ifdef HERALD_EXPLORE
enum { MOST_NEWER = 1 };
#else
enum { MOST_NEWER = 64 };
#endif

/* A thread that waits for a lane. It lies on its thread's stack. */
struct herald_turn {
    struct herald_turn *next;
    bool is_woken; /* it is not in the list any more */
    struct herald_sleeper sleeper;
};

static void wake_turns(struct herald_follower *follower) {
    for (struct herald_turn *turn; (turn = follower->turns);) {
        follower->turns = turn->next;
        turn->is_woken = true;
        if (HERALD_STEP(TURN_WAKE)) herald_sleeper_wake(&turn->sleeper);
    }
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------ */

static struct herald_chain *chain_of(const struct herald_follower *follower) { return &follower->cell->chain; }

bool herald_follower_prepare(HeraldCenterRef center, struct herald_follower *follower, HeraldNameRef name,
                             const void *object) {
    struct herald_cell *cell = herald_kept_find(center, name, object, true);
    if (!cell) return false;
    uint32_t count = object ? cell->kept != NULL : cell->keeping;
    follower->start = count ? (struct herald_held **)malloc(count * sizeof follower->start[0]) : NULL;
    follower->cell = cell;
    if ((follower->start || !count) && herald_chain_prepare(center->keeping, &cell->chain)) return true;
    herald_follower_give_back(center, follower);
    return false;
}

void herald_follower_give_back(HeraldCenterRef center, struct herald_follower *follower) {
    struct herald_cell *cell = follower->cell;
    follower->cell = NULL;
    free(follower->start);
    follower->start = NULL;
    herald_kept_settle(center, cell);
}

/* From now on the follower hears what is put into its chain. */
static void take_place(struct herald_follower *follower) {
    struct herald_chain *chain = chain_of(follower);
    follower->place = chain->end;
    follower->place->references++;
    follower->passed = chain->count;
}

static void take_kept(struct herald_follower *follower, struct herald_cell *cell) {
    herald_held_lend(cell->kept);
    follower->start[follower->start_count++] = cell->kept;
}

void herald_follower_begin(HeraldCenterRef center, struct herald_follower *follower, struct herald_slot *slot) {
    struct herald_cell *cell = follower->cell;
    struct herald_chain *chain = chain_of(follower);
    follower->slot = slot;
    if (slot->bucket->key.object) {
        if (cell->kept) take_kept(follower, cell);
    } else {
        for (struct herald_cell *at = cell->oldest; at; at = at->newer) take_kept(follower, at);
    }
    follower->begins = true;
    if (!follower->waits && HERALD_STEP(LANE_FROM_START)) follower->owner = &herald_self;
    if (!HERALD_STEP(BEGIN_AT_ONCE)) {
        herald_center_unlock(center);
        sched_yield(); /* the torture must meet this */
        herald_center_lock(center);
    }
    take_place(follower);
    GROUND_LIST_PUSH(chain->followers, follower);
    center->keeping->followers++;
}

/* Gives up what is left of an array. */
static void give_up_rest(struct herald_held ***array, uint32_t at, uint32_t count, struct herald_held **unused) {
    for (; *array && at < count; at++) herald_held_unuse((*array)[at], unused);
    free(*array);
    *array = NULL;
}

void herald_follower_leave(HeraldCenterRef center, const struct herald_slot *slot, struct herald_held **unused) {
    struct herald_follower *follower = herald_follower_of(slot);
    struct herald_cell *cell = follower->cell;
    GROUND_LIST_REMOVE(follower);
    give_up_rest(&follower->start, follower->start_at, follower->start_count, unused);
    give_up_rest(&follower->ahead, follower->ahead_at, follower->ahead_count, unused);
    herald_chain_leave(center->keeping, follower->place, unused);
    follower->place = NULL;
    follower->cell = NULL;
    center->keeping->followers--;
    if (HERALD_STEP(LEAVE_WAKE)) wake_turns(follower);
    herald_kept_settle(center, cell);
}

/* Gives up the post that the owner is delivering, if there is one. */
static void put_down(struct herald_follower *follower, struct herald_held **unused) {
    if (follower->in_hand) herald_held_unuse(follower->in_hand, unused);
    follower->in_hand = NULL;
}

static void free_follower(struct herald_follower **follower) {
    free((*follower)->start); /* NULL unless the add has failed */
    herald_known_clear(&(*follower)->known);
    free(*follower);
}

void herald_follower_end(const void *argument) {
    struct herald_follower *follower __attribute__((cleanup(free_follower))) =
        (struct herald_follower *)(uintptr_t)argument;
    put_down(follower, &follower->unused); /* only if a thread has ended in a call without being unwound */
    struct herald_held *unused __attribute__((cleanup(herald_held_free_list))) = follower->unused;
    if (follower->object && follower->releaseObject) follower->releaseObject(follower->object);
    (void)unused;
}

/* ---- A lane ----------------------------------------------------------------------------------------------------- */

/* How many posts the lane has, except those that the follower begins with. */
static uint64_t backlog_of(const struct herald_follower *follower) {
    uint64_t linked = follower->place ? chain_of(follower)->count - follower->passed : 0;
    return linked + (follower->ahead_count - follower->ahead_at);
}

uint64_t herald_follower_backlog(const struct herald_slot *slot) {
    const struct herald_follower *follower = herald_follower_of(slot);
    return backlog_of(follower) + (follower->start_count - follower->start_at);
}

static void pass(HeraldCenterRef center, struct herald_follower *follower, struct herald_held **unused) {
    herald_chain_pass(center->keeping, &follower->place, unused);
    follower->passed++;
}

/* Whether the follower does not hear the post, because it has heard this one or a newer one, or because of what its
 * behavior says of posts in a suspended center. */
static bool is_skipped(const struct herald_follower *follower, const struct herald_held *held) {
    if (herald_unlikely(follower->known.newest) && herald_known_has(&follower->known, held) &&
        HERALD_STEP(LANE_SKIPS_KNOWN))
        return true;
    if (!held->was_suspended) return false;
    HeraldSuspensionBehavior behavior = herald_slot_behavior(follower->slot);
    return behavior == HeraldSuspensionDrop || (behavior == HeraldSuspensionCoalesce && held->is_superseded);
}

static size_t count_heard(const struct herald_follower *follower) {
    size_t count = 0;
    for (uint32_t i = follower->ahead_at; i < follower->ahead_count; i++)
        count += !is_skipped(follower, follower->ahead[i]);
    for (const struct herald_link *link = follower->place; link && link->kept; link = link->next)
        count += !is_skipped(follower, link->kept);
    return count;
}

/* Moves what the follower still hears, `heard` posts, from the chain to `ahead`. If memory is out, changes nothing. */
static void gather(HeraldCenterRef center, struct herald_follower *follower, size_t heard,
                   struct herald_held **unused) {
    uint32_t count = 0;
    struct herald_held **ahead = (struct herald_held **)malloc((heard + 1) * sizeof ahead[0]);
    if (!ahead) return;
    for (uint32_t i = follower->ahead_at; i < follower->ahead_count; i++) {
        if (is_skipped(follower, follower->ahead[i])) {
            herald_held_unuse(follower->ahead[i], unused);
        } else {
            ahead[count++] = follower->ahead[i];
        }
    }
    while (follower->place && follower->place->kept) {
        struct herald_held *held = follower->place->kept;
        if (!is_skipped(follower, held)) {
            herald_held_retain(held);
            ahead[count++] = held;
        }
        pass(center, follower, unused);
    }
    free(follower->ahead);
    follower->ahead = ahead;
    follower->ahead_at = 0;
    follower->ahead_count = count;
}

/* For a follower that skips posts: gathers the others, so that the skipped posts between them can be freed, and take no
 * room. */
static void compact(HeraldCenterRef center, struct herald_follower *follower, struct herald_held **unused) {
    size_t heard = count_heard(follower);
    if (heard != backlog_of(follower)) gather(center, follower, heard, unused);
}

/* ---- Blocked followers ------------------------------------------------------------------------------------------- */

void herald_follower_block(HeraldCenterRef center, const struct herald_slot *slot, struct herald_held **unused) {
    struct herald_follower *follower = herald_follower_of(slot);
    if (follower->begins || follower->waits) return;
    if (follower->place->kept) gather(center, follower, count_heard(follower), unused);
    while (follower->place->kept) { /* memory is out */
        if (!is_skipped(follower, follower->place->kept))
            store_relaxed(&center->queue.dropped, center->queue.dropped + 1);
        pass(center, follower, unused);
    }
    herald_chain_leave(center->keeping, follower->place, unused);
    follower->place = NULL;
}

bool herald_follower_unblock(const struct herald_slot *slot) {
    struct herald_follower *follower = herald_follower_of(slot);
    if (!follower->place) take_place(follower);
    return follower->begins || follower->ahead_at < follower->ahead_count;
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

/* Drops the oldest posts of a lane that has more than the center's limit. */
static void trim(HeraldCenterRef center, struct herald_follower *follower, struct herald_held **unused) {
    uint64_t limit = center->options.heldPostLimit;
    if (herald_likely(backlog_of(follower) <= limit)) return;
    HeraldSuspensionBehavior behavior = herald_slot_behavior(follower->slot);
    if (behavior == HeraldSuspensionCoalesce || behavior == HeraldSuspensionDrop) compact(center, follower, unused);
    while (backlog_of(follower) > limit) {
        bool is_ahead = follower->ahead_at < follower->ahead_count;
        struct herald_held *oldest = is_ahead ? follower->ahead[follower->ahead_at] : follower->place->kept;
        if (!is_skipped(follower, oldest)) store_relaxed(&center->queue.dropped, center->queue.dropped + 1);
        if (is_ahead) {
            follower->ahead_at++;
            herald_held_unuse(oldest, unused);
        } else {
            pass(center, follower, unused);
        }
    }
}

static bool holds(HeraldCenterRef center, const struct herald_slot *slot) {
    return center->queue.suspended && herald_slot_behavior(slot) != HeraldSuspensionDeliverImmediately;
}

/* For a follower over a transport, which hears a live post. After a failed beginning it notes what it hears, because a
 * later beginning may bring the same post or an older one. After a beginning it forgets what it began with when all
 * later posts are newer. */
static void note_heard(HeraldCenterRef center, struct herald_follower *follower, const struct herald_held *held) {
    if (follower->status != HeraldOK) {
        herald_known_put_or_forget(&follower->known, held, center->options.keptPostLimit);
    } else if (follower->known.newest && held->number > follower->known.newest) {
        herald_known_clear(&follower->known);
    }
}

enum next { NOTHING, KEPT, BEGAN, LIVE };

/* Takes the next post out of the lane, with a reference in `*taken`. */
static enum next take_next(HeraldCenterRef center, struct herald_follower *follower, struct herald_held **taken,
                           struct herald_held **unused) {
    struct herald_slot *slot = follower->slot;
    if (!herald_call_is_allowed(slot) || !follower->cell) return NOTHING;
    if (follower->waits && HERALD_STEP(LANE_WAITS)) return NOTHING;
    bool is_held = holds(center, slot);
    if (follower->begins) {
        if (is_held && !follower->until) return NOTHING;
        if (follower->start_at < follower->start_count) {
            *taken = follower->start[follower->start_at++];
            return KEPT;
        }
        free(follower->start);
        follower->start = NULL;
        follower->begins = false;
        if (follower->began) return BEGAN;
    }
    trim(center, follower, unused);
    for (;;) {
        bool is_ahead = follower->ahead_at < follower->ahead_count;
        struct herald_held *held = is_ahead ? follower->ahead[follower->ahead_at] : follower->place->kept;
        if (!held) return NOTHING;
        bool skipped = is_skipped(follower, held); /* for ever, so it need not wait for the resume */
        if (!skipped && is_held && held->number > follower->until) return NOTHING;
        if (is_ahead) {
            follower->ahead_at++;
            if (skipped) herald_held_unuse(held, unused);
        } else if (skipped) {
            pass(center, follower, unused);
        } else {
            herald_chain_take(center->keeping, &follower->place, unused);
            follower->passed++;
        }
        if (skipped) continue;
        note_heard(center, follower, held);
        *taken = held;
        return LIVE;
    }
}

/* ---- Delivering ------------------------------------------------------------------------------------------------- */

static bool is_captured(const struct herald_follower *follower) { return follower->newer > MOST_NEWER; }

/* Waits until the lane's owner, which has delivered many posts of others, gives it up. */
static void wait_for_turn(HeraldCenterRef center, struct herald_follower *follower) {
    struct herald_turn self;
    memset(&self, 0, sizeof self);
    herald_sleeper_begin(&self.sleeper);
    self.next = follower->turns;
    follower->turns = &self;
    while (!self.is_woken) {
        if (herald_sleeper_sleep(&self.sleeper, center->lock, PATIENCE_WITH_OWNER) || self.is_woken) continue;
        struct herald_turn **link = &follower->turns;
        while (*link != &self) link = &(*link)->next;
        *link = self.next;
        follower->newer = 0; /* further posts do not wait for a call that takes so long */
        break;
    }
    herald_sleeper_end(&self.sleeper);
}

/* Under the center's lock, which is free while the thread waits: makes this thread the lane's owner. False: another
 * thread delivers the lane, or this thread does, further up its stack. */
static bool own(HeraldCenterRef center, struct herald_follower *follower, bool outside) {
    if (follower->owner && outside && is_captured(follower)) wait_for_turn(center, follower);
    if (follower->owner && HERALD_STEP(LANE_OWNER)) return false;
    follower->owner = &herald_self;
    follower->newer = 0;
    return true;
}

static void disown(struct herald_follower *follower) {
    follower->owner = NULL;
    follower->newer = 0;
    if (herald_unlikely(follower->turns != NULL)) wake_turns(follower);
}

/* Takes what the follower has given up out of its list, for a thread that frees it under no lock. */
static struct herald_held *take_unused(struct herald_follower *follower) {
    struct herald_held *unused = follower->unused;
    follower->unused = NULL;
    return unused;
}

/* A thread that owns a lane. The clean-up gives the lane up if an observer throws. */
struct delivering {
    HeraldCenterRef center;
    struct herald_follower *follower;
};

static void delivering_end(struct delivering *delivering) {
    if (!delivering->follower) return;
    struct herald_follower *follower = delivering->follower;
    herald_center_lock(delivering->center);
    struct herald_held *unused = take_unused(follower);
    put_down(follower, &unused);
    disown(follower);
    herald_center_unlock(delivering->center);
    herald_held_free_all(unused);
}

static void deliver_taken(HeraldCenterRef center, struct herald_slot *slot, const struct herald_held *held,
                          bool is_kept, struct herald_overflow_call *call) {
    const struct herald_post post = {center, held->name, herald_kept_object(held), held->userInfo, held->tag, NULL};
    uint64_t traced = herald_span_wanted(center);
    call->frame->tag = call->activity.tag = post.tag;
    call->frame->userInfo = call->activity.userInfo = post.userInfo;
    herald_call_mark(call->frame, slot, is_kept);
    herald_deliver_either(call->frame, slot, &post, traced);
    herald_call_mark(call->frame, slot, false);
}

/* The caller reads the count and the status under the lock, because a transport may let the follower begin again. */
static void tell_that_it_began(const struct herald_slot *slot, const struct herald_follower *follower, size_t count,
                               HeraldStatus status, struct herald_overflow_call *call) {
    call->frame->tag = call->activity.tag = NULL;
    follower->began(slot->observer, count, status);
}

/* Under the center's lock, which is free while hooks run. After a call, so that no post is lost if a hook throws. */
static void free_unused(HeraldCenterRef center, struct herald_follower *follower) {
    if (herald_likely(!follower->unused)) return;
    struct herald_held *unused = take_unused(follower);
    herald_center_unlock(center);
    herald_held_free_all(unused);
    herald_center_lock(center);
}

/* Delivers the lane. Called under the center's lock by the owner, whose frame shows the slot; unlocks. `number` is that
 * of the owner's own post. Returns how many posts were delivered. */
static size_t deliver_lane(HeraldCenterRef center, struct herald_slot *slot, uint64_t number,
                           struct herald_overflow_call *call) {
    struct herald_follower *follower = herald_follower_of(slot);
    struct delivering delivering __attribute__((cleanup(delivering_end))) = {center, follower};
    struct herald_held *held = NULL;
    size_t called = 0;
    for (enum next next; (next = take_next(center, follower, &held, &follower->unused)) != NOTHING;) {
        if (next == LIVE && held->number > number) follower->newer++;
        follower->in_hand = held;
        if (!HERALD_STEP(BEGAN_AS_TAKEN)) {
            herald_center_unlock(center);
            herald_center_lock(center);
        }
        size_t count = follower->start_count;
        HeraldStatus status = follower->status;
        herald_center_unlock(center);
        if (next == BEGAN) {
            tell_that_it_began(slot, follower, count, status, call);
        } else {
            deliver_taken(center, slot, held, next == KEPT, call);
            called++;
        }
        herald_center_lock(center);
        follower->in_hand = NULL;
        if (held) herald_held_unuse(held, &follower->unused);
        held = NULL;
        free_unused(center, follower);
        if (herald_unlikely(follower->turns != NULL) && is_captured(follower)) break;
        if (!HERALD_STEP(LANE_LAST_LOOK)) {
            /* The mutation: the owner gives up a lane that it has found empty before. */
            bool is_empty = !follower->place || !follower->place->kept;
            herald_center_unlock(center);
            herald_center_lock(center);
            if (is_empty) break;
        }
    }
    struct herald_held *unused = take_unused(follower);
    disown(follower);
    delivering.follower = NULL;
    herald_center_unlock(center);
    if (herald_unlikely(unused != NULL)) herald_held_free_all(unused);
    return called;
}

/* Walks over the followers of the cell's object, which is not the post's. */
HERALD_SLOW static size_t walk_over_cell(const struct herald_kept_post *kept, struct herald_overflow_call *call) {
    struct herald_post post = *kept->post;
    post.object = kept->object;
    const struct herald_kept_post same = {&post, kept->object, kept->number, kept->outside};
    struct herald_found found;
    herald_center_lock(post.center);
    herald_found_under_lock(&found, &post, call->frame, UINT64_MAX);
    herald_center_unlock(post.center);
    return herald_follower_walk(&same, call, &found, 0, true);
}

/* For a trace. */
static void note_if_held(HeraldCenterRef center, const struct herald_slot *slot) {
    herald_center_lock(center);
    bool held = holds(center, slot) && herald_slot_behavior(slot) != HeraldSuspensionDrop;
    herald_center_unlock(center);
    if (held) herald_span_note(center, HeraldTraceHeld);
}

size_t herald_follower_walk(const struct herald_kept_post *kept, struct herald_overflow_call *call,
                            struct herald_found *found, unsigned behaviors, bool fencing) {
    const struct herald_post *post = kept->post;
    HeraldCenterRef center = post->center;
    struct herald_frame *frame = call->frame;
    size_t called = 0;
    uint64_t traced = herald_span_wanted(center); /* read now: see herald_deliver_merged */
    struct herald_slot *slot = NULL;
    while ((slot = herald_deliver_step(frame, found, slot, fencing))) {
        if (!herald_call_is_allowed(slot)) {
        } else if (slot->traits & HERALD_FOLLOWS) {
            if (herald_unlikely(traced)) note_if_held(center, slot);
            herald_center_lock(center);
            if (herald_call_is_allowed(slot) && own(center, herald_follower_of(slot), kept->outside)) {
                called += deliver_lane(center, slot, kept->number, call);
                frame->tag = call->activity.tag = post->tag;
                frame->userInfo = call->activity.userInfo = post->userInfo;
            } else {
                herald_center_unlock(center);
            }
        } else if (behaviors >> herald_slot_behavior(slot) & 1) {
            called += herald_deliver_either(frame, slot, post, traced);
        }
    }
    return herald_unlikely(kept->object != post->object) ? called + walk_over_cell(kept, call) : called;
}

/* Under the center's lock, and unlocks it: the owner delivers the lane. */
static void deliver_own(HeraldCenterRef center, struct herald_slot *slot, struct herald_overflow_call *call) {
    herald_call_show_alone(call->frame, slot);
    deliver_lane(center, slot, center->keeping->newest, call);
    herald_call_leave_alone(call->frame, slot);
}

void herald_follower_deliver(HeraldCenterRef center, struct herald_slot *slot, struct herald_overflow_call *call) {
    if (own(center, herald_follower_of(slot), false)) {
        deliver_own(center, slot, call);
    } else {
        herald_center_unlock(center);
    }
}

/* `is_own`: this thread owns the lane. */
static void deliver_one(HeraldCenterRef center, uint64_t registration, bool is_own) {
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, NULL, NULL);
    herald_center_lock(center);
    struct herald_slot *slot = herald_slots_find(&center->slots, registration);
    if (!slot || !herald_slot_is_there(slot)) { /* another thread, which had the token, has removed it */
        herald_center_unlock(center);
    } else if (is_own) {
        deliver_own(center, slot, &call);
    } else {
        herald_follower_deliver(center, slot, &call);
    }
    herald_overflow_call_end(&call);
}

void herald_follower_start(HeraldCenterRef center, uint64_t registration) { deliver_one(center, registration, true); }
void herald_follower_go_on(HeraldCenterRef center, uint64_t registration) { deliver_one(center, registration, false); }

/* For a walk over all followers of a center, under its lock. Returns the one after `follower` (NULL: the first), or
 * NULL at the end. `*at` is 0 when the walk begins. */
static struct herald_follower *next_follower(HeraldCenterRef center, uint32_t *at,
                                             const struct herald_follower *follower) {
    if (follower && follower->next) return follower->next;
    if (!center->keeping || !center->keeping->followers) return NULL;
    for (struct herald_cell *cell; (cell = (struct herald_cell *)ground_table_next(&center->keeping->cells, at));)
        if (cell->chain.followers) return cell->chain.followers;
    return NULL;
}

uint64_t herald_follower_backlog_of_all(HeraldCenterRef center) {
    uint64_t sum = 0;
    uint32_t at = 0;
    for (const struct herald_follower *each = NULL; (each = next_follower(center, &at, each));)
        sum += herald_follower_backlog(each->slot);
    return sum;
}

/* ---- Suspension ------------------------------------------------------------------------------------------------- */

void herald_follower_hurry(const struct herald_kept_post *kept) {
    struct herald_post post = *kept->post;
    post.object = kept->object; /* a follower of the posted object, if that is another one, does not hear the post */
    struct herald_frame unshown;
    struct herald_found found;
    herald_found_under_lock(&found, &post, &unshown, UINT64_MAX);
    for (struct herald_slot *slot; (slot = herald_found_next(&found));)
        if (slot->traits & HERALD_FOLLOWS && load_relaxed(&slot->state) == HERALD_ACTIVE)
            herald_follower_of(slot)->until = kept->number;
}

static void sweep_chain(HeraldCenterRef center, struct herald_chain *chain, struct herald_held **unused) {
    if (herald_likely(chain->count - chain->swept < center->options.heldPostLimit)) return;
    chain->swept = chain->count;
    for (struct herald_follower *at = chain->followers; at; at = at->next) trim(center, at, unused);
}

void herald_follower_sweep(HeraldCenterRef center, struct herald_cell *cell, struct herald_held **unused) {
    sweep_chain(center, &cell->chain, unused);
    if (cell->of_name != cell) sweep_chain(center, &cell->of_name->chain, unused);
}

/* Under the center's lock, which is free while it looks for long: the next follower whose lane has something to be
 * delivered, after slot `*number`. */
static struct herald_slot *find_behind(HeraldCenterRef center, uint32_t *number) {
    enum { AT_ONCE_LOOKED = 1024 };
    for (uint32_t looked = 1;; looked++) {
        struct herald_slot *slot = herald_slots_after(&center->slots, *number);
        if (!slot) return NULL;
        *number = slot->self;
        if (load_relaxed(&slot->state) == HERALD_ACTIVE && slot->traits & HERALD_FOLLOWS) {
            const struct herald_follower *follower = herald_follower_of(slot);
            if (!follower->owner && !follower->waits && (follower->begins || backlog_of(follower))) return slot;
        }
        if (looked % AT_ONCE_LOOKED == 0) {
            herald_center_unlock(center);
            herald_center_lock(center);
        }
    }
}

static bool resume_next(HeraldCenterRef center, uint32_t *number) {
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, NULL, NULL);
    herald_center_lock(center);
    struct herald_slot *slot = center->keeping && center->keeping->followers ? find_behind(center, number) : NULL;
    if (slot) {
        herald_follower_deliver(center, slot, &call);
    } else {
        herald_center_unlock(center);
    }
    herald_overflow_call_end(&call);
    return slot != NULL;
}

void herald_follower_resume(HeraldCenterRef center) {
    for (uint32_t number = 0; resume_next(center, &number);) {
    }
}

/* ---- The end of a thread, and fork ------------------------------------------------------------------------------ */

/* Gives up the lanes that this thread owns, or, if `others`, those that other threads own. */
static void give_up_lanes(HeraldCenterRef center, bool others, struct herald_held **unused) {
    uint32_t at = 0;
    for (struct herald_follower *follower = NULL; (follower = next_follower(center, &at, follower));) {
        if (others) follower->turns = NULL; /* the threads that wait are in the parent */
        if (!follower->owner || (follower->owner != &herald_self) != others) continue;
        for (struct herald_held *held; (held = follower->unused);) {
            follower->unused = held->next;
            held->next = *unused;
            *unused = held;
        }
        put_down(follower, unused);
        disown(follower);
    }
}

void herald_follower_hand_in(HeraldCenterRef center) {
    struct herald_held *unused = NULL;
    herald_center_lock(center);
    give_up_lanes(center, false, &unused);
    herald_center_unlock(center);
    herald_held_free_all(unused);
}

/* What the other threads had in hand stays in memory, because no hook runs in a fork. */
void herald_follower_after_fork(HeraldCenterRef center) {
    struct herald_held *unused = NULL;
    give_up_lanes(center, true, &unused);
}
