/* The end of a registration. Its release is run by the remover, or by the thread whose call of the registration is the
 * last to return.
 *
 * Ordering: The remover stores PENDING, has its barrier (the handshake) and then reads the frames. A poster sets its
 * hazard pointer and then reads the state, before a call and again after it. So one of two things happens. Either the
 * remover sees the hazard pointer, and the poster sees PENDING when it leaves; or the poster sees PENDING before the
 * call and does not call. `armed` records that the remover has had its barrier. Before that, a poster whose call has
 * returned cannot know whether another thread is still calling, so the remover has to run the release. All decisions
 * are made under the domain's lock, so exactly one thread claims the release.
 * Progress: The release runs at the removal, or when the last call returns. A waiting thread sleeps until then. If
 * HERALD_WAITERS_MOST threads wait for one slot already, further ones poll (herald_nap).
 * Ownership: A slot that is PENDING or RELEASING, or has waiters, is not used again yet. If no snapshot lists the slot
 * any more, the thread that makes it RELEASED recycles it, or the last waiter does.
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

/* Claims the release for this thread. `next` is the slot after this one in the list of claims. */
static void take_on(struct herald_slot *slot, uint32_t next) {
    store_relaxed(&slot->state, (uint8_t)HERALD_RELEASING);
    slot->hooks->runner = &herald_self;
    slot->previous = next;
}

/* Recycles the slot if it is an orphan, is RELEASED and has no waiters. Returns whether it did. If true, the caller
 * must give up the reference to the center's memory that an orphan has. If that may be the last reference, the caller
 * gives it up outside the lock. */
static bool recycle(HeraldCenterRef center, struct herald_slot *slot) {
    if (!slot->orphan || slot->waiters || load_relaxed(&slot->state) != HERALD_RELEASED) return false;
    herald_slots_recycle(&center->slots, slot);
    return true;
}

/* Under the domain's lock: the release is over. */
static void conclude(struct herald_slot *slot) {
    store_release(&slot->state, (uint8_t)HERALD_RELEASED);
    if (slot->waiters) herald_domain_wake(slot);
}

/* The releases that a thread has claimed and still has to run. The struct lies on that thread's stack. */
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
        hooks->release = NULL; /* first, because the hook may throw */
        release(claims->slot->observer);
    } else if (releaseObject) {
        hooks->releaseObject = NULL; /* first, because the hook may throw */
        releaseObject(hooks->object);
    } else {
        finish(claims);
    }
    return true;
}

/* Runs the claimed releases. A hook may release the center, but a claimed slot keeps the center's memory until the
 * claim is finished. */
static void run_claims(HeraldCenterRef center, struct herald_slot *first) {
    struct claims claims;
    claims.center = center;
    claims.slot = first;
    herald_job_do(&claims.job, claims_step);
}

/* Under the domain's lock, after the barrier: claims the slots of the batch that no frame shows. Returns the claimed
 * slots that have hooks, as a list by `previous`. If `waited`, all slots that are not RELEASED yet stay in the batch,
 * and each counts this thread as a waiter. */
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
        /* The slot may be read: a pinned snapshot has listed it, and no thread frees it without the lock that we
         * hold. */
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

/* Under the domain's lock: claims the slot if it is PENDING, its remover has had the barrier, and no frame shows it.
 * True: the caller must run the slot's hooks. */
static bool claim_alone(struct herald_slot *slot) {
    /* Acquire: the remover wrote the slot's fields before it made the slot PENDING. */
    if (load_acquire(&slot->state) != HERALD_PENDING || (!slot->armed && HERALD_STEP(ARMED))) return false;
    if (HERALD_STEP(LAST_USER_CHECK) && is_shown(slot)) return false;
    if (slot->hooks) {
        take_on(slot, 0);
        return true;
    }
    conclude(slot);
    return false;
}

/* Waits until the slot is RELEASED. Called under the domain's lock, which is free during the wait. */
static void await(const struct herald_slot *slot) {
    while (load_relaxed(&slot->state) != HERALD_RELEASED) herald_domain_wait(slot);
}

/* Under the domain's lock: ends this thread's wait for the slot. */
static void stop_waiting(HeraldCenterRef center, struct herald_slot *slot) {
    slot->waiters--;
    if (recycle(center, slot)) center->slots.references--; /* not the last: the caller has one */
}

/* The slots of a batch that a remover waits for. Each slot counts the remover as a waiter. */
struct waiting {
    HeraldCenterRef center;
    uint32_t batch; /* a list by `next` */
    uint32_t forks; /* herald_domain_forks at the claim */
};

/* Goes through the batch slot by slot; if `waits`, waits for each release. If a hook has forked, the child stops here:
 * the calls of other threads are over, and herald_release_after_fork has cleared the waiters. */
static void go_through(struct waiting *waiting, bool waits) {
    if (!waiting->batch) return;
    herald_domain_lock();
    while (waiting->batch && waiting->forks == herald_domain_forks) {
        struct herald_slot *slot = herald_slots_at(&waiting->center->slots, waiting->batch);
        if (waits) await(slot);
        waiting->batch = slot->next;
        stop_waiting(waiting->center, slot);
    }
    herald_domain_unlock();
}

/* The clean-up. If a hook has thrown, the remover does not wait for the rest of the batch: it only ends its wait for
 * each slot. */
static void waiting_end(struct waiting *waiting) { go_through(waiting, false); }

/* After the barrier: settles one slot that has hooks, without waiting. (The slot must have hooks: claim_alone would
 * conclude a slot without hooks, and no thread would recycle it.) */
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
    struct waiting waiting __attribute__((cleanup(waiting_end))) = {center, 0, 0};
    herald_domain_lock();
    waiting.forks = herald_domain_forks;
    uint32_t claimed = claim(center, &batch, wait);
    waiting.batch = batch;
    herald_domain_unlock();
    if (claimed) run_claims(center, herald_slots_at(&center->slots, claimed));
    go_through(&waiting, true);
}

HERALD_SLOW void herald_release_left(struct herald_slot *slot) {
    herald_domain_lock();
    bool mine = claim_alone(slot); /* our pinned snapshot still lists the slot, so it is no orphan */
    herald_domain_unlock();
    if (mine) run_claims(herald_center_of(herald_slots_of(slot)), slot);
}

bool herald_release_wait(HeraldCenterRef center, struct herald_slot *slot) {
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
    bool waits = !over && slot->waiters < HERALD_WAITERS_MOST; /* one count stays free for the remover itself */
    if (waits) {
        slot->waiters++;
        await(slot);
        stop_waiting(center, slot);
    }
    herald_domain_unlock();
    return over || waits;
}

/* Under the center's lock and the domain's: returns a removed slot of this observer that a frame shows and that is not
 * RELEASED yet. Returns NULL if no frame shows such a slot. */
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
        /* A slot is taken for a new registration only under the center's lock, which we hold. So this is still the
         * registration that we found. */
        if (!herald_release_wait(center, slot)) herald_nap();
    }
    herald_center_unlock(center);
}

/* ---- The end of a thread ----------------------------------------------------------------------------------------- */

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

/* Only the forking thread is left. The calls of other threads are over. A release that another thread was running
 * counts as done. The child claims the slots that are still PENDING and that no frame of this thread shows. Their
 * releases run with the next call that changes a center. */
void herald_release_after_fork(HeraldCenterRef center) {
    for (struct herald_slot *slot = NULL; (slot = herald_slots_next(&center->slots, slot));) {
        if (slot->waiters) slot->waiters = 0; /* not stored if it is 0 already: the page is shared with the parent */
        /* If another thread was running the release, that thread does not exist here, and the slot counts as released.
         * A slot without a runner was inherited in an earlier fork, and its release has not begun yet; it stays
         * inherited. */
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
            center->slots.references--; /* frees nothing, even if it is the last: this thread has every lock */
    }
}

/* Takes over one center's list of inherited releases. Returns this center, with a reference to its memory that the
 * caller must give up. Returns NULL when no center has such a list. */
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

/* ---- A writer's last step ---------------------------------------------------------------------------------------- */

void herald_tidy(void) {
    if (herald_reclaim_is_due()) herald_reclaim();
    herald_release_inherited();
}
