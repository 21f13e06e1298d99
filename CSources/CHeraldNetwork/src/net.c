/* What the parts of a network center share: waking the loop, requesting flushes, adding events, freeing the struct.
 *
 * Ordering: The reference count is sequentially consistent, so the last release comes after every other.
 * Progress: Bounded.
 * Ownership: See net.h.
 */
#include "net.h"
#include "ground_list.h"
#include <herald/inspect.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

HeraldStatus herald_net_complain_of_end(void) {
    return herald_net_complain(HeraldTransportFailed, "the network center has been closed");
}

HeraldCenterRef herald_net_hold_center(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    HeraldCenterRef center = network->phase == HERALD_NET_ENDED ? NULL : network->center;
    if (center && !HeraldCenterTryRetain(center)) center = NULL;
    pthread_mutex_unlock(&network->lock);
    return center;
}

void herald_net_release_center(HeraldCenterRef *center) { HeraldCenterRelease(*center); }

static _Thread_local unsigned delivers;

struct herald_net_delivering herald_net_delivering_begin(void) {
    return (struct herald_net_delivering){delivers++};
}
void herald_net_delivering_end(struct herald_net_delivering *delivering) { delivers = delivering->before; }
bool herald_net_is_delivering(void) { return delivers; }

bool herald_net_is_on_loop(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    bool is = pthread_equal(network->loop, pthread_self()); /* 0 before the loop runs: no thread */
    pthread_mutex_unlock(&network->lock);
    return is;
}

enum { FOREIGN_NAMES_MOST = 65536 };

static _Atomic uint32_t foreign_names; /* names that were made here for incoming posts, for all centers together */

HeraldNameRef herald_net_foreign_name(const char *text) {
    HeraldNameRef name = HeraldNameFind(text);
    if (name) return name;
    if (foreign_names >= FOREIGN_NAMES_MOST && HERALD_NET_STEP(CAP)) return NULL;
    name = HeraldNameCreate(text);
    if (name) foreign_names++;
    return name;
}

void herald_net_name_answer(const struct herald_net_center *network, char subject[HERALD_NET_INBOX_ROOM],
                            uint64_t number) {
    snprintf(subject, HERALD_NET_INBOX_ROOM, "%sa%" PRIu64, network->inbox_root, number);
}

HeraldStatus herald_net_put(struct herald_net_center *network, struct herald_net_outgoing *outgoing,
                            struct herald_net_outlet *outlet) {
    pthread_mutex_lock(&network->lock);
    bool open = network->phase == HERALD_NET_OPEN,
         taken = open && herald_net_queue_put(&network->queue, outgoing, outlet);
    if (taken) {
        if (outlet) HeraldTraceSend(herald_net_sender_of(network, outgoing), outgoing->sequence);
        if (outgoing->forgets) GROUND_LIST_PUSH(network->questions.forgetting, outgoing->forgets);
        if (!network->gated || outgoing->forgets) herald_net_wake(network); /* the loop waits for its time */
    }
    pthread_mutex_unlock(&network->lock);
    if (taken) return HeraldOK;
    herald_net_outgoing_destroy(outgoing);
    if (!open) return herald_net_complain_of_end();
    return herald_net_complain(HeraldQueueFull, "more than %zu bytes wait to be sent", network->queue.limit);
}

void herald_net_wake(struct herald_net_center *network) {
    uint64_t one = 1;
    if (!network->asleep) {
        network->noted = true;
        return;
    }
    network->asleep = false;
    ssize_t written = write(network->bell, &one, sizeof one);
    (void)written; /* a write fails only if the counter is full: then the loop wakes anyway */
}

uint64_t herald_net_ask(struct herald_net_center *network) {
    network->asked_at = network->queue.taken;
    herald_net_wake(network);
    return ++network->asked;
}

void herald_net_tell(struct herald_net_center *network, HeraldNetworkEventKind kind, HeraldNameRef name, uint64_t count,
                     const char *format, ...) {
    char reason[sizeof network->events.first->reason];
    va_list arguments;
    if (!network->event || network->told_all) return;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    herald_net_events_add(&network->events, kind, name, NULL, count, reason);
    herald_net_wake(network);
}

void herald_net_tell_durable(struct herald_net_center *network, const struct HeraldDurable *durable,
                             HeraldNetworkEventKind kind, uint64_t count, const char *reason) {
    if (!network->event || network->told_all) return;
    herald_net_events_add(&network->events, kind, durable->about, durable->wish.name, count, reason);
    herald_net_wake(network);
}

void herald_net_release(struct herald_net_center *network) {
    if (--network->references) return;
    natsOptions_Destroy(network->options);
    herald_net_servers_destroy(&network->servers);
    ground_table_destroy(&network->outlets);
    ground_table_destroy(&network->interests.all);
    herald_net_follows_destroy(&network->follows);
    ground_table_clear(&network->questions.numbered);
    ground_table_clear(&network->letters.numbered);
    free(network->events.closed); /* the loop has reported all others, as it has sent or refused all posts */
    ground_table_destroy(&network->senders.all);
    if (network->epoll >= 0) close(network->epoll);
    if (network->bell >= 0) close(network->bell);
    pthread_cond_destroy(&network->changed);
    pthread_mutex_destroy(&network->lock);
    pthread_mutex_destroy(&network->hearing);
    free(network);
}
