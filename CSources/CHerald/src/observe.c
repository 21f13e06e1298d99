/* Adding observers.
 *
 * Ordering: add() writes the token, the entry, the count, the flags and the committed sequence, in this order. The last
 * three are release stores. So a thread that reads one of them sees everything that was written before it.
 * Progress: A thread that adds to a center with a transport waits for the turn.
 * Ownership: The center's lock.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "observe.h"
#include "entry_points.h"
#include "found.h"
#include "label.h"
#include "memory.h"
#include "release.h"
#include "turn.h"

/* The registration that a caller wants to add. */
struct request {
    const void *observer;
    HeraldTaggedCallback callback; /* or a HeraldCallback: see herald_deliver_to */
    HeraldNameRef name;
    const void *object;
    HeraldSuspensionBehavior behavior;
    struct herald_hooks owed; /* the hooks that run at its end; NULL members: no hook */
    bool by_token;
    unsigned traits; /* HERALD_UNTOLD, HERALD_UNDER */
    uint64_t beyond; /* the number of the new registration if its name now exceeds the limit of observers; else 0 */
};

static HeraldTaggedCallback any_callback(HeraldCallback callback) {
    return (HeraldTaggedCallback)(void (*)(void))callback; /* by two casts, so that the compiler does not warn */
}

static uint8_t traits_of(const struct request *request) {
    unsigned traits = (unsigned)request->behavior | request->traits;
    if (request->by_token) traits |= HERALD_BY_TOKEN;
    return (uint8_t)traits;
}

/* Under the center's lock. Takes all memory first, so that a failure changes nothing that a post or a caller sees. */
static HeraldStatus add(HeraldCenterRef center, struct request *request, HeraldToken *token) {
    if (center->closed) return HeraldInvalidArgument; /* a hook adds to a center that is being closed */
    struct herald_bucket *bucket = herald_found_obtain(center, request->name, request->object);
    if (!bucket || !herald_bucket_reserve(bucket, &center->slots)) return HeraldOutOfMemory;
    if (!request->by_token && !herald_observers_reserve(&center->observers)) return HeraldOutOfMemory;
    struct herald_slot *slot = herald_slots_take(&center->slots, request->owed.release || request->owed.releaseObject);
    if (!slot) return HeraldOutOfMemory;

    uint64_t sequence = center->index.committed + 1;
    slot->sequence = sequence;
    slot->callback = request->callback;
    slot->observer = (void *)(uintptr_t)request->observer;
    store_relaxed(&slot->bucket, bucket);
    if (slot->hooks) *slot->hooks = request->owed;
    slot->traits = traits_of(request);
    store_relaxed(&slot->state, (uint8_t)HERALD_ACTIVE);
    center->slots.live++;
    if (!request->by_token) herald_observers_insert(&center->observers, &center->slots, slot);
    if (token) {
        token->center = center->number;
        token->registration = herald_slot_registration(slot);
    }

    herald_bucket_append(bucket, slot);
    if (request->traits & HERALD_UNTOLD) center->index.untold++;
    if (bucket->name_bucket == &center->index.everything) herald_center_update_flags(center);
    herald_index_update_idle(&center->index, bucket);
    if (herald_label_is_beyond(center, bucket->name_bucket)) request->beyond = herald_slot_registration(slot);
    /* Partner: the load_acquire of `committed` at the start of a post. A post that reads this sequence finds all
     * registrations up to it (R2). */
    store_release(&center->index.committed, sequence);
    return HeraldOK;
}

static HeraldStatus add_in_turn(HeraldCenterRef center, struct request *request, HeraldToken *token) {
    struct herald_turn turn __attribute__((cleanup(herald_turn_end)));
    herald_turn_begin(&turn, center);
    if (turn.refused) return HeraldTransportFailed;
    bool asks = turn.center && !(request->traits & HERALD_UNTOLD);
    HeraldStatus status = asks ? herald_turn_announce(center, request->name) : HeraldOK;
    if (status != HeraldOK) return status;
    herald_center_lock(center);
    herald_center_check(center, "herald: an observer is being added to a center that has been released.");
    status = add(center, request, token);
    if (status != HeraldOK && !center->closed) {
        struct herald_bucket *of_name = herald_index_find_name(&center->index, request->name);
        if (of_name) herald_turn_note(center, of_name);
        herald_index_evict(&center->index);
    }
    herald_center_unlock(center);
    return status;
}

static void complain_if_beyond(HeraldCenterRef center, const struct request *request) {
    if (herald_likely(!request->beyond)) return;
    HERALD_HOOKS(hooks);
    herald_label_complain(center, request->name, (HeraldCallback)(void (*)(void))request->callback, request->beyond);
}

/* Replaces 0 by the default. Returns false for a value that is no behavior. */
static bool take_behavior(HeraldSuspensionBehavior *behavior) {
    if ((int)*behavior == 0) *behavior = HeraldSuspensionDeliverImmediately;
    return *behavior >= HeraldSuspensionDrop && *behavior <= HeraldSuspensionDeliverImmediately;
}

HeraldStatus herald_own_HeraldCenterAddObserver(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                                HeraldNameRef name, const void *object,
                                                HeraldSuspensionBehavior suspensionBehavior) {
    if (!center || !callback || !take_behavior(&suspensionBehavior)) return HeraldInvalidArgument;
    if (center->transport.ignoresObjects) object = NULL;
    struct request request = {
        observer, any_callback(callback), name, object, suspensionBehavior, {NULL, NULL, NULL, NULL}, !observer, 0, 0};
    HeraldStatus status = add_in_turn(center, &request, NULL);
    complain_if_beyond(center, &request);
    herald_tidy();
    return status;
}

/* A retained object that no registration has taken yet. The clean-up releases it, also when a hook throws. */
struct offer {
    const void *object;                        /* NULL: no object, or a registration has taken it */
    void (*releaseObject)(const void *object); /* may be NULL */
};

static void offer_end(struct offer *offer) {
    if (herald_likely(!offer->object || !offer->releaseObject)) return;
    HERALD_HOOKS(hooks);
    offer->releaseObject(offer->object);
}

/* Retains the object. False: retainObject has returned NULL, which in a registration means any object. */
static bool offer_begin(struct offer *offer, struct request *request, const HeraldObserverOptions *options) {
    if (!request->object || !options->retainObject) return true;
    HERALD_HOOKS(hooks);
    offer->object = request->object = options->retainObject(request->object);
    offer->releaseObject = options->releaseObject;
    request->owed.releaseObject = options->releaseObject;
    request->owed.object = offer->object;
    return offer->object != NULL;
}

static const HeraldToken no_token = {0, 0};

HeraldStatus herald_center_observe(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                   HeraldNameRef name, const void *object, const HeraldObserverOptions *options,
                                   unsigned traits, HeraldToken *token) {
    if (token) *token = no_token;
    HeraldObserverOptions taken;
    memset(&taken, 0, sizeof taken);
    size_t oldest = offsetof(HeraldObserverOptions, taggedCallback);
    if (options && !herald_take_options(&taken, options, options->size, oldest, sizeof taken))
        return HeraldInvalidArgument;
    if (!center || !callback == !taken.taggedCallback) return HeraldInvalidArgument;
    HeraldSuspensionBehavior behavior = taken.suspensionBehavior;
    if (!take_behavior(&behavior)) return HeraldInvalidArgument;
    if (center->transport.ignoresObjects) object = NULL;

    struct offer offer __attribute__((cleanup(offer_end))) = {NULL, NULL};
    struct request request = {
        observer, any_callback(callback), name, object, behavior, {taken.release, NULL, NULL, NULL}, !observer, traits,
        0};
    if (taken.taggedCallback) {
        request.callback = taken.taggedCallback;
        request.by_token = true;
    }
    if (!offer_begin(&offer, &request, &taken)) return HeraldInvalidArgument;
    HeraldStatus status = add_in_turn(center, &request, token);
    if (status == HeraldOK) offer.object = NULL;
    complain_if_beyond(center, &request);
    herald_tidy();
    return status;
}

HeraldStatus herald_own_HeraldCenterAddObserverWithOptions(HeraldCenterRef center, const void *observer,
                                                           HeraldCallback callback, HeraldNameRef name,
                                                           const void *object, const HeraldObserverOptions *options,
                                                           HeraldToken *token) {
    return herald_center_observe(center, observer, callback, name, object, options, 0, token);
}
