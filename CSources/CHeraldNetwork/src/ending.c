/* The end of a center: posts that wait are sent, and later posts are refused. The calls that wait for the server's
 * answer are here, too: HeraldNetworkSynchronize and HeraldNetworkClose.
 *
 * Ordering: The center's lock.
 * Progress: No caller waits beyond its deadline, whatever libnats does. Only HeraldNetworkClose adds LAST_EVENTS_MS to
 * its deadline. A caller inside an event callback does not wait, because it is on the loop's thread.
 * Ownership: Each call has a reference to the network.
 */
#include "net.h"
#include <stdlib.h>

/* HeraldNetworkClose waits this much longer than its deadline, while the loop reports the last events. */
enum { LAST_EVENTS_MS = 100 };

bool herald_net_ending_begin(struct herald_net_center *network, uint64_t deadline, bool is_awaited) {
    pthread_mutex_lock(&network->lock);
    bool begins = network->phase == HERALD_NET_OPEN;
    if (begins) {
        network->phase = HERALD_NET_ENDING;
        network->end_at = deadline;
        network->forgoes = is_awaited && herald_net_is_delivering();
        network->forgone = is_awaited ? herald_net_current_durable() : NULL;
        if (network->queue.taken) herald_net_ask(network);
        herald_net_wake(network);
    }
    pthread_mutex_unlock(&network->lock);
    return begins;
}

void herald_net_ending_await(struct herald_net_center *network, uint64_t deadline) {
    struct timespec until = ground_timespec(deadline);
    pthread_mutex_lock(&network->lock);
    while (network->phase != HERALD_NET_ENDED &&
           pthread_cond_timedwait(&network->changed, &network->lock, &until) == 0) {
    }
    pthread_mutex_unlock(&network->lock);
}

/* Under the lock. */
static HeraldStatus complain_of_silence(const struct herald_net_center *network) {
    if (network->connected) return herald_net_complain(HeraldTransportFailed, "the server did not answer in time");
    return herald_net_complain(HeraldTransportFailed, "no server is connected%s%s", *network->trouble ? ": " : "",
                               network->trouble);
}

/* Under the lock: whether this thread would wait for an answer of the stream that it would have to bring itself. */
static bool awaits_itself(const struct herald_net_center *network) {
    return herald_net_is_delivering() && (network->acks.first || network->queue.kept_at > network->queue.gone);
}

static HeraldStatus synchronize(struct herald_net_center *network, uint64_t deadline) {
    struct timespec until = ground_timespec(deadline);
    HeraldStatus status = HeraldOK;
    pthread_mutex_lock(&network->lock);
    if (awaits_itself(network)) {
        pthread_mutex_unlock(&network->lock);
        return herald_net_complain(HeraldTransportFailed, "a callback cannot wait for the stream's answers");
    }
    uint64_t number = network->phase == HERALD_NET_OPEN ? herald_net_ask(network) : 0;
    while (number && network->phase != HERALD_NET_ENDED && network->flushed < number)
        if (pthread_cond_timedwait(&network->changed, &network->lock, &until) != 0) break;
    if (!number) {
        status = herald_net_complain_of_end();
    } else if (network->flushed < number) {
        status = complain_of_silence(network);
    } else {
        network->doubtful = false;
    }
    pthread_mutex_unlock(&network->lock);
    return status;
}

HeraldStatus HeraldNetworkSynchronize(HeraldCenterRef center, double seconds) {
    uint64_t deadline = ground_deadline(seconds);
    struct herald_net_center *network;
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    status = herald_net_is_on_loop(network)
                 ? herald_net_complain(HeraldTransportFailed, "an event cannot wait for the server")
                 : synchronize(network, deadline);
    herald_net_release(network);
    return status;
}

static HeraldStatus close_network(struct herald_net_center *network, uint64_t deadline) {
    if (!herald_net_ending_begin(network, deadline, true)) return herald_net_complain_of_end();
    if (herald_net_is_on_loop(network))
        return herald_net_complain(HeraldTransportFailed, "an event cannot wait for the end, which has begun");
    herald_net_ending_await(network, deadline + LAST_EVENTS_MS * GROUND_MILLISECOND);
    HeraldStatus status = HeraldOK;
    pthread_mutex_lock(&network->lock);
    uint64_t left = network->left + network->queue.taken - network->queue.gone;
    const char *why = *network->trouble ? network->trouble : "there was no time";
    if (left) {
        status = herald_net_complain(HeraldTransportFailed, "%lu post%s not sent: %s", (unsigned long)left,
                                     left == 1 ? " was" : "s were", why);
    } else if (network->flushed != network->asked) {
        status = herald_net_complain(HeraldTransportFailed, "the server has not confirmed what was sent: %s", why);
    } else if (network->doubtful) {
        status = herald_net_complain(HeraldTransportFailed, "a connection ended before its server had confirmed "
                                                            "what was sent: posts may be lost");
    }
    pthread_mutex_unlock(&network->lock);
    return status;
}

HeraldStatus HeraldNetworkClose(HeraldCenterRef center, double seconds) {
    uint64_t deadline = ground_deadline(seconds);
    struct herald_net_center *network;
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    status = close_network(network, deadline);
    herald_net_release(network);
    return status;
}

/* ---- The process's end ------------------------------------------------------------------------------------------- */

enum { ENDED_AT_EXIT = 256 };
static const double EXIT_SECONDS = 2; /* for all centers together */

static void at_exit(void) {
    struct herald_net_center *all[ENDED_AT_EXIT];
    uint64_t deadline = ground_deadline(EXIT_SECONDS);
    int count = herald_net_registry_copy(all, ENDED_AT_EXIT);
    for (int i = 0; i < count; i++) herald_net_ending_begin(all[i], deadline, true);
    for (int i = 0; i < count; i++) {
        herald_net_ending_await(all[i], deadline);
        herald_net_release(all[i]);
    }
}

void herald_net_ending_prepare(void) { atexit(at_exit); }
