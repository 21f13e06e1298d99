/* What the parts of a network center share: waking the loop, requesting flushes, adding events, freeing the struct.
 *
 * Ordering: The reference count is sequentially consistent, so the last release comes after every other.
 * Progress: Bounded.
 * Ownership: See net.h.
 */
#include "net.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

HeraldStatus herald_net_complain_of_end(void) {
    return herald_net_complain(HeraldTransportFailed, "the network center has been closed");
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
    herald_net_events_add(&network->events, kind, name, count, reason);
    herald_net_wake(network);
}

void herald_net_release(struct herald_net_center *network) {
    if (--network->references) return;
    natsOptions_Destroy(network->options);
    herald_net_servers_destroy(&network->servers);
    ground_table_destroy(&network->outlets);
    ground_table_destroy(&network->interests.all);
    free(network->events.closed); /* the loop has reported all others, as it has sent or refused all posts */
    ground_table_destroy(&network->senders.all);
    if (network->epoll >= 0) close(network->epoll);
    if (network->bell >= 0) close(network->bell);
    pthread_cond_destroy(&network->changed);
    pthread_mutex_destroy(&network->lock);
    pthread_mutex_destroy(&network->hearing);
    free(network);
}
