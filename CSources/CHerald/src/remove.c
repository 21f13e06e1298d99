/* Removing observers.
 *
 * Ordering: A slot leaves ACTIVE under the center's lock. The steps that must wait for posts follow after the unlock,
 * in release.c.
 * Progress: Only AndWait waits for calls, and only outside of callbacks.
 * Ownership: The center's lock.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "handshake.h"
#include "entry_points.h"
#include "error.h"
#include "follower.h"
#include "found.h"
#include "held.h"
#include "job.h"
#include "memory.h"
#include "release.h"
#include "remove.h"
#include "sleeper.h"
#include "suspension.h"
#include "told.h"

/* A removal, and what remains to be done after the unlock. */
struct removal {
    struct herald_job job; /* first */
    HeraldCenterRef center;
    uint32_t owed;  /* PENDING slots, a list by `next`; see `forks` */
    uint32_t forks; /* herald_domain_forks when the removal began. If it has changed, a hook has forked. Then
                       this child has inherited the slots (herald_release_after_fork), and the removal does
                       not settle them. */
    struct herald_held *unused; /* held posts that only removed slots were still to hear */
    bool waits;                 /* this is AndWait outside of callbacks, so it waits for running calls */
    bool owes;                  /* this is AndWait, perhaps in a callback, so every slot becomes PENDING */
    bool empties; /* a bucket's registrations end, all of them: its snapshot is trimmed once, after that */
};

/* Under the center's lock: ends a registration that is there. */
static void end(HeraldCenterRef center, struct herald_slot *slot, struct removal *removal) {
    struct herald_bucket *bucket = slot->bucket, *of_name = bucket->name_bucket;
    if (!(slot->traits & HERALD_BY_TOKEN)) herald_observers_remove(&center->observers, &center->slots, slot);
    if (herald_queue_forget(&center->queue, slot, &removal->unused)) herald_center_update_flags(center);
    center->slots.live--;
    herald_bucket_bury(bucket, slot);
    if (herald_unlikely(slot->traits & (HERALD_UNDER | HERALD_FOLLOWS))) {
        if (slot->traits & HERALD_UNDER) herald_told_count(center, (struct herald_under *)slot->observer, -1);
        if (slot->traits & HERALD_FOLLOWS) herald_follower_leave(center, slot, &removal->unused);
    }
    if (slot->hooks || removal->owes) {
        slot->next = removal->owed;
        removal->owed = slot->self;
        herald_slot_make_pending(slot);
    } else {
        store_release(&slot->state, (uint8_t)HERALD_REMOVED);
    }
    if (center->closed) return; /* all buckets are about to be retired */
    if (!removal->empties) herald_bucket_trim(bucket);
    if (of_name == &center->index.everything) herald_center_update_flags(center);
    herald_told_note(center, of_name);
    herald_index_update_idle(&center->index, bucket);
}

static void removal_begin(struct removal *removal, HeraldCenterRef center, bool wait) {
    removal->center = center;
    removal->owed = 0;
    removal->forks = herald_domain_forks;
    removal->unused = NULL;
    removal->owes = wait;
    removal->empties = false;
    removal->waits = wait && !herald_thread_is_inside();
    herald_center_lock(center);
}

static void check(HeraldCenterRef center) {
    herald_center_check(center, "herald: an observer is removed from a center that has been released.");
}

static bool removal_step(struct herald_job *job) {
    struct removal *removal = (struct removal *)(void *)job;
    switch (job->next++) {
    case 0:
        /* Repeats this step until the transport has been told of every name, even if the transport's hook throws. */
        job->next = 0;
        if (!herald_told_next(removal->center)) job->next = 1;
        return true;
    case 1: herald_held_free_all(removal->unused); return true; /* before the release of the observer (R16) */
    case 2:
        if (removal->owed && removal->forks == herald_domain_forks)
            herald_release_settle(removal->center, removal->owed, removal->waits);
        return true;
    default: return false;
    }
}

/* Gives back memory that a peak needed, once most registrations are gone. True: the slots still have far too much
 * memory. */
static bool shrink(HeraldCenterRef center) {
    if (center->closed) return false;
    herald_index_evict(&center->index);
    if (herald_unlikely(herald_observers_are_few(&center->observers))) herald_observers_trim(&center->observers);
    if (herald_unlikely(herald_slots_trim_is_due(&center->slots))) herald_slots_trim(&center->slots);
    return herald_slots_are_wasteful(&center->slots);
}

/* Frees what keeps the slots' memory: retired snapshots and idle buckets. Then trims the slots. */
HERALD_SLOW static void shrink_more(HeraldCenterRef center) {
    herald_center_lock(center);
    herald_index_evict_all(&center->index);
    herald_center_unlock(center);
    herald_reclaim_more();
    herald_center_lock(center);
    herald_slots_trim(&center->slots);
    herald_center_unlock(center);
}

static void removal_end(struct removal *removal) {
    HeraldCenterRef center = removal->center;
    bool is_wasteful = shrink(center), noted = center->noted != NULL;
    herald_center_unlock(center);
    if (herald_unlikely(is_wasteful)) shrink_more(center);
    if (herald_unlikely(noted || removal->unused)) {
        HERALD_RETAIN_MEMORY(kept, center); /* a hook may release the center */
        herald_job_do(&removal->job, removal_step);
    } else if (removal->owed) {
        herald_release_settle(center, removal->owed, removal->waits);
    }
    herald_tidy();
}

void herald_remove_all(HeraldCenterRef center) {
    struct removal removal;
    removal_begin(&removal, center, false);
    for (struct herald_slot *slot = NULL; (slot = herald_slots_next(&center->slots, slot));)
        if (herald_slot_is_there(slot)) end(center, slot, &removal);
    herald_observers_forget_all(&center->observers);
    removal_end(&removal);
}

static bool matches(const struct herald_slot *slot, HeraldNameRef name, const void *object) {
    const struct herald_key *key = &slot->bucket->key;
    return (!name || name == key->name) && (!object || object == key->object);
}

/* Returns the only bucket in which matching registrations can be. Returns NULL if no bucket is found, or if there may
 * be several. */
static struct herald_bucket *only_bucket(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    struct herald_bucket *bucket = name ? herald_found_bucket(center, name, object, false) : NULL;
    return bucket && (object || !bucket->children) ? bucket : NULL;
}

/* Whether the observer's list, which begins with slot `number`, is no longer than the bucket's. Takes no longer than a
 * walk over the shorter list. */
static bool has_fewer(HeraldCenterRef center, uint32_t number, const struct herald_bucket *bucket) {
    uint32_t count = bucket->current ? bucket->current->count : 0;
    while (number && count) {
        number = herald_slots_at(&center->slots, number)->next;
        count--;
    }
    return !number;
}

static void end_of_observer(HeraldCenterRef center, uint32_t number, HeraldNameRef name, const void *object,
                            struct removal *removal) {
    while (number) {
        struct herald_slot *slot = herald_slots_at(&center->slots, number);
        number = slot->next; /* end() puts the slot into another list */
        if (matches(slot, name, object)) end(center, slot, removal);
    }
}

static void end_in_bucket(HeraldCenterRef center, struct herald_bucket *bucket, const void *observer,
                          struct removal *removal) {
    struct herald_snapshot *snapshot = bucket->current;
    for (uint32_t i = 0; snapshot && i < snapshot->count; i++) {
        struct herald_slot *slot = snapshot->entries[i];
        if (slot->observer != observer || slot->traits & HERALD_BY_TOKEN) continue; /* a tombstone has no observer */
        end(center, slot, removal);
        if (bucket->current == snapshot) continue;
        snapshot = bucket->current; /* end() has replaced the snapshot; to start again costs no more than that */
        i = UINT32_MAX;
    }
}

static void remove_observer(HeraldCenterRef center, const void *observer, HeraldNameRef name, const void *object,
                            bool wait) {
    if (!center || !observer) return;
    check(center);
    if (center->transport.ignoresObjects) object = NULL;
    HERALD_RETAIN_MEMORY(kept, wait ? center : NULL); /* a hook may release the center during the wait */
    herald_release_inherited();
    struct removal removal;
    removal_begin(&removal, center, wait);
    uint32_t first = herald_observers_find(&center->observers, &center->slots, observer);
    struct herald_bucket *bucket = only_bucket(center, name, object);
    if (!bucket || has_fewer(center, first, bucket)) {
        end_of_observer(center, first, name, object, &removal);
    } else {
        end_in_bucket(center, bucket, observer, &removal);
    }
    removal_end(&removal);
    if (!removal.waits) return;
    if (!removal.owed) herald_handshake(); /* if slots were owed, settling them has made a handshake */
    herald_release_wait_for_observer(center, observer);
}

void herald_own_HeraldCenterRemoveObserver(HeraldCenterRef center, const void *observer, HeraldNameRef name,
                                           const void *object) {
    remove_observer(center, observer, name, object, false);
}

void herald_own_HeraldCenterRemoveEveryObserver(HeraldCenterRef center, const void *observer) {
    remove_observer(center, observer, NULL, NULL, false);
}

void herald_own_HeraldCenterRemoveEveryObserverAndWait(HeraldCenterRef center, const void *observer) {
    remove_observer(center, observer, NULL, NULL, true);
}

/* ---- In a bucket ------------------------------------------------------------------------------------------------ */

static void end_all_in_bucket(HeraldCenterRef center, struct herald_bucket *bucket, struct removal *removal) {
    struct herald_snapshot *snapshot = bucket->current; /* end() does not replace it */
    removal->empties = true;
    for (uint32_t i = 0; snapshot && i < snapshot->count; i++)
        if (snapshot->entries[i] != &herald_tombstone) end(center, snapshot->entries[i], removal);
}

/* Inherited releases run at its end (herald_tidy), because they may release the topic of the bucket. */
void herald_remove_in_bucket(HeraldCenterRef center, struct herald_bucket *bucket, bool ends) {
    struct removal removal;
    removal_begin(&removal, center, false);
    end_all_in_bucket(center, bucket, &removal);
    if (ends) {
        herald_bucket_withdraw(bucket);
        herald_bucket_release(bucket);
    } else if (bucket->current) {
        herald_bucket_trim(bucket);
    }
    removal_end(&removal);
}

/* ---- By token --------------------------------------------------------------------------------------------------- */

/* Waits for the release of a registration that another thread has removed. */
static void await_release(HeraldCenterRef center, HeraldToken token) {
    for (;;) {
        herald_center_lock(center);
        struct herald_slot *slot = herald_slots_find(&center->slots, token.registration);
        if (!slot) break;
        if (herald_release_wait(center, slot)) return;
        herald_nap(); /* thousands of threads wait for this slot already */
    }
    herald_release_see_all(center);
    herald_center_unlock(center);
}

bool herald_remove_token(HeraldCenterRef center, HeraldToken token, bool wait) {
    HERALD_GUARD_MEMORY(guard, center); /* a hook of this thread may release the center */
    herald_release_inherited();
    struct removal removal;
    removal_begin(&removal, center, wait);
    struct herald_slot *slot = herald_slots_find(&center->slots, token.registration);
    bool there = slot && herald_slot_is_there(slot);
    if (there) end(center, slot, &removal);
    bool awaits = slot && !there && removal.waits;
    HERALD_RETAIN_MEMORY(kept, awaits ? center : NULL); /* so may the hook for which it waits */
    removal_end(&removal);
    if (awaits) await_release(center, token);
    return there;
}

static void free_then(struct herald_then **then) { free(*then); }

/* Removes the registration, and leaves `*then` to the thread that runs its release. `*then` becomes NULL if the
 * registration's release is still to come. */
static HeraldStatus leave_then(HeraldCenterRef center, HeraldToken token, struct herald_then **then) {
    check(center);
    HERALD_RETAIN_MEMORY(kept, center); /* a hook may release the center */
    herald_release_inherited();
    struct removal removal;
    removal_begin(&removal, center, false);
    struct herald_slot *slot = herald_slots_find(&center->slots, token.registration);
    if (!slot) herald_release_see_all(center);
    bool has_hooks = slot && load_relaxed(&slot->hooks);
    struct herald_hooks *hooks = slot && !has_hooks ? herald_slots_make_hooks(&center->slots, slot) : NULL;
    HeraldStatus status = slot && !has_hooks && !hooks ? herald_fail_of_memory() : HeraldOK;
    if (slot && status == HeraldOK) {
        bool owed = false;
        if (herald_release_then(center, slot, *then, hooks, &owed)) *then = NULL;
        if (owed) {
            slot->next = 0;
            removal.owed = slot->self;
        } else if (herald_slot_is_there(slot)) {
            end(center, slot, &removal);
        }
    }
    removal_end(&removal);
    return status;
}

HeraldStatus herald_own_HeraldCenterRemoveTokenThen(HeraldCenterRef center, HeraldToken token,
                                                    void (*then)(void *context), void *context) {
    if (!center) return herald_fail(HeraldInvalidArgument, "the center is NULL");
    if (!then) return herald_fail(HeraldInvalidArgument, "`then` is NULL");
    if (token.center == center->number) {
        struct herald_then *node __attribute__((cleanup(free_then))) = (struct herald_then *)malloc(sizeof *node);
        if (!node) return herald_fail_of_memory();
        node->call = then;
        node->context = context;
        HeraldStatus status = leave_then(center, token, &node);
        if (status != HeraldOK || !node) return status;
    }
    HERALD_HOOKS(hooks);
    then(context);
    return HeraldOK;
}

static bool remove_own_token(HeraldCenterRef center, HeraldToken token, bool wait) {
    if (!center || token.center != center->number) return false;
    check(center);
    return herald_remove_token(center, token, wait);
}

bool herald_own_HeraldCenterRemoveToken(HeraldCenterRef center, HeraldToken token) {
    return remove_own_token(center, token, false);
}

bool herald_own_HeraldCenterRemoveTokenAndWait(HeraldCenterRef center, HeraldToken token) {
    return remove_own_token(center, token, true);
}
