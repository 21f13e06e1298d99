/* Adding and removing.
 *
 * Ordering. Add: token, entry, count, flags, committed sequence, each visible to whoever sees the next. Remove: the
 * state under the center's lock; what must wait for posts happens in release.c after the lock is given up.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "barrier.h"
#include "center.h"
#include "job.h"
#include "memory.h"
#include "reclaim.h"
#include "release.h"
#include "suspension.h"
#include "transport_turn.h"

#include <time.h>

struct request {
    const void *observer;
    HeraldCallback callback;
    HeraldNameRef name;
    const void *object;
    HeraldSuspensionBehavior behavior;
    struct herald_hooks *hooks;
};

/* Under the center's lock. Takes all memory first, so that a failure changes nothing that a post or a caller sees. */
static HeraldStatus add(HeraldCenterRef center, const struct request *request, HeraldToken *token) {
    if (center->closed) return HeraldInvalidArgument; /* by a hook of the center that is being closed */
    struct herald_bucket *bucket = herald_bucket_obtain(center, request->name, request->object);
    if (!bucket || !herald_snapshot_reserve(center, bucket)) return HeraldOutOfMemory;
    if (request->observer && !herald_observers_reserve(&center->observers)) return HeraldOutOfMemory;
    struct herald_slot *slot = herald_slots_take(&center->slots);
    if (!slot) return HeraldOutOfMemory;

    uint64_t sequence = center->committed + 1;
    slot->sequence = sequence;
    slot->callback = request->callback;
    slot->observer = (void *)(uintptr_t)request->observer;
    store_relaxed(&slot->bucket, bucket);
    slot->hooks = request->hooks;
    slot->behavior = (uint8_t)request->behavior;
    store_relaxed(&slot->state, (uint8_t)HERALD_ACTIVE);
    if (request->observer) herald_observers_insert(&center->observers, &center->slots, slot);
    if (token) {
        token->center = center->number;
        token->registration = herald_slot_registration(slot);
    }

    herald_snapshot_append(bucket, slot);
    struct herald_bucket *parent = bucket->parent;
    if (parent) store_release(&parent->objects, parent->objects + 1);
    if (herald_bucket_family(bucket) == &center->everything) herald_center_update_kinds(center);
    herald_bucket_settle(center, bucket);
    /* Partner: the poster's load_acquire, before it looks for buckets: what it finds is complete up to here (R2). */
    store_release(&center->committed, sequence);
    return HeraldOK;
}

/* The turn, until the end of the block; at which the transport hears of names that have lost their observers. */
struct turn {
    struct herald_job job;  /* first */
    HeraldCenterRef center; /* NULL when there is no turn to take */
    bool given;
};

static bool turn_step(struct herald_job *job) {
    struct turn *turn = (struct turn *)(void *)job;
    if (!turn->center || turn->given) return false;
    if (herald_turn_retract_next(turn->center)) return true;
    turn->given = true;
    herald_turn_give(turn->center);
    return true;
}

static void turn_end(struct turn *turn) {
    if (turn->center) herald_job_do(&turn->job, turn_step);
}

static void turn_begin(struct turn *turn, HeraldCenterRef center) {
    turn->center = herald_turn_is_needed(center) ? center : NULL;
    turn->given = false;
    if (turn->center) herald_turn_take(center);
}

static HeraldStatus add_in_turn(HeraldCenterRef center, const struct request *request, HeraldToken *token) {
    struct turn turn __attribute__((cleanup(turn_end)));
    turn_begin(&turn, center);
    HeraldStatus status = turn.center ? herald_turn_announce(center, request->name) : HeraldOK;
    if (status != HeraldOK) return status;
    herald_center_lock(center);
    herald_center_check(center, "herald: an observer is being added to a center that has been released.");
    status = add(center, request, token);
    if (status != HeraldOK && !center->closed) {
        struct herald_bucket *family = herald_bucket_obtain(center, request->name, NULL);
        if (family) herald_turn_note(center, family);
        herald_bucket_evict(center);
    }
    herald_center_unlock(center);
    return status;
}

static bool is_behavior(HeraldSuspensionBehavior behavior) {
    return behavior >= HeraldSuspensionDrop && behavior <= HeraldSuspensionDeliverImmediately;
}

HeraldStatus HeraldCenterAddObserver(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                     HeraldNameRef name, const void *object,
                                     HeraldSuspensionBehavior suspensionBehavior) {
    if (!center || !callback || !is_behavior(suspensionBehavior)) return HeraldInvalidArgument;
    struct request request = {observer, callback, name, object, suspensionBehavior, NULL};
    HeraldStatus status = add_in_turn(center, &request, NULL);
    herald_center_tidy();
    return status;
}

/* False when there is no object any more: a registration without one would be for any object. */
static bool retain_object(struct request *request, const HeraldObserverOptions *options) {
    HERALD_HOOKS(hooks);
    request->object = options->retainObject(request->object);
    return request->object != NULL;
}

static const HeraldObserverOptions defaults = {sizeof defaults, (HeraldSuspensionBehavior)0, NULL, NULL, NULL};

static const HeraldToken no_token = {0, 0};

HeraldStatus HeraldCenterAddObserverWithOptions(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                                HeraldNameRef name, const void *object,
                                                const HeraldObserverOptions *options, HeraldToken *token) {
    if (token) *token = no_token;
    if (!options) options = &defaults;
    if (!center || !callback || !herald_size_is_possible(options, options->size, sizeof *options))
        return HeraldInvalidArgument;
    HeraldSuspensionBehavior behavior = options->suspensionBehavior;
    if ((int)behavior == 0) behavior = HeraldSuspensionDeliverImmediately;
    if (!is_behavior(behavior)) return HeraldInvalidArgument;

    struct request request = {observer, callback, name, object, behavior, NULL};
    bool retains = object && options->retainObject;
    void (*releaseObject)(const void *) = retains ? options->releaseObject : NULL;
    if (options->release || releaseObject) {
        request.hooks = (struct herald_hooks *)calloc(1, sizeof *request.hooks);
        if (!request.hooks) return HeraldOutOfMemory;
    }
    if (retains && !retain_object(&request, options)) {
        free(request.hooks);
        return HeraldInvalidArgument;
    }
    if (request.hooks) {
        request.hooks->release = options->release;
        request.hooks->releaseObject = releaseObject;
        request.hooks->object = request.object;
        request.hooks->center = center;
    }
    HeraldStatus status = add_in_turn(center, &request, token);
    if (status != HeraldOK) {
        free(request.hooks);
        HERALD_HOOKS(hooks);
        if (releaseObject) releaseObject(request.object);
    }
    herald_center_tidy();
    return status;
}

/* A removal, and what it leaves to be done after the lock. */
struct removal {
    struct herald_job job; /* first */
    HeraldCenterRef center;
    struct turn turn;
    uint32_t owed;               /* PENDING slots, by `next` */
    struct herald_held *dropped; /* posts that were kept for them */
    bool waits;                  /* and is not inside a callback, where nobody waits */
    bool owes;                   /* somebody will ask for the release: AndWait, even inside a callback */
    int step;
};

/* Under the center's lock: ends an ACTIVE registration. */
static void end(HeraldCenterRef center, struct herald_slot *slot, struct removal *removal) {
    struct herald_bucket *bucket = slot->bucket, *family = herald_bucket_family(bucket);
    if (slot->observer) herald_observers_remove(&center->observers, &center->slots, slot);
    herald_suspension_drop(center, slot, &removal->dropped);
    bool owed = slot->hooks || removal->owes;
    if (owed) {
        slot->armed = 0;
        slot->next = removal->owed;
        removal->owed = slot->self;
    }
    store_release(&slot->state,
                  (uint8_t)(owed ? HERALD_PENDING : HERALD_REMOVED)); /* partner: the poster's looks at the state */
    herald_snapshot_buried(bucket, slot);
    if (bucket->parent) store_release(&bucket->parent->objects, bucket->parent->objects - 1);
    herald_snapshot_trim(center, bucket);
    if (family == &center->everything) herald_center_update_kinds(center);
    herald_turn_note(center, family);
    herald_bucket_settle(center, bucket);
}

static void removal_begin(struct removal *removal, HeraldCenterRef center, bool wait) {
    if (herald_unlikely(load_relaxed(&herald_domain.has_inherited))) herald_release_inherited();
    removal->center = center;
    removal->owed = 0;
    removal->dropped = NULL;
    removal->owes = wait;
    removal->waits = wait && !herald_thread_is_inside();
    removal->step = 0;
    turn_begin(&removal->turn, center);
    herald_center_lock(center);
    herald_center_check(center, "herald: an observer is being removed from a center that has been released.");
}

static bool removal_step(struct herald_job *job) {
    struct removal *removal = (struct removal *)(void *)job;
    switch (removal->step++) {
    case 0: turn_end(&removal->turn); return true;
    case 1: herald_suspension_free(removal->dropped); return true; /* before the release (R16) */
    case 2:
        if (removal->owed) herald_release_settle(removal->center, removal->owed, removal->waits);
        return true;
    default: return false;
    }
}

static void removal_end(struct removal *removal) {
    herald_bucket_evict(removal->center);
    herald_center_unlock(removal->center);
    if (removal->turn.center || removal->dropped) {
        herald_job_do(&removal->job, removal_step);
    } else if (removal->owed) {
        herald_release_settle(removal->center, removal->owed, removal->waits);
    }
    herald_center_tidy();
}

static bool matches(const struct herald_slot *slot, HeraldNameRef name, const void *object) {
    const struct herald_key *key = &slot->bucket->key;
    return (!name || name == key->name) && (!object || object == key->object);
}

static void remove_observer(HeraldCenterRef center, const void *observer, HeraldNameRef name, const void *object,
                            bool wait) {
    if (!center || !observer) return;
    struct removal removal;
    removal_begin(&removal, center, wait);
    uint32_t number = herald_observers_find(&center->observers, &center->slots, observer);
    while (number) {
        struct herald_slot *slot = herald_slots_at(&center->slots, number);
        number = slot->next; /* the end puts the slot in another list */
        if (matches(slot, name, object)) end(center, slot, &removal);
    }
    removal_end(&removal);
    if (!removal.waits) return;
    if (!removal.owed) herald_heavy(); /* settling a batch has had one */
    herald_release_wait_for_observer(center, observer);
}

void HeraldCenterRemoveObserver(HeraldCenterRef center, const void *observer, HeraldNameRef name, const void *object) {
    remove_observer(center, observer, name, object, false);
}

void HeraldCenterRemoveEveryObserver(HeraldCenterRef center, const void *observer) {
    remove_observer(center, observer, NULL, NULL, false);
}

void HeraldCenterRemoveEveryObserverAndWait(HeraldCenterRef center, const void *observer) {
    remove_observer(center, observer, NULL, NULL, true);
}

static void rest(void) {
    const struct timespec nap = {0, 1000000};
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    nanosleep(&nap, NULL);
    pthread_setcancelstate(cancel, NULL);
}

static bool remove_token(HeraldCenterRef center, HeraldToken token, bool wait) {
    if (!center || token.center != center->number) return false;
    for (;;) {
        struct removal removal;
        removal_begin(&removal, center, wait);
        struct herald_slot *slot = herald_slots_find(&center->slots, token.registration);
        bool active = slot && load_relaxed(&slot->state) == HERALD_ACTIVE;
        if (!active && slot && removal.waits) {
            if (removal.turn.center) herald_turn_give(center);
            if (herald_release_wait(center, slot)) return false;
            rest(); /* some thousand threads wait for it already */
            continue;
        }
        if (active) end(center, slot, &removal);
        removal_end(&removal);
        return active;
    }
}

bool HeraldCenterRemoveToken(HeraldCenterRef center, HeraldToken token) { return remove_token(center, token, false); }

bool HeraldCenterRemoveTokenAndWait(HeraldCenterRef center, HeraldToken token) {
    return remove_token(center, token, true);
}
