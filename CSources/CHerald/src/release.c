/* The end of a registration.
 *
 * Ordering. The remover stores PENDING, has a heavy barrier and then reads the frames; a poster stores the hazard
 * pointer and then reads the state, both before a call and after it. So either the remover sees the poster's frame, and
 * the poster, when it leaves, sees PENDING; or the poster sees PENDING and does not call. `armed` says that the remover
 * has had its barrier: before that a leaving poster cannot know that no other thread is calling, and leaves the release
 * to the remover. All decisions are made under the domain's lock, so exactly one thread claims the release.
 * Progress. The remover runs the release, or the last caller does. Nothing polls.
 * Ownership. A slot that is PENDING or RELEASING, or has waiters, is not used again. The thread that makes it RELEASED
 * recycles it if no snapshot lists it any more.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "release.h"
#include "handshake.h"
#include "center.h"
#include "job.h"
#include "reclaim.h"
#include "sleeper.h"

static bool is_shown(const struct herald_slot *slot) {
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; (frame = herald_frames_next(&walk));)
        if (herald_frame_shows(frame) == slot) return true;
    return false;
}

/* Makes this thread the one that runs the release. */
static void take_on(struct herald_slot *slot, uint32_t next) {
    store_relaxed(&slot->state, (uint8_t)HERALD_RELEASING);
    slot->hooks->runner = &herald_self;
    slot->previous = next;
}

/* An orphan that is released and not waited for any more is used again. True when it was: then the caller gives up the
 * orphan's reference to the memory, outside the lock. */
static bool recycle(HeraldCenterRef center, struct herald_slot *slot) {
    if (!slot->orphan || slot->waiters || load_relaxed(&slot->state) != HERALD_RELEASED) return false;
    herald_slots_recycle(&center->slots, slot);
    return true;
}

static void conclude(struct herald_slot *slot) {
    store_release(&slot->state, (uint8_t)HERALD_RELEASED);
    if (slot->waiters) herald_domain_wake(slot);
}

/* Releases to run, on the stack of the thread that claimed them. */
struct claims {
    struct herald_job job; /* first */
    HeraldCenterRef center;
    struct herald_slot *slot; /* RELEASING; `previous` leads to the next claim */
};

static void finish(struct claims *claims) {
    struct herald_slot *slot = claims->slot;
    uint32_t next = slot->previous;
    herald_domain_lock();
    conclude(slot);
    bool recycled = recycle(claims->center, slot);
    herald_domain_unlock();
    claims->slot = next ? herald_slots_at(&claims->center->slots, next) : NULL;
    if (recycled) herald_slots_release(&claims->center->slots);
}

static bool claims_step(struct herald_job *job) {
    struct claims *claims = (struct claims *)(void *)job;
    if (!claims->slot) return false;
    struct herald_hooks *hooks = claims->slot->hooks;
    void (*release)(void *) = hooks->release;
    void (*releaseObject)(const void *) = hooks->releaseObject;
    if (release) {
        hooks->release = NULL; /* first, for it may throw */
        release(claims->slot->observer);
    } else if (releaseObject) {
        hooks->releaseObject = NULL; /* likewise */
        releaseObject(hooks->object);
    } else {
        finish(claims);
    }
    return true;
}

/* A claimed slot keeps the memory of its center, which a hook may release, until the claim is finished. */
static void run_claims(HeraldCenterRef center, struct herald_slot *first) {
    struct claims claims;
    claims.center = center;
    claims.slot = first;
    herald_job_do(&claims.job, claims_step);
}

/* Under the domain's lock, after the barrier: claims what no frame shows. Returns the claimed slots that have hooks, a
 * list by `previous`; when `waited`, all slots that are not RELEASED yet stay in the batch, with a waiter each. */
static uint32_t claim(HeraldCenterRef center, uint32_t *batch, bool waited) {
    for (uint32_t number = *batch; number;) {
        struct herald_slot *slot = herald_slots_at(&center->slots, number);
        number = slot->next;
        slot->armed = 1;
        slot->shown = 0;
    }
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; HERALD_STEP(FRAME_CHECK) && (frame = herald_frames_next(&walk));) {
        struct herald_slot *slot = herald_frame_shows(frame);
        /* Safe to look at: a pinned snapshot has listed it, and freeing takes the lock we hold. */
        if (slot && load_acquire(&slot->state) == HERALD_PENDING) slot->shown = 1;
    }
    uint32_t claimed = 0, left = 0, number = *batch;
    while (number) {
        struct herald_slot *slot = herald_slots_at(&center->slots, number);
        number = slot->next;
        if (!slot->shown && slot->hooks) {
            take_on(slot, claimed);
            claimed = slot->self;
        } else if (!slot->shown) {
            conclude(slot);
            if (recycle(center, slot)) center->slots.references--; /* not the last: the caller has one */
            continue;
        }
        if (waited && HERALD_STEP(WAIT)) {
            slot->waiters++;
            slot->next = left;
            left = slot->self;
        }
    }
    *batch = left;
    return claimed;
}

/* The slots that a thread waits for, each with a waiter. */
struct waiting {
    HeraldCenterRef center;
    uint32_t batch; /* by `next`, or one alone */
    bool alone;
    uint32_t forks;
};

/* Under the domain's lock: claims a slot that nobody shows. True: it has hooks to be run. */
static bool claim_alone(struct herald_slot *slot) {
    /* Acquire: the remover has written the fields before it made the slot PENDING. */
    if (load_acquire(&slot->state) != HERALD_PENDING || (!slot->armed && HERALD_STEP(ARMED))) return false;
    if (HERALD_STEP(LAST_USER_CHECK) && is_shown(slot)) return false;
    if (slot->hooks) {
        take_on(slot, 0);
        return true;
    }
    conclude(slot);
    return false;
}

/* Both under the domain's lock, which is free while await() waits. */
static void await(const struct herald_slot *slot) {
    while (load_relaxed(&slot->state) != HERALD_RELEASED) herald_domain_wait(slot);
}
static void leave_unreleased(const struct herald_slot *slot) { (void)slot; }

/* Goes through the batch slot by slot. In the child of a fork in one of the hooks nothing is waited for, and there are
 * no waiters to take back: what other threads were calling is over. */
static void go_through(struct waiting *waiting, void (*end)(const struct herald_slot *slot)) {
    if (!waiting->batch) return;
    herald_domain_lock();
    while (waiting->batch && waiting->forks == herald_domain_forks) {
        struct herald_slot *slot = herald_slots_at(&waiting->center->slots, waiting->batch);
        end(slot);
        waiting->batch = waiting->alone ? 0 : slot->next;
        slot->waiters--;
        if (recycle(waiting->center, slot)) waiting->center->slots.references--; /* not the last: we have one */
    }
    herald_domain_unlock();
}

/* The clean-up: what is left in the batch is not waited for, because a hook has thrown. */
static void waiting_end(struct waiting *waiting) { go_through(waiting, leave_unreleased); }

/* After the barrier: one slot that has hooks, and is not waited for. (One without is not claimed but concluded, and
 * then has to be recycled.) */
static void settle_alone(HeraldCenterRef center, struct herald_slot *slot) {
    herald_domain_lock();
    slot->armed = 1;
    bool mine = claim_alone(slot);
    herald_domain_unlock();
    if (mine) run_claims(center, slot);
}

void herald_release_settle(HeraldCenterRef center, uint32_t batch, bool wait) {
    if (HERALD_STEP(HANDSHAKE_REMOVE)) herald_handshake();
    struct herald_slot *first = herald_slots_at(&center->slots, batch);
    if (!wait && !first->next && first->hooks) {
        settle_alone(center, first);
        return;
    }
    struct waiting waiting __attribute__((cleanup(waiting_end))) = {center, 0, false, 0};
    herald_domain_lock();
    waiting.forks = herald_domain_forks;
    uint32_t claimed = claim(center, &batch, wait);
    waiting.batch = batch;
    herald_domain_unlock();
    if (claimed) run_claims(center, herald_slots_at(&center->slots, claimed));
    go_through(&waiting, await);
}

HERALD_SLOW void herald_release_left(struct herald_slot *slot) {
    herald_domain_lock();
    bool mine = claim_alone(slot); /* our snapshot still lists it: no orphan */
    herald_domain_unlock();
    if (mine) run_claims(herald_center_of(herald_slots_of(slot)), slot);
}

bool herald_release_wait(HeraldCenterRef center, struct herald_slot *slot) {
    struct waiting waiting __attribute__((cleanup(waiting_end))) = {center, 0, true, 0};
    herald_domain_lock();
    if (load_relaxed(&slot->state) == HERALD_REMOVED) {
        slot->next = 0;
        herald_slot_make_pending(slot);
        uint32_t batch = slot->self;
        herald_domain_unlock();
        herald_center_unlock(center);
        herald_release_settle(center, batch, true);
        return true;
    }
    herald_center_unlock(center);
    bool over = load_relaxed(&slot->state) == HERALD_RELEASED;
    bool waits = !over && slot->waiters < HERALD_WAITERS_MOST; /* the remover itself needs one more */
    if (waits) {
        slot->waiters++;
        waiting.batch = slot->self;
        waiting.forks = herald_domain_forks;
    }
    herald_domain_unlock();
    go_through(&waiting, await);
    return over || waits;
}

/* Under both locks: a removed slot of this observer that some frame shows and that has not been released. */
static struct herald_slot *find_running(HeraldCenterRef center, const void *observer) {
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; (frame = herald_frames_next(&walk));) {
        struct herald_slot *slot = herald_frame_shows(frame);
        if (!slot || !herald_slots_have(&center->slots, slot)) continue;
        uint8_t state = load_acquire(&slot->state);
        if (slot->observer == observer && state != HERALD_ACTIVE && state != HERALD_RELEASED) return slot;
    }
    return NULL;
}

void herald_release_wait_for_observer(HeraldCenterRef center, const void *observer) {
    for (;;) {
        herald_center_lock(center);
        herald_domain_lock();
        struct herald_slot *slot = find_running(center, observer);
        herald_domain_unlock();
        if (!slot) break;
        /* Under the center's lock no slot is taken for a new registration, so it is still the one we found. */
        if (!herald_release_wait(center, slot)) herald_nap();
    }
    herald_center_unlock(center);
}

/* ---- The end of a thread -------------------------------------------------------------------------------------------
 */

void herald_release_hand_in(HeraldCenterRef center) {
    uint32_t claimed = 0;
    herald_center_lock(center);
    herald_domain_lock();
    for (struct herald_slot *slot = NULL; (slot = herald_slots_next(&center->slots, slot));) {
        if (load_relaxed(&slot->state) != HERALD_RELEASING || slot->hooks->runner != &herald_self) continue;
        slot->previous = claimed;
        claimed = slot->self;
    }
    herald_domain_unlock();
    herald_center_unlock(center);
    if (claimed) run_claims(center, herald_slots_at(&center->slots, claimed));
}

/* ---- Fork ------------------------------------------------------------------------------------------------------- */

static bool has_inherited; /* atomic: some center has releases that a fork has left to this process */

/* The forking thread is the only one left: what other threads were calling is over, what they were releasing counts as
 * released, what was owed to them is claimed here and run with the next call that changes a center. */
void herald_release_after_fork(HeraldCenterRef center) {
    for (struct herald_slot *slot = NULL; (slot = herald_slots_next(&center->slots, slot));) {
        if (slot->waiters) slot->waiters = 0; /* written only where it must be: the pages are the parent's, too */
        /* Claimed by a thread that is not here. Without a runner: inherited, and not run yet; it stays so. */
        const void *runner = load_relaxed(&slot->state) == HERALD_RELEASING ? slot->hooks->runner : NULL;
        if (runner && runner != &herald_self) conclude(slot);
        if (load_relaxed(&slot->state) == HERALD_PENDING) slot->armed = 1;
        if (load_relaxed(&slot->state) == HERALD_PENDING && !is_shown(slot)) {
            if (slot->hooks) {
                take_on(slot, center->inherited);
                slot->hooks->runner = NULL;
                center->inherited = slot->self;
                store_relaxed(&has_inherited, true);
            } else {
                conclude(slot);
            }
        }
        if (recycle(center, slot))
            center->slots.references--; /* never the last: the center's own, or that of a retired snapshot */
    }
}

/* Takes one center's list over; NULL when there is none left. */
static HeraldCenterRef take_inherited(uint32_t *first) {
    herald_domain_lock();
    HeraldCenterRef center = herald_centers;
    while (center && !center->inherited) center = center->next;
    if (center) {
        *first = center->inherited;
        center->inherited = 0;
        center->slots.references++;
        for (uint32_t number = *first; number;) {
            struct herald_slot *slot = herald_slots_at(&center->slots, number);
            slot->hooks->runner = &herald_self;
            number = slot->previous;
        }
    } else {
        store_relaxed(&has_inherited, false);
    }
    herald_domain_unlock();
    return center;
}

static HERALD_SLOW void release_inherited(void) {
    uint32_t first;
    for (HeraldCenterRef center; (center = take_inherited(&first));) {
        HeraldCenterRef kept __attribute__((cleanup(herald_center_memory_end))) = center;
        run_claims(kept, herald_slots_at(&kept->slots, first));
    }
}

void herald_release_inherited(void) {
    if (herald_unlikely(load_relaxed(&has_inherited))) release_inherited();
}

/* ---- What a writer does besides ---------------------------------------------------------------------------------- */

void herald_tidy(void) {
    if (herald_reclaim_is_due()) herald_reclaim();
    herald_release_inherited();
}
