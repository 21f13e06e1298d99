/* Adding observers.
 *
 * Ordering: add() writes the token, the entry, the count, the flags and the committed sequence, in this order. The last
 * three are release stores. So a thread that reads one of them sees everything that was written before it.
 * Progress: An add waits for nobody; see told.h for a center with a transport.
 * Ownership: The center's lock.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "carried.h"
#include "entry_points.h"
#include "error.h"
#include "follower.h"
#include "found.h"
#include "ground_sanitizer.h"
#include "label.h"
#include "memory.h"
#include "name.h"
#include "release.h"
#include "told.h"
#include "topic.h"
#include "under.h"

/* The registration that a caller wants to add. Until the registration has been added, the request owns the object that
 * it has retained and the prefix that it has made. */
struct request {
    const void *observer;
    HeraldTaggedCallback callback; /* or a HeraldCallback: see herald_deliver_to */
    HeraldNameRef name;
    const void *object;
    HeraldSuspensionBehavior behavior;
    struct herald_hooks owed; /* the hooks that run at its end; NULL members: no hook */
    bool by_token;
    bool is_added;                    /* the registration owns what the request has retained and made */
    struct herald_under *under;       /* for the names below a prefix; else NULL */
    struct herald_follower *follower; /* for what is kept; else NULL. It is the argument of owed.releaseObject */
    uint64_t registration;            /* of the follower that was added */
    bool waits;                       /* the follower begins when the transport hands in what is kept */
    const char *text;                 /* of the follower's object, for the transport; NULL: any object */
    HeraldCallback shown;             /* the user's callback, for the warning about too many observers */
    struct herald_told_of told_of;    /* what the transport is told of */
    struct herald_bucket *bucket;     /* of its name and object, if the caller has it; else NULL */
    uint64_t beyond; /* the number of the new registration if its name now exceeds the limit of observers; else 0 */
};

static HeraldTaggedCallback any_callback(HeraldCallback callback) {
    return (HeraldTaggedCallback)(void (*)(void))callback; /* by two casts, so that the compiler does not warn */
}

static uint8_t traits_of(const struct request *request) {
    unsigned traits = (unsigned)request->behavior;
    if (request->under) traits |= HERALD_UNDER;
    if (request->follower) traits |= HERALD_FOLLOWS;
    if (request->by_token) traits |= HERALD_BY_TOKEN;
    return (uint8_t)traits;
}

/* Under the center's lock. Takes all memory first, so that a failure changes nothing that a post or a caller sees. */
static HeraldStatus add(HeraldCenterRef center, struct request *request, HeraldToken *token) {
    struct herald_bucket *bucket = request->bucket;
    if (!bucket) bucket = herald_found_bucket(center, request->name, request->object, true);
    if (!bucket || !herald_bucket_reserve(bucket, &center->slots)) return herald_fail_of_memory();
    if (!request->by_token && !herald_observers_reserve(&center->observers)) return herald_fail_of_memory();
    struct herald_follower *follower = request->follower;
    if (follower && !herald_follower_prepare(center, follower, request->name, request->object))
        return herald_fail_of_memory();
    struct herald_slot *slot = herald_slots_take(&center->slots, request->owed.release || request->owed.releaseObject);
    if (!slot) {
        if (follower) herald_follower_give_back(center, follower);
        return herald_fail_of_memory();
    }

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

    ground_watched_release(&slot->sequence); /* partner: herald_deliver_watched */
    herald_bucket_append(bucket, slot);
    if (follower) {
        request->registration = herald_slot_registration(slot);
        herald_follower_begin(center, follower, slot);
    }
    if (request->under) herald_told_count(center, request->under, 1);
    if (bucket->name_bucket == &center->index.everything) herald_center_update_flags(center);
    herald_index_update_idle(&center->index, bucket);
    if (herald_label_is_beyond(center, bucket->name_bucket)) request->beyond = herald_slot_registration(slot);
    request->is_added = true; /* before any hook may throw */
    /* Partner: the load_acquire of `committed` at the start of a post. A post that reads this sequence finds all
     * registrations up to it (R2). */
    store_release(&center->index.committed, sequence);
    return HeraldOK;
}

/* Under the center's lock. */
static HeraldStatus add_or_evict(HeraldCenterRef center, struct request *request, HeraldToken *token) {
    HeraldStatus status = add(center, request, token);
    if (status != HeraldOK) herald_index_evict(&center->index);
    return status;
}

/* The error of an add to a closed center. Two cases lead here: a hook that runs while the center is being closed adds
 * an observer, or a hook that runs during the add releases the center. */
static HeraldStatus fail_of_end(void) { return herald_fail(HeraldInvalidArgument, "the center has been released"); }

static void complain_if_beyond(HeraldCenterRef center, const struct request *request) {
    if (herald_likely(!request->beyond)) return;
    HERALD_HOOKS(hooks);
    herald_label_complain(center, request->name, request->shown, request->beyond);
}

static void telling_end(struct herald_telling **telling) { herald_told_end(*telling); }

/* Tells the transport before the registration can be seen. No lock is held during the hook. */
HERALD_SLOW static HeraldStatus add_and_tell(struct herald_telling *telling, struct request *request,
                                             HeraldToken *token) {
    struct herald_telling *ended __attribute__((cleanup(telling_end))) = telling; /* also when the hook throws */
    HeraldCenterRef center = telling->center;
    for (;;) {
        HeraldStatus status = herald_told_call(telling);
        if (status != HeraldOK) return status;
        herald_center_lock(center);
        bool closed = center->closed, holds = closed || herald_told_holds(telling);
        if (holds) status = closed ? fail_of_end() : add_or_evict(center, request, token);
        if (holds && status == HeraldOK) telling->accepted = 0;
        herald_center_unlock(center);
        if (!holds) continue;
        if (!request->follower) complain_if_beyond(center, request);
        return status;
    }
    (void)ended;
}

static HeraldStatus add_observer(HeraldCenterRef center, struct request *request, HeraldToken *token) {
    struct herald_telling *telling = NULL;
    HeraldStatus status = HeraldOK;
    herald_center_lock(center);
    if (center->closed) {
        status = fail_of_end();
    } else if (herald_unlikely(request->told_of.hook != HERALD_TOLD_NOTHING)) {
        status = herald_told_begin(center, &request->told_of, &telling);
        if (status != HeraldOK) herald_index_evict(&center->index);
    }
    if (status == HeraldOK && !telling) status = add_or_evict(center, request, token);
    herald_center_unlock(center);
    if (herald_unlikely(telling != NULL)) return add_and_tell(telling, request, token);
    if (herald_likely(!request->follower)) complain_if_beyond(center, request);
    return status;
}

/* The follower first: a describer, which the warning asks, may throw, and the lane already belongs to this thread. */
static void start_follower(HeraldCenterRef center, const struct request *request) {
    if (request->waits) {
        herald_carried_ask(center, request->name, request->text, request->registration);
    } else {
        herald_follower_start(center, request->registration);
    }
    complain_if_beyond(center, request);
}

/* The clean-up, also when a hook throws. */
static void request_end(struct request *request) {
    if (herald_likely(request->is_added)) return;
    free(request->under);
    if (!request->owed.object || !request->owed.releaseObject) return;
    HERALD_HOOKS(hooks);
    request->owed.releaseObject(request->owed.object);
}

/* Retains the object. Fails if retainObject returns NULL, which in a registration means any object. */
static HeraldStatus retain_object(struct request *request, const HeraldObserverOptions *options) {
    if (!request->object || !options->retainObject) return HeraldOK;
    HERALD_HOOKS(hooks);
    const void *object = options->retainObject(request->object);
    request->object = object;
    if (request->follower) {
        request->follower->object = object;
        request->follower->releaseObject = options->releaseObject;
    } else {
        request->owed.object = object;
        request->owed.releaseObject = options->releaseObject;
    }
    if (object) return HeraldOK;
    return herald_fail(HeraldInvalidArgument, "retainObject has returned NULL, which would mean any object");
}

static bool take_options(HeraldObserverOptions *mine, const HeraldObserverOptions *theirs) {
    memset(mine, 0, sizeof *mine);
    size_t oldest = offsetof(HeraldObserverOptions, taggedCallback);
    if (!theirs || herald_take_options(mine, theirs, theirs->size, oldest, sizeof *mine)) return true;
    herald_fail(HeraldInvalidArgument, "the options' size is none of HeraldObserverOptions");
    return false;
}

/* Turns the request into a request for the names below the prefix. */
static HeraldStatus go_under(struct request *request, HeraldCenterRef center, const HeraldObserverOptions *options) {
    if (request->name)
        return herald_fail(HeraldInvalidArgument, "an observer has a name or a prefix, and this has both");
    struct herald_under *under;
    HeraldStatus status = herald_under_create(options, &under);
    if (status != HeraldOK) return status;
    request->under = under;
    under->caller.observer = request->observer;
    under->caller.callback = (HeraldCallback)(void (*)(void))request->callback;
    under->tagged = options->taggedCallback != NULL;
    request->observer = under;
    request->callback = herald_under_hear;
    request->owed.release = herald_under_release;
    request->by_token = true;
    request->told_of = herald_told_of_prefix(center, under);
    return HeraldOK;
}

/* Turns the request into a request for what is kept. */
static HeraldStatus go_with_kept(struct request *request, HeraldCenterRef center,
                                 const HeraldObserverOptions *options) {
    if (options->start != HeraldStartKept)
        return herald_fail(HeraldInvalidArgument, "an observer starts with the next post, or with what is kept");
    if (!request->name)
        return herald_fail(HeraldInvalidArgument,
                           "an observer that starts with what is kept has a name, and no prefix");
    if (center->transport.size && !center->transport.begin)
        return herald_fail(HeraldInvalidArgument, "this center reaches beyond the process and keeps nothing");
    struct herald_follower *follower = (struct herald_follower *)calloc(1, sizeof *follower);
    if (!follower) return herald_fail_of_memory();
    request->follower = follower;
    follower->began = options->began;
    request->owed.object = follower;
    request->owed.releaseObject = herald_follower_end;
    return HeraldOK;
}

/* Over a transport, a follower waits for what the transport finds. A transport names objects by texts, so nothing is
 * kept for an object without a text, and its follower begins at once. */
static void wait_for_transport(struct request *request, HeraldCenterRef center) {
    if (!center->transport.size) return;
    request->text = herald_name_text_of(request->object);
    request->waits = request->follower->waits = !request->object || request->text;
}

static HeraldStatus observe(HeraldCenterRef center, const void *observer, HeraldCallback callback, HeraldNameRef name,
                            const void *object, const HeraldObserverOptions *options, void (*ended)(void *context),
                            void *context, HeraldToken *token) {
    if (!center) return herald_fail(HeraldInvalidArgument, "the center is NULL");
    herald_center_check(center, "herald: an observer is being added to a center that has been released.");
    HERALD_GUARD_MEMORY(guard, center); /* a hook may release the center */
    struct request request __attribute__((cleanup(request_end)));
    memset(&request, 0, sizeof request);
    request.observer = observer;
    request.name = name;
    request.object = center->transport.ignoresObjects ? NULL : object;
    request.behavior = options->suspensionBehavior;
    request.told_of = herald_told_of_name(center, name);
    request.by_token = !observer || options->taggedCallback;
    request.owed.release = options->release;
    if ((int)request.behavior == 0) request.behavior = HeraldSuspensionDeliverImmediately;
    if (request.behavior < HeraldSuspensionDrop || request.behavior > HeraldSuspensionDeliverImmediately)
        return herald_fail(HeraldInvalidArgument, "a suspension behavior is 0, or one of the four of herald.h");
    if (!callback == !options->taggedCallback)
        return herald_fail(HeraldInvalidArgument, "an observer has either a callback or a taggedCallback");
    request.callback = callback ? any_callback(callback) : options->taggedCallback;
    request.shown = (HeraldCallback)(void (*)(void))request.callback;
    if (herald_unlikely(center->options.staysQuiet) && !name)
        return herald_fail(HeraldInvalidArgument,
                           "the center stays quiet: it has no observers of any name or a prefix");
    HeraldStatus status = options->prefix ? go_under(&request, center, options) : HeraldOK;
    if (herald_unlikely(options->start != HeraldStartNext) && status == HeraldOK)
        status = go_with_kept(&request, center, options);
    if (status != HeraldOK) return status;
    if (ended) { /* the transport has made sure by itself that these names come in */
        request.under->told = HERALD_TOLD_NOTHING;
        request.under->ended = ended;
        request.under->context = context;
        request.told_of.hook = HERALD_TOLD_NOTHING;
    }
    status = retain_object(&request, options);
    if (herald_unlikely(request.follower != NULL)) wait_for_transport(&request, center);
    if (status == HeraldOK) status = add_observer(center, &request, token);
    if (herald_unlikely(request.follower != NULL) && status == HeraldOK) start_follower(center, &request);
    herald_tidy();
    return status;
}

HeraldStatus herald_own_HeraldCenterAddObserver(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                                HeraldNameRef name, const void *object,
                                                HeraldSuspensionBehavior suspensionBehavior) {
    HeraldObserverOptions options;
    memset(&options, 0, sizeof options);
    options.suspensionBehavior = suspensionBehavior;
    if (center && !callback) return herald_fail(HeraldInvalidArgument, "the callback is NULL");
    return observe(center, observer, callback, name, object, &options, NULL, NULL, NULL);
}

HeraldStatus herald_own_HeraldCenterAddObserverWithOptions(HeraldCenterRef center, const void *observer,
                                                           HeraldCallback callback, HeraldNameRef name,
                                                           const void *object, const HeraldObserverOptions *options,
                                                           HeraldToken *token) {
    if (token) memset(token, 0, sizeof *token);
    HeraldObserverOptions mine;
    if (!take_options(&mine, options)) return HeraldInvalidArgument;
    return observe(center, observer, callback, name, object, &mine, NULL, NULL, token);
}

HeraldStatus herald_own_HeraldCenterAddObserverUnder(HeraldCenterRef center, const void *observer,
                                                     HeraldCallback callback, const char *prefix,
                                                     const HeraldObserverOptions *options, void (*ended)(void *context),
                                                     void *context, HeraldToken *token) {
    if (token) memset(token, 0, sizeof *token);
    HeraldObserverOptions mine;
    if (!take_options(&mine, options)) return HeraldInvalidArgument;
    mine.prefix = prefix ? prefix : "";
    return observe(center, observer, callback, NULL, NULL, &mine, ended, context, token);
}

HeraldStatus herald_own_HeraldTopicAddObserver(HeraldTopicRef topic, const void *observer,
                                               HeraldTaggedCallback taggedCallback, void (*release)(void *observer),
                                               HeraldToken *token) {
    if (token) memset(token, 0, sizeof *token);
    if (!topic) return herald_fail(HeraldInvalidArgument, "the topic is NULL");
    if (!taggedCallback) return herald_fail(HeraldInvalidArgument, "the taggedCallback is NULL");
    herald_topic_check(topic);
    HeraldCenterRef center = topic->center;
    HERALD_GUARD_MEMORY(guard, center); /* a hook may release the topic, and with it the center */
    struct request request;
    memset(&request, 0, sizeof request);
    request.observer = observer;
    request.callback = taggedCallback;
    request.shown = (HeraldCallback)(void (*)(void))taggedCallback;
    request.name = topic->name;
    request.object = center->transport.ignoresObjects ? NULL : topic->object;
    request.behavior = HeraldSuspensionDeliverImmediately;
    request.told_of = herald_told_of_name(center, topic->name);
    request.by_token = true;
    request.owed.release = release;
    /* A transport may be told of the registration, and a hook may release the topic. Then only the name stays. */
    if (herald_likely(!center->transport.size)) request.bucket = herald_topic_bucket(topic);
    HeraldStatus status = add_observer(center, &request, token);
    herald_tidy();
    return status;
}
