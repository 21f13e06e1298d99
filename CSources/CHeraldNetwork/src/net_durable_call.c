/* Calling durable observers (durable.h), and the functions of network.h about them.
 *
 * Each has a thread, which takes messages from the lane, calls the observer, and leaves the verdict for the loop. The
 * call goes through a center of the core that has this one registration: so it is removed, waited for and traced as
 * any other.
 *
 * Ordering: The center's lock. No lock is held during a call.
 * Progress: A slow observer delays only itself.
 * Ownership: The thread has a reference to the durable observer, and owns the message that it is called with. If the
 * observer ends the thread, another one begins, and the message comes again.
 */
#include "net.h"
#include "ground_list.h"
#include "ground_thread.h"
#include "subject.h"
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { HEARD_AGAIN_MS = 100, IN_FLIGHT = 64, IN_FLIGHT_MOST = 65536 };

/* ---- Its life ---------------------------------------------------------------------------------------------------- */

void herald_net_durable_release(struct HeraldDurable *durable) {
    if (--durable->references) return;
    if (durable->center) HeraldCenterRelease(durable->center);
    herald_net_parcels_clear(&durable->lane);
    herald_net_parcels_clear(&durable->over);
    pthread_cond_destroy(&durable->ready);
    free(durable->wish.subject);
    free(durable->wish.filter);
    free(durable->heard);
    if (durable->network) herald_net_release(durable->network);
    free(durable);
}

bool herald_net_parcel_is_fresh(struct HeraldDurable *durable, const struct herald_net_parcel *parcel) {
    bool is_fresh = ground_now() - parcel->at <= durable->ack_wait / 2 || !HERALD_NET_STEP(AWAY);
    durable->is_stale = durable->is_stale || !is_fresh;
    return is_fresh;
}

/* ---- The call ---------------------------------------------------------------------------------------------------- */

/* The call that this thread makes. */
struct delivery {
    struct HeraldDurable *durable;
    HeraldCenterRef center; /* the network center */
    const HeraldStored *stored;
    bool is_called, is_heard;
};
static _Thread_local struct delivery *current_delivery;

const struct HeraldDurable *herald_net_current_durable(void) {
    return current_delivery ? current_delivery->durable : NULL;
}

static void call_durable_observer(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                  const void *user_info) {
    static const HeraldMessage nothing = {.size = sizeof nothing};
    const HeraldMessage *message = HeraldGetCurrentMessage();
    (void)center, (void)object, (void)user_info;
    current_delivery->is_called = true;
    current_delivery->is_heard = current_delivery->durable->callback(
        current_delivery->center, observer, name, message ? message : &nothing, current_delivery->stored);
}

static void end_delivery(struct delivery *delivery) {
    (void)delivery;
    current_delivery = NULL;
}

/* Calls the observer. Returns whether it has heard the message. */
static bool call_durable(struct HeraldDurable *durable, HeraldCenterRef center, struct herald_net_parcel *parcel) {
    struct delivery delivery
        __attribute__((cleanup(end_delivery))) = {.durable = durable, .center = center, .stored = &parcel->stored};
    current_delivery = &delivery;
    enum herald_net_handed handed = herald_net_hearing_hand(durable->network, durable->center, parcel->message);
    parcel->calls += delivery.is_called;
    /* What is no post is never heard. A registration that has ended, or is blocked, hears nothing. */
    return handed == HERALD_NET_NO_POST || (delivery.is_called && delivery.is_heard);
}

/* ---- What was heard ---------------------------------------------------------------------------------------------- */

static bool has_heard(const struct HeraldDurable *durable, const HeraldStored *stored) {
    if (!HERALD_NET_STEP(MARK)) return false;
    if (!durable->heard) return stored->sequence <= durable->mark.sequence && stored->time <= durable->mark.time;
    const struct herald_net_heard_message *heard = &durable->heard[stored->sequence % HERALD_NET_HEARD_MOST];
    return heard->sequence == stored->sequence && heard->time == stored->time;
}

static void note_heard(struct HeraldDurable *durable, const HeraldStored *stored) {
    if (durable->heard)
        durable->heard[stored->sequence % HERALD_NET_HEARD_MOST] =
            (struct herald_net_heard_message){stored->sequence, stored->time};
    if (stored->sequence > durable->mark.sequence || stored->time > durable->mark.time)
        durable->mark = (struct herald_net_heard_message){stored->sequence, stored->time};
}

static void forget_heard(struct HeraldDurable *durable) {
    durable->mark = (struct herald_net_heard_message){0, 0};
    if (durable->heard) memset(durable->heard, 0, HERALD_NET_HEARD_MOST * sizeof *durable->heard);
}

static void tell_of_durable(struct HeraldDurable *durable, HeraldNetworkEventKind kind, uint64_t count,
                            const char *reason) {
    pthread_mutex_lock(&durable->network->lock);
    herald_net_tell_durable(durable->network, durable, kind, count, reason);
    pthread_mutex_unlock(&durable->network->lock);
}

static void note_skipped(struct HeraldDurable *durable) {
    if (durable->has_skipped) return;
    durable->has_skipped = true;
    tell_of_durable(durable, HeraldNetworkSkipped, 1,
                    "the server does not pick out what it observes, so it skips the rest");
}

/* How long a message is not given out that was given back after so many deliveries. */
static uint64_t pause_after(const struct HeraldDurable *durable, uint32_t deliveries) {
    uint64_t pause = (uint64_t)HEARD_AGAIN_MS * GROUND_MILLISECOND << (deliveries < 20 ? deliveries - 1 : 19);
    return pause < durable->ack_wait ? pause : durable->ack_wait;
}

/* Of one that is alone, only the calls here count: what waits behind a message that ends the process is given out as
 * often as this one. */
static bool is_given_up(struct HeraldDurable *durable, const struct herald_net_parcel *parcel) {
    uint32_t tried = durable->wish.order == HeraldDurableAlone ? parcel->calls : parcel->stored.deliveries - 1;
    if (!durable->wish.attempts || tried < durable->wish.attempts) return false;
    tell_of_durable(durable, HeraldNetworkGivenUp, parcel->stored.sequence, "it was given to observers too often");
    return true;
}

/* Under the lock: whether it may be called. */
static bool is_open(const struct HeraldDurable *durable) {
    return !durable->is_ended && durable->network->phase == HERALD_NET_OPEN;
}

/* Under the lock: waits until it is called again with the same message. False: it is not, for it has ended. */
static bool await_again(struct HeraldDurable *durable, uint64_t pause) {
    uint64_t end = ground_now() + pause;
    struct timespec until = ground_timespec(end);
    while (is_open(durable) && (durable->is_held || ground_now() < end)) {
        if (durable->is_held)
            pthread_cond_wait(&durable->ready, &durable->network->lock); /* the loop ends the hold */
        else
            pthread_cond_timedwait(&durable->ready, &durable->network->lock, &until);
    }
    return is_open(durable);
}

/* A post that begins while its center is suspended calls nobody. The loop may not have seen yet that it is. */
static bool await_resumed(struct HeraldDurable *durable, HeraldCenterRef center) {
    enum { LOOK_MS = 20 };
    bool goes_on = true;
    while (goes_on && HeraldCenterIsSuspended(center)) {
        struct timespec until = ground_timespec(ground_now() + LOOK_MS * GROUND_MILLISECOND);
        pthread_mutex_lock(&durable->network->lock);
        pthread_cond_timedwait(&durable->ready, &durable->network->lock, &until);
        goes_on = is_open(durable);
        pthread_mutex_unlock(&durable->network->lock);
    }
    return goes_on;
}

/* The observer has not done its work; one that has ended meanwhile gives the message back without a pause. With
 * HeraldDurableAlone it is called again here, for no later message may
 * overtake this one. Returns whether it is. */
static bool is_called_again(struct HeraldDurable *durable, struct herald_net_parcel *parcel) {
    uint64_t pause = pause_after(durable, parcel->stored.deliveries);
    bool is_alone = durable->wish.order == HeraldDurableAlone;
    pthread_mutex_lock(&durable->network->lock);
    bool goes_on = is_alone ? await_again(durable, pause) : is_open(durable);
    pthread_mutex_unlock(&durable->network->lock);
    parcel->verdict = goes_on ? HERALD_NET_AGAIN : HERALD_NET_RETURNED;
    parcel->pause = pause;
    if (!is_alone) return false;
    parcel->stored.deliveries += goes_on;
    return goes_on;
}

/* Lets the observer hear a message, and notes what the server is to be told. */
static void hear_parcel(struct HeraldDurable *durable, struct herald_net_parcel *parcel) {
    HeraldCenterRef center __attribute__((cleanup(herald_net_release_center))) =
        herald_net_hold_center(durable->network);
    if (!center || !await_resumed(durable, center)) return;
    if (!herald_net_wish_has(&durable->wish, natsMsg_GetSubject(parcel->message))) {
        note_skipped(durable);
        parcel->verdict = HERALD_NET_HEARD;
        return;
    }
    bool is_heard = has_heard(durable, &parcel->stored);
    do {
        if (!is_heard && is_given_up(durable, parcel)) {
            parcel->verdict = HERALD_NET_ENOUGH;
            return;
        }
        parcel->verdict = HERALD_NET_RETURNED; /* if the observer ends the thread */
        is_heard = is_heard || call_durable(durable, center, parcel);
    } while (!is_heard && is_called_again(durable, parcel));
    if (!is_heard) return;
    note_heard(durable, &parcel->stored);
    parcel->verdict = HERALD_NET_HEARD;
}

/* ---- The thread -------------------------------------------------------------------------------------------------- */

/* Takes the next message. NULL: the observer has ended. */
static struct herald_net_parcel *take_parcel(struct HeraldDurable *durable) {
    struct herald_net_center *network = durable->network;
    struct herald_net_parcel *parcel = NULL;
    pthread_mutex_lock(&network->lock);
    while (!durable->is_ended && (!durable->lane.first || durable->again || durable->is_held || !is_open(durable)))
        pthread_cond_wait(&durable->ready, &network->lock);
    if (!durable->is_ended) parcel = durable->running = herald_net_parcels_take(&durable->lane);
    uint32_t epoch = durable->epoch;
    if (parcel) { /* unless it has waited for so long that another process may have it */
        bool is_fresh = herald_net_parcel_is_fresh(durable, parcel);
        parcel->verdict = is_fresh ? HERALD_NET_RETURNED : HERALD_NET_NOTHING;
    }
    pthread_mutex_unlock(&network->lock);
    if (epoch != durable->heard_epoch) forget_heard(durable);
    durable->heard_epoch = epoch;
    return parcel;
}

/* A message that the thread works on. Its end is the loop's, also if the observer ends the thread. */
struct parcel_in_work {
    struct HeraldDurable *durable;
    struct herald_net_parcel *parcel;
};

static void end_parcel(struct parcel_in_work *work) {
    struct HeraldDurable *durable = work->durable;
    pthread_mutex_lock(&durable->network->lock);
    durable->running = NULL;
    bool is_told = !durable->is_off && work->parcel->epoch == durable->epoch;
    if (is_told) herald_net_parcels_put(&durable->over, work->parcel);
    if (!is_told) herald_net_parcel_destroy(work->parcel);
    herald_net_wake(durable->network);
    pthread_mutex_unlock(&durable->network->lock);
}

static void *serve_durable(void *context);

/* The thread ends. If the observer has ended it, another one takes its place. */
static void end_durable_thread(struct HeraldDurable **ended) {
    struct HeraldDurable *durable = *ended;
    pthread_mutex_lock(&durable->network->lock);
    bool is_over = durable->is_ended;
    pthread_mutex_unlock(&durable->network->lock);
    if (!is_over && ground_thread_start(NULL, 0, serve_durable, durable) == 0) return;
    herald_net_durable_release(durable);
}

static void *serve_durable(void *context) {
    struct HeraldDurable *durable __attribute__((cleanup(end_durable_thread))) = context;
    prctl(PR_SET_NAME, "herald-durable");
    for (struct herald_net_parcel *parcel; (parcel = take_parcel(durable));) {
        struct parcel_in_work work __attribute__((cleanup(end_parcel), unused)) = {durable, parcel};
        if (parcel->verdict != HERALD_NET_NOTHING) hear_parcel(durable, parcel);
    }
    return NULL;
}

/* ---- The functions of network.h ---------------------------------------------------------------------------------- */

static HeraldStatus refuse_options(const char *reason) {
    return herald_net_complain(HeraldInvalidArgument, "%s", reason);
}

HeraldStatus herald_net_durable_take_options(HeraldDurableOptions *mine, const HeraldDurableOptions *theirs) {
    memset(mine, 0, sizeof *mine);
    if (!theirs || theirs->size < sizeof *mine) return refuse_options("the options have an impossible size");
    for (size_t i = sizeof *mine; i < theirs->size; i++)
        if (((const char *)theirs)[i]) return refuse_options("the options have more than this version knows");
    memcpy(mine, theirs, sizeof *mine);
    if (!herald_net_durable_is_name(mine->name))
        return refuse_options("the name of a durable observer has 1 to 128 bytes, without space and . * > / \\");
    if (mine->stream && !herald_net_durable_is_name(mine->stream))
        return refuse_options("the name of a stream has 1 to 128 bytes, without space and . * > / \\");
    if (!mine->about == !mine->prefix) return refuse_options("either a name or a prefix is observed");
    if ((unsigned)mine->order > HeraldDurableAlone || (unsigned)mine->start > HeraldDurableTime)
        return refuse_options("the order or the start is unknown");
    if (!mine->inFlight) mine->inFlight = mine->order == HeraldDurableStrict ? 1 : IN_FLIGHT;
    if (mine->inFlight > IN_FLIGHT_MOST) return refuse_options("at most 65536 messages are in flight");
    if (mine->order == HeraldDurableStrict && mine->inFlight != 1)
        return refuse_options("with a strict order one message is in flight");
    if ((mine->start == HeraldDurableSequence) != (mine->sequence != 0) ||
        (mine->start == HeraldDurableTime) != (mine->time != 0) || mine->time < 0)
        return refuse_options("the start and its number or time contradict each other");
    if (mine->patience == 0) mine->patience = 30;
    if (!(mine->patience >= 0.1 && mine->patience <= 86400)) return refuse_options("patience is 0.1 to 86400 seconds");
    const HeraldObserverOptions *options = mine->options;
    if (options && (options->prefix || options->start != HeraldStartNext || options->taggedCallback))
        return refuse_options("a durable observer's hooks are without a prefix, a start and a tagged callback");
    return HeraldOK;
}

static struct HeraldDurable *create_durable(struct herald_net_center *network, const HeraldDurableOptions *options,
                                            const char *subject) {
    struct HeraldDurable *durable = calloc(1, sizeof *durable);
    if (!durable) return NULL;
    struct herald_net_wish *wish = &durable->wish;
    durable->references = 1;
    ground_condition_init(&durable->ready);
    herald_net_parcels_create(&durable->lane);
    herald_net_parcels_create(&durable->over);
    strcpy(wish->name, options->name);
    if (options->stream) strcpy(wish->stream, options->stream);
    durable->finds = !options->stream;
    durable->filters = true;
    wish->is_wide = options->prefix;
    wish->order = options->order;
    wish->in_flight = options->inFlight;
    wish->attempts = options->attempts;
    wish->ack_wait = (uint64_t)(options->patience * (double)GROUND_SECOND);
    wish->start = options->start;
    wish->sequence = options->sequence;
    wish->time = options->time;
    durable->ack_wait = wish->ack_wait;
    durable->about = options->about;
    wish->subject = strdup(subject);
    if (asprintf(&wish->filter, "%s%s", subject, options->about ? ".%.*" : *subject ? ".>" : ">") < 0)
        wish->filter = NULL;
    if (options->order != HeraldDurableStrict) durable->heard = calloc(HERALD_NET_HEARD_MOST, sizeof *durable->heard);
    durable->center = HeraldCenterCreate(NULL);
    herald_net_retain(network);
    durable->network = network;
    if (wish->subject && wish->filter && durable->center && (durable->heard || options->order == HeraldDurableStrict))
        return durable;
    herald_net_durable_release(durable);
    return NULL;
}

/* Begins the thread, which calls nobody yet, then adds the registration. So a failure leaves nothing behind. */
static HeraldStatus begin_durable(struct HeraldDurable *durable, const void *observer,
                                  const HeraldObserverOptions *options) {
    struct herald_net_center *network = durable->network;
    durable->is_held = true;
    durable->references++;
    int error = ground_thread_start(NULL, 0, serve_durable, durable);
    if (error) {
        durable->references--;
        return herald_net_complain(HeraldTransportFailed, "no thread is available: %s", strerror(error));
    }
    HeraldStatus status = HeraldCenterAddObserverWithOptions(durable->center, observer, call_durable_observer, NULL,
                                                             NULL, options, &durable->token);
    pthread_mutex_lock(&network->lock);
    durable->is_ended = status != HeraldOK || network->phase != HERALD_NET_OPEN;
    if (durable->is_ended) {
        durable->is_off = true;
        pthread_cond_signal(&durable->ready);
    } else {
        durable->references++;
        durable->before = network->asked;
        GROUND_LIST_PUSH(network->durables.first, durable);
        network->durables.any = true;
        herald_net_wake(network);
    }
    pthread_mutex_unlock(&network->lock);
    return status;
}

HeraldStatus herald_net_durable_add(struct herald_net_center *network, const void *observer,
                                    HeraldDurableCallback callback, const HeraldDurableOptions *options,
                                    const char *subject, HeraldDurableRef *added) {
    pthread_mutex_lock(&network->lock);
    bool open = network->phase == HERALD_NET_OPEN;
    pthread_mutex_unlock(&network->lock);
    if (!open) return herald_net_complain_of_end();
    struct HeraldDurable *durable = create_durable(network, options, subject);
    if (!durable) return herald_net_complain(HeraldOutOfMemory, "out of memory");
    durable->callback = callback;
    HeraldStatus status = begin_durable(durable, observer, options->options);
    if (status == HeraldOK && added) {
        *added = durable;
    } else {
        herald_net_durable_release(durable);
    }
    return status;
}

HeraldToken HeraldDurableGetToken(HeraldDurableRef durable) { return durable ? durable->token : (HeraldToken){0, 0}; }

void HeraldDurableEnd(HeraldDurableRef durable, bool wait) {
    if (!durable || herald_net_registry_is_inherited(durable->network)) return;
    struct herald_net_center *network = durable->network;
    pthread_mutex_lock(&network->lock);
    durable->is_ended = true;
    pthread_cond_signal(&durable->ready);
    herald_net_wake(network);
    pthread_mutex_unlock(&network->lock);
    (wait ? HeraldCenterRemoveTokenAndWait : HeraldCenterRemoveToken)(durable->center, durable->token);
    herald_net_durable_release(durable);
}
