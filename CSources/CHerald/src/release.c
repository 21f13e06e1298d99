/* The end of a registration. Its *release* is the call of its release hooks. If posts are still calling the
 * registration, the post whose call returns last runs the release. Otherwise the remover does.
 *
 * Ordering: The remover stores PENDING in the slot's state, has its barrier (the handshake), and then reads the frames.
 * A poster sets its hazard pointer, reads the state, calls, clears the hazard pointer, and reads the state again. So
 * there are two cases. If the remover sees the hazard pointer, the poster's second read finds PENDING. If the remover
 * does not see it, the poster's call is over already, or the poster's first read finds PENDING and the poster does not
 * call. `armed` is set when the remover has had its barrier. Before that, the frames may not show all running calls. So
 * a poster whose call returns before that leaves the release to the remover. A release is claimed under the domain's
 * lock, so exactly one thread claims it.
 * Progress: The release runs at the removal, or when the last call returns. A waiting thread sleeps until then. If
 * HERALD_WAITERS_MOST threads wait for one slot already, further threads poll (herald_nap).
 * Ownership: A slot is not used again while it is PENDING or RELEASING, or has waiters. If no snapshot lists the slot
 * any more, its last waiter recycles it. Without waiters, the thread that makes the slot RELEASED does.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "release.h"
#include "ground_sanitizer.h"
#include "handshake.h"
#include "center.h"
#include "job.h"
#include "memory.h"
#include "reclaim.h"
#include "sleeper.h"

static bool is_shown(const struct herald_slot *slot) {
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; (frame = herald_frames_next(&walk));)
        if (herald_frame_shows(frame) == slot) return true;
    return false;
}

/* Claims the release for this thread. `next` is the number of the slot that follows in the list of claims. */
static void take_on(struct herald_slot *slot, uint32_t next) {
    store_relaxed(&slot->state, (uint8_t)HERALD_RELEASING);
    slot->hooks->runner = &herald_self;
    slot->previous = next;
}

/* Reports to a thread sanitizer that the calls of the slot that have returned come before what follows. Partner:
 * herald_deliver_watched. */
static void see(const struct herald_slot *slot) { ground_watched_acquire(&slot->observer); }

void herald_release_see_all(HeraldCenterRef center) {
    if (!ground_is_watched()) return;
    for (struct herald_slot *slot = NULL; (slot = herald_slots_next(&center->slots, slot));) see(slot);
}

/* Recycles the slot if it is an orphan, is RELEASED and has no waiters. Returns whether it has recycled the slot. An
 * orphan has a reference to the center's memory. After the slot was recycled, the caller must give up this reference.
 * If the reference may be the last, the caller gives it up outside the lock. */
static bool recycle(HeraldCenterRef center, struct herald_slot *slot) {
    if (!slot->orphan || slot->waiters || load_relaxed(&slot->state) != HERALD_RELEASED) return false;
    herald_slots_recycle(&center->slots, slot);
    return true;
}

/* Under the domain's lock: marks the release as over, and wakes the threads that wait for it. */
static void conclude(struct herald_slot *slot) {
    store_release(&slot->state, (uint8_t)HERALD_RELEASED);
    if (slot->waiters) herald_domain_wake(slot);
}

/* ---- What follows a release -------------------------------------------------------------------------------------- */

bool herald_release_then(HeraldCenterRef center, struct herald_slot *slot, struct herald_then *then,
                         struct herald_hooks *hooks, bool *owed) {
    herald_domain_lock();
    uint8_t state = load_relaxed(&slot->state);
    if (state != HERALD_RELEASED) {
        /* With hooks, some thread claims the release. This thread then finds `then`. */
        if (!slot->hooks) store_relaxed(&slot->hooks, hooks);
        then->next = NULL;
        then->slot = slot;
        *(center->thens_end ? center->thens_end : &center->thens) = then;
        center->thens_end = &then->next;
        slot->has_then = 1;
    }
    *owed = state == HERALD_REMOVED;
    if (*owed) herald_slot_make_pending(slot);
    herald_domain_unlock();
    return state != HERALD_RELEASED;
}

/* Under the domain's lock: takes the oldest call that follows the slot's release out of the list. */
static struct herald_then *take_then(HeraldCenterRef center, struct herald_slot *slot) {
    if (herald_likely(!slot->has_then)) return NULL;
    for (struct herald_then **link = &center->thens, *then; (then = *link); link = &then->next) {
        if (then->slot != slot) continue;
        *link = then->next;
        if (!then->next) center->thens_end = link;
        return then;
    }
    slot->has_then = 0;
    return NULL;
}

/* ---- Claims ------------------------------------------------------------------------------------------------------ */

/* The releases that a thread has claimed and still has to run. The struct lies on the thread's stack. */
struct claims {
    struct herald_job job; /* first */
    HeraldCenterRef center;
    struct herald_slot *slot; /* the slot whose release runs next, RELEASING; `previous` leads to the next claim */
};

static void run_then(struct herald_then *then) {
    struct herald_then copy = *then;
    free(then); /* first, because the call may throw */
    copy.call(copy.context);
}

/* After the hooks: makes the next call that follows the release. If there is none, the release is over. */
static void finish(struct claims *claims) {
    struct herald_slot *slot = claims->slot;
    uint32_t next = slot->previous;
    herald_domain_lock();
    struct herald_then *then = take_then(claims->center, slot);
    if (herald_unlikely(then != NULL)) {
        herald_domain_unlock();
        run_then(then);
        return;
    }
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

/* Runs the claimed releases. A hook may release the center. But a claimed slot keeps the center's memory until its
 * release is over. */
static void run_claims(HeraldCenterRef center, struct herald_slot *first) {
    struct claims claims;
    claims.center = center;
    claims.slot = first;
    herald_job_do(&claims.job, claims_step);
}

/* Under the domain's lock, after the barrier: looks at the slots of the batch that no frame shows. If such a slot has
 * hooks, claims it. Otherwise makes it RELEASED. Returns the claimed slots, as a list by `previous`. If `waited`, the
 * batch keeps all slots that are not RELEASED yet, and each of them counts this thread as a waiter. Otherwise the batch
 * becomes empty. */
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
        /* It is safe to read the slot. The frame's post has pinned a snapshot that lists the slot. Slots are freed only
         * under the domain's lock, which we hold. */
        if (slot && load_acquire(&slot->state) == HERALD_PENDING) slot->shown = 1;
    }
    uint32_t claimed = 0, left = 0, number = *batch;
    while (number) {
        struct herald_slot *slot = herald_slots_at(&center->slots, number);
        number = slot->next;
        if (!slot->shown) see(slot);
        if (!slot->shown && slot->hooks) {
            take_on(slot, claimed);
            claimed = slot->self;
        } else if (!slot->shown) {
            conclude(slot);
            if (recycle(center, slot)) center->slots.references--; /* not the last reference: the caller has one */
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

/* Under the domain's lock: claims the slot if it is PENDING, its remover has had the barrier, and no frame shows it. A
 * slot without hooks becomes RELEASED instead. Returns whether the slot is claimed. If so, the caller must run its
 * hooks. */
static bool claim_alone(struct herald_slot *slot) {
    /* Acquire: the remover wrote the slot's fields before it made the slot PENDING. */
    if (load_acquire(&slot->state) != HERALD_PENDING || (!slot->armed && HERALD_STEP(ARMED))) return false;
    if (HERALD_STEP(LAST_USER_CHECK) && is_shown(slot)) return false;
    see(slot);
    if (slot->hooks) {
        take_on(slot, 0);
        return true;
    }
    conclude(slot);
    return false;
}

/* Waits until the slot is RELEASED. Called under the domain's lock. The lock is free during the wait. */
static void await(const struct herald_slot *slot) {
    while (load_relaxed(&slot->state) != HERALD_RELEASED) herald_domain_wait(slot);
}

/* Under the domain's lock: ends this thread's wait for the slot. */
static void stop_waiting(HeraldCenterRef center, struct herald_slot *slot) {
    slot->waiters--;
    if (recycle(center, slot)) center->slots.references--; /* not the last reference: the caller has one */
}

/* The slots of a batch that a remover waits for. Each slot counts the remover as a waiter. */
struct waiting {
    HeraldCenterRef center;
    uint32_t batch; /* a list by `next` */
    uint32_t forks; /* herald_domain_forks at the claim */
};

/* Takes the slots out of the batch one by one, and ends this thread's wait for each. If `waits`, first waits for the
 * slot's release. If a hook has forked, the child stops here. In the child no other thread is calling, and
 * herald_release_after_fork has cleared the waiters. */
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

/* The clean-up, for a hook that has thrown. The remover no longer waits for the rest of the batch. So the slots that
 * are left must not count the remover as a waiter any more. */
static void waiting_end(struct waiting *waiting) { go_through(waiting, false); }

/* After the barrier: settles one slot. Most removals are of one, whose calls are over: then the lock is taken once. */
static void settle_alone(HeraldCenterRef center, struct herald_slot *slot, bool wait) {
    herald_domain_lock();
    slot->armed = 1;
    bool mine = claim_alone(slot), over = load_relaxed(&slot->state) == HERALD_RELEASED;
    bool waits = wait && !mine && !over && HERALD_STEP(WAIT);
    if (over && recycle(center, slot)) center->slots.references--; /* not the last reference: the caller has one */
    if (waits) {
        slot->waiters++;
        center->slots.references++; /* the hook that runs on another thread may release the center */
        await(slot);
        stop_waiting(center, slot);
    }
    herald_domain_unlock();
    if (waits) herald_slots_release(&center->slots);
    if (mine) run_claims(center, slot);
}

void herald_release_settle(HeraldCenterRef center, uint32_t batch, bool wait) {
    if (HERALD_STEP(HANDSHAKE_REMOVE)) herald_handshake();
    struct herald_slot *first = herald_slots_at(&center->slots, batch);
    if (!first->next) {
        settle_alone(center, first, wait);
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
    bool mine = claim_alone(slot); /* the slot is no orphan: the snapshot that we have pinned still lists it */
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
    /* HERALD_WAITERS_MOST leaves room for one more waiter: the remover, which `claim` counts without this check. */
    bool waits = !over && slot->waiters < HERALD_WAITERS_MOST;
    if (waits) {
        slot->waiters++;
        await(slot);
        stop_waiting(center, slot);
    }
    herald_domain_unlock();
    return over || waits;
}

/* Under the center's lock and the domain's: returns a removed slot of this observer that a frame shows and that is not
 * RELEASED yet. Returns NULL if there is none. */
static struct herald_slot *find_running(HeraldCenterRef center, const void *observer) {
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; (frame = herald_frames_next(&walk));) {
        struct herald_slot *slot = herald_frame_shows(frame);
        if (!slot || !herald_slots_have(&center->slots, slot)) continue;
        uint8_t state = load_acquire(&slot->state);
        if (slot->observer == observer && state > HERALD_BLOCKED && state != HERALD_RELEASED) return slot;
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
        /* A slot gets a new registration only under the center's lock, which we have held since find_running. So the
         * slot still has the registration that we found. */
        if (!herald_release_wait(center, slot)) herald_nap();
    }
    herald_release_see_all(center);
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

static bool has_inherited; /* atomic: some center has a list of releases that a fork has left to this process */

/* In the child only the forking thread is left, and the calls of other threads are over. A release that another thread
 * was running counts as done. The child claims each slot that is still PENDING and that no frame shows. The next call
 * that changes a center runs the releases of these slots. */
void herald_release_after_fork(HeraldCenterRef center) {
    for (struct herald_slot *slot = NULL; (slot = herald_slots_next(&center->slots, slot));) {
        if (slot->waiters) slot->waiters = 0; /* a needless store would copy the page, which the parent shares */
        /* A RELEASING slot has a runner, or it was inherited in an earlier fork and its release has not begun. If the
         * runner is another thread, which does not exist here, the slot counts as released. A slot without a runner
         * stays inherited. */
        const void *runner = load_relaxed(&slot->state) == HERALD_RELEASING ? slot->hooks->runner : NULL;
        if (runner && runner != &herald_self) {
            for (struct herald_then *then; (then = take_then(center, slot));) free(then);
            conclude(slot);
        }
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
        /* Even if this is the last reference to the center's memory, nothing is freed here. The reason is that this
         * thread has every lock. */
        if (recycle(center, slot)) center->slots.references--;
    }
}

/* Takes over one center's list of inherited releases. `*first` becomes the number of its first slot. Returns the
 * center, or NULL if no center has such a list. The caller must give up the reference to the center's memory that this
 * function takes. */
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
