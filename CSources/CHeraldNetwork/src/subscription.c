/* Making subscriptions match the interests (interest.h).
 *
 * Ordering: When a wide interest is added, its subscription is made first, and then a flush is requested. Once the
 * server has answered the flush, every post that comes by a narrower subscription also comes by the wide one. So the
 * narrower subscription is stopped: it delivers what it has received, receives nothing more, and then ends. Only the
 * loop reads, so no post comes in while the loop stops a subscription. When a wide interest is removed, narrower
 * subscriptions replace the wide one in the same way.
 * One race remains. When the server accepts the new subscription, it may already have chosen to send some post by the
 * old subscription alone. It may then send this post after it has answered the flush. So the old subscription is
 * stopped GRACE_MS after the answer. Progress: Bounded by the interests that have changed. Ownership: See interest.c.
 * Each subscription has a reference to the network (net.h). libnats's last callback for the subscription, `complete`,
 * releases the reference.
 */
#include "net.h"
#include "subject.h"
#include <stdlib.h>
#include <string.h>

enum { PENDING_POSTS = 65536, PENDING_BYTES = 16 << 20, GRACE_MS = 100 };

static void complete(void *network) { herald_net_release(network); }

static natsSubscription *subscribe(struct herald_net_center *network, const struct herald_net_interest *interest) {
    char subject[HERALD_NET_SUBJECT_ROOM + 2];
    memcpy(subject, interest->subject, interest->length);
    strcpy(subject + interest->length, !interest->wide ? "" : interest->length ? ".>" : ">");
    natsSubscription *made = NULL;
    herald_net_retain(network);
    if (natsConnection_Subscribe(&made, network->connection, subject, herald_net_hearing_receive, network) != NATS_OK) {
        herald_net_release(network);
        return NULL;
    }
    /* If the connection has just ended, nothing is delivered, libnats does not call `complete`, and the reference
     * leaks. That is rare. */
    natsSubscription_SetOnCompleteCB(made, complete, network);
    natsSubscription_SetPendingLimits(made, PENDING_POSTS, PENDING_BYTES);
    return made;
}

/* Lets the subscription deliver what it has received, and nothing more. Returns false if it need not be stopped, and
 * can end now. */
static bool stop(natsSubscription *subscription) {
    int pending = 0;
    int64_t delivered = 0;
    if (natsSubscription_GetStats(subscription, &pending, NULL, NULL, NULL, &delivered, NULL) != NATS_OK) return false;
    if (!pending || !HERALD_NET_STEP(PENDING)) return false;
    return natsSubscription_AutoUnsubscribe(subscription, (int)(delivered + pending)) == NATS_OK;
}

static bool has_pending(natsSubscription *subscription) {
    int pending = 0;
    return natsSubscription_GetPending(subscription, &pending, NULL) == NATS_OK && pending;
}

static bool is_observed(void *context, HeraldNameRef name) {
    struct herald_net_center *network = context;
    char subject[HERALD_NET_SUBJECT_ROOM];
    return herald_net_subject_write(subject, network->prefix, HeraldNameGetUTF8String(name), NULL) &&
           herald_net_interests_hear(&network->interests, subject);
}

static void begin(struct herald_net_center *network, struct herald_net_interest *interest) {
    natsSubscription *made = subscribe(network, interest);
    pthread_mutex_lock(&network->lock);
    interest->own = made;
    if (!made) herald_net_interest_look_at(&network->interests, interest);
    pthread_mutex_unlock(&network->lock);
}

static void end(struct herald_net_center *network, struct herald_net_interest *interest) {
    natsSubscription *own = interest->own;
    pthread_mutex_lock(&network->lock);
    herald_net_interest_end_count(&network->interests, interest);
    pthread_mutex_unlock(&network->lock);
    natsSubscription_Unsubscribe(own);
    pthread_mutex_lock(&network->lock);
    interest->own = NULL;
    interest->ends = false;
    interest->ends_after = interest->ends_at = 0;
    herald_net_interest_look_at(&network->interests, interest); /* it may be wanted again */
    pthread_mutex_unlock(&network->lock);
    natsSubscription_Destroy(own);
}

static void note_double(struct herald_net_center *network, struct herald_net_interest *interest) {
    pthread_mutex_lock(&network->lock);
    herald_net_interest_note_double(interest);
    pthread_mutex_unlock(&network->lock);
}

/* Ends a subscription that is no longer needed, and returns true. If the subscription must not end yet, returns false:
 * the loop must look at it again. */
static bool end_in_time(struct herald_net_center *network, struct herald_net_interest *interest,
                        enum herald_net_place place, uint64_t flushed) {
    if (place != HERALD_NET_VACANT) {
        if (place == HERALD_NET_AWAITED || flushed < interest->ends_after) return false;
        if (!interest->ends_at) note_double(network, interest);
        if (!interest->ends_at) interest->ends_at = ground_now() + GRACE_MS * GROUND_MILLISECOND;
        if (ground_now() < interest->ends_at && HERALD_NET_STEP(WIDE_FIRST)) return false;
        interest->ends = interest->ends ? has_pending(interest->own) : stop(interest->own);
        if (interest->ends) return false;
    }
    end(network, interest);
    return true;
}

static void put_back(struct herald_net_interests *interests, struct herald_net_interest *rest) {
    for (; rest; rest = rest->next_work) herald_net_interest_look_at(interests, rest);
}

/* Called under the lock, which is released while a subscription ends. Interests whose subscription has not ended yet go
 * to the list `later`. Returns how many subscriptions have ended. */
static int end_some(struct herald_net_center *network, struct herald_net_interest *rest,
                    struct herald_net_interest **later) {
    struct herald_net_interests *interests = &network->interests;
    struct herald_net_interest *interest;
    int ended = 0;
    while ((interest = rest)) {
        rest = interest->next_work;
        interest->in_work = false;
        if (herald_net_interest_duty(interests, interest) != HERALD_NET_UNSUBSCRIBE) { /* it is wanted again */
            herald_net_interest_go_on(interest);
            continue;
        }
        enum herald_net_place place = herald_net_interest_place(interests, interest);
        if (place == HERALD_NET_AWAITED) herald_net_interest_go_on(interest);
        if (place == HERALD_NET_TAKEN && !interest->ends_after) interest->ends_after = herald_net_ask(network);
        uint64_t flushed = HERALD_NET_STEP(WIDE_FIRST) ? network->flushed : UINT64_MAX;
        pthread_mutex_unlock(&network->lock);
        bool has_ended = end_in_time(network, interest, place, flushed);
        pthread_mutex_lock(&network->lock);
        ended += has_ended;
        if (has_ended) continue;
        interest->next_work = *later;
        *later = interest;
    }
    return ended;
}

bool herald_net_subscriptions_settle(struct herald_net_center *network) {
    struct herald_net_interests *interests = &network->interests;
    struct herald_net_interest *rest = NULL, *later = NULL, *interest;
    bool failed = false;
    pthread_mutex_lock(&network->lock);
    while (!failed && (interest = herald_net_interests_take(interests, HERALD_NET_SUBSCRIBE, &rest))) {
        pthread_mutex_unlock(&network->lock);
        begin(network, interest);
        pthread_mutex_lock(&network->lock);
        failed = !interest->own;
    }
    int ended = end_some(network, rest, &later);
    put_back(interests, later);
    if (ended) {
        pthread_mutex_lock(&network->hearing);
        herald_net_senders_forget(&network->senders, is_observed, network);
        pthread_mutex_unlock(&network->hearing);
    }
    pthread_mutex_unlock(&network->lock);
    return later || failed;
}
