/* Making subscriptions match the interests (interest.h).
 *
 * Ordering: When a wide interest is added, its subscription is made first, and then a flush is requested. Once the
 * server has answered the flush, every post that comes by a narrower subscription also comes by the wide one. So the
 * narrower subscription is stopped: it delivers what it has received, receives nothing more, and then ends. Only the
 * loop reads, so no post comes in while the loop stops a subscription. When a wide interest is removed, narrower
 * subscriptions replace the wide one in the same way.
 * One race remains. When the server accepts the new subscription, it may already have chosen to send some post by the
 * old subscription alone. It may then send this post after it has answered the flush. So the old subscription is
 * stopped GRACE_MS after the answer.
 * libnats may be called under the center's lock: while it holds a lock of its own, it calls only attach, watch and
 * detach (net_loop.c), which take none of ours.
 * Progress: Bounded by the interests that have changed, and by all interests for each wide one that ends. The lock is
 * given up between a few hundred of them.
 * Ownership: See interest.c. Each subscription has a reference to the network (net.h). libnats's last callback for the
 * subscription, `complete`, releases the reference.
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
    strcpy(subject + interest->length, herald_net_interest_wildcard(interest));
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

/* Under the lock, which is released for the subscribing. If that fails, the interest stays without a subscription. */
static void begin(struct herald_net_center *network, struct herald_net_interest *interest) {
    pthread_mutex_unlock(&network->lock);
    natsSubscription *made = subscribe(network, interest);
    pthread_mutex_lock(&network->lock);
    interest->own = made;
}

/* Under the lock: whether the interest's subscription, which is no longer needed, can end now. */
static bool may_end(struct herald_net_center *network, struct herald_net_interest *interest) {
    enum herald_net_place place = herald_net_interest_place(&network->interests, interest);
    if (place == HERALD_NET_VACANT) return true;
    if (place == HERALD_NET_AWAITED) {
        herald_net_interest_go_on(interest);
        return false;
    }
    if (!interest->ends_after) interest->ends_after = herald_net_ask(network);
    if (network->flushed < interest->ends_after && HERALD_NET_STEP(WIDE_FIRST)) return false;
    if (!interest->ends_at) {
        herald_net_interest_note_double(interest);
        interest->ends_at = ground_now() + GRACE_MS * GROUND_MILLISECOND;
    }
    if (ground_now() < interest->ends_at && HERALD_NET_STEP(WIDE_FIRST)) return false;
    interest->ends = interest->ends ? has_pending(interest->own) : stop(interest->own);
    return !interest->ends;
}

/* Under the lock, which is released for a moment, so that posts do not wait while many subscriptions end. */
static void end(struct herald_net_center *network, struct herald_net_interest *interest) {
    natsSubscription *own = herald_net_interest_end(&network->interests, interest);
    pthread_mutex_unlock(&network->lock);
    natsSubscription_Destroy(own);
    pthread_mutex_lock(&network->lock);
}

/* Under the lock, which posters wait for. */
static void let_others_in(struct herald_net_center *network) {
    pthread_mutex_unlock(&network->lock);
    pthread_mutex_lock(&network->lock);
}

void herald_net_subscriptions_settle(struct herald_net_center *network) {
    struct herald_net_interests *interests = &network->interests;
    enum { AT_ONCE = 256 };
    int ended = 0, looked = 0;
    pthread_mutex_lock(&network->lock);
    struct herald_net_interest *list = interests->dirty, *interest;
    interests->dirty = NULL; /* the interests in `list` stay marked as dirty, so no thread puts them on the new list */
    for (interest = list; interest; interest = interest->next_dirty) {
        if (++looked % AT_ONCE == 0) let_others_in(network);
        if (!interest->own && herald_net_interest_needs_own(interests, interest)) begin(network, interest);
    }
    while ((interest = list)) {
        if (++looked % AT_ONCE == 0) let_others_in(network); /* `interest` is still marked, so nothing frees it */
        bool needs_own = herald_net_interest_needs_own(interests, interest);
        list = interest->next_dirty;
        interest->dirty = false;
        /* A stopped subscription must end, even if it is wanted again; then a new one is made. */
        if (interest->own && (interest->ends || !needs_own)) {
            if (may_end(network, interest)) {
                end(network, interest);
                ended++;
            } else {
                herald_net_interest_look_at(interests, interest);
            }
            continue;
        }
        herald_net_interest_go_on(interest);
        if (!interest->own && needs_own) { /* subscribing has failed, or the need is new */
            begin(network, interest);
            if (!interest->own) herald_net_interest_look_at(interests, interest);
        } else if (!interest->own && !interest->wanted) {
            herald_net_interests_forget(interests, interest);
        }
    }
    if (ended) {
        pthread_mutex_lock(&network->hearing);
        herald_net_senders_forget(&network->senders, herald_net_hearing_hears, network);
        pthread_mutex_unlock(&network->hearing);
    }
    if (interests->dirty) herald_net_look_soon(network);
    pthread_mutex_unlock(&network->lock);
}
