/* Adding and removing.
 *
 * Ordering. Add: token, entry, count, flags, committed sequence, each visible to whoever sees the next. Remove: the
 * state under the center's lock; what must wait for posts happens in release.c after the lock is given up.
 */
#include "barrier.h"
#include "center.h"
#include "memory.h"
#include "reclaim.h"
#include "release.h"
#include "suspension.h"
#include "transport_turn.h"

#include <unistd.h>

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
    store_relaxed(&slot->state, HERALD_ACTIVE);
    if (request->observer) herald_observers_insert(&center->observers, &center->slots, slot);
    if (token) *token = (HeraldToken){center->number, herald_slot_registration(slot)};

    herald_snapshot_append(bucket, slot);
    struct herald_bucket *parent = bucket->parent;
    if (parent) store_release(&parent->objects, parent->objects + 1);
    if (herald_bucket_family(bucket) == &center->everything) herald_center_update_kinds(center);
    herald_bucket_settle(center, bucket);
    /* Partner: the poster's load_acquire, before it looks for buckets: what it finds is complete up to here (R2). */
    store_release(&center->committed, sequence);
    return HeraldOK;
}

static HeraldStatus add_in_turn(HeraldCenterRef center, const struct request *request, HeraldToken *token) {
    bool turn = herald_turn_is_needed(center);
    HeraldStatus status = HeraldOK;
    if (turn) {
        herald_turn_take(center);
        status = herald_turn_announce(center, request->name);
    }
    if (status == HeraldOK) {
        herald_center_lock(center);
        herald_center_check(center, "herald: an observer is being added to a center that has been released.");
        status = add(center, request, token);
        if (status != HeraldOK) {
            struct herald_bucket *family = herald_bucket_obtain(center, request->name, NULL);
            if (family) herald_turn_note(center, family);
            herald_bucket_evict(center);
        }
        herald_center_unlock(center);
    }
    if (turn) {
        if (status != HeraldOK) herald_turn_retract(center);
        herald_turn_give(center);
    }
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

HeraldStatus HeraldCenterAddObserverWithOptions(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                                HeraldNameRef name, const void *object,
                                                const HeraldObserverOptions *options, HeraldToken *token) {
    static const HeraldObserverOptions defaults = {.size = sizeof defaults};
    if (token) *token = (HeraldToken){0, 0};
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
        request.hooks = malloc(sizeof *request.hooks);
        if (!request.hooks) return HeraldOutOfMemory;
    }
    if (retains && !(request.object = options->retainObject(object))) { /* NULL would make it an observer of any */
        free(request.hooks);
        return HeraldInvalidArgument;
    }
    if (request.hooks) *request.hooks = (struct herald_hooks){options->release, releaseObject, request.object, center, NULL};
    HeraldStatus status = add_in_turn(center, &request, token);
    if (status != HeraldOK) {
        free(request.hooks);
        if (releaseObject) releaseObject(request.object);
    }
    herald_center_tidy();
    return status;
}

/* What a removal leaves to be done after the lock. */
struct removal {
    uint32_t owed;                /* PENDING slots, by `next` */
    struct herald_held *dropped;  /* posts that were kept for them */
    bool wait;
};

/* Under the center's lock: ends an ACTIVE registration. */
static void end(HeraldCenterRef center, struct herald_slot *slot, struct removal *removal) {
    struct herald_bucket *bucket = slot->bucket, *family = herald_bucket_family(bucket);
    if (slot->observer) herald_observers_remove(&center->observers, &center->slots, slot);
    herald_suspension_drop(center, slot, &removal->dropped);
    bool owed = slot->hooks || removal->wait;
    if (owed) {
        slot->armed = 0;
        slot->next = removal->owed;
        removal->owed = slot->self;
    }
    store_release(&slot->state, owed ? HERALD_PENDING : HERALD_REMOVED); /* partner: the poster's looks at the state */
    herald_snapshot_buried(bucket, slot);
    if (bucket->parent) store_release(&bucket->parent->objects, bucket->parent->objects - 1);
    herald_snapshot_trim(center, bucket);
    if (family == &center->everything) herald_center_update_kinds(center);
    herald_turn_note(center, family);
    herald_bucket_settle(center, bucket);
}

static void begin_removal(HeraldCenterRef center) {
    if (herald_turn_is_needed(center)) herald_turn_take(center);
    herald_center_lock(center);
    herald_center_check(center, "herald: an observer is being removed from a center that has been released.");
}

static void finish_removal(HeraldCenterRef center, struct removal *removal) {
    herald_bucket_evict(center);
    herald_center_unlock(center);
    if (herald_turn_is_needed(center)) {
        herald_turn_retract(center);
        herald_turn_give(center);
    }
    herald_suspension_free(removal->dropped); /* before the release (R16) */
    if (removal->owed) herald_release_settle(center, removal->owed, removal->wait);
    herald_center_tidy();
}

static bool matches(const struct herald_slot *slot, HeraldNameRef name, const void *object) {
    const struct herald_key *key = &slot->bucket->key;
    return (!name || name == key->name) && (!object || object == key->object);
}

static void remove_observer(HeraldCenterRef center, const void *observer, HeraldNameRef name, const void *object,
                            bool wait) {
    if (!center || !observer) return;
    struct removal removal = {0, NULL, wait};
    begin_removal(center);
    uint32_t number = herald_observers_find(&center->observers, &center->slots, observer);
    while (number) {
        struct herald_slot *slot = herald_slots_at(&center->slots, number);
        number = slot->next; /* the end puts the slot in another list */
        if (matches(slot, name, object)) end(center, slot, &removal);
    }
    bool heavy = removal.owed != 0;
    finish_removal(center, &removal);
    if (!wait || herald_thread_is_inside()) return;
    if (!heavy) herald_heavy(); /* settling a batch has had one */
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

static bool remove_token(HeraldCenterRef center, HeraldToken token, bool wait) {
    if (!center || token.center != center->number) return false;
    for (;;) {
        struct removal removal = {0, NULL, wait};
        begin_removal(center);
        struct herald_slot *slot = herald_slots_find(&center->slots, token.registration);
        bool active = slot && load_relaxed(&slot->state) == HERALD_ACTIVE;
        if (!active && slot && wait && !herald_thread_is_inside()) {
            if (herald_turn_is_needed(center)) herald_turn_give(center);
            if (herald_release_wait(center, slot)) return false;
            usleep(1000); /* some thousand threads wait for it already */
            continue;
        }
        if (active) end(center, slot, &removal);
        finish_removal(center, &removal);
        return active;
    }
}

bool HeraldCenterRemoveToken(HeraldCenterRef center, HeraldToken token) { return remove_token(center, token, false); }

bool HeraldCenterRemoveTokenAndWait(HeraldCenterRef center, HeraldToken token) {
    return remove_token(center, token, true);
}
