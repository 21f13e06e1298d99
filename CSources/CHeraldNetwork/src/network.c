/* The life of the struct. Ordering: the last release comes after every other. Ownership, progress: see network.h. */
#include "network.h"
#include "complaint.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

HeraldStatus herald_network_complain_of_end(void) {
    return herald_network_complain(HeraldTransportFailed, "the network center has been closed");
}

void herald_network_ring(struct herald_network *network) {
    uint64_t one = 1;
    if (!network->asleep) {
        network->noted = true;
        return;
    }
    network->asleep = false;
    ssize_t written = write(network->bell, &one, sizeof one);
    (void)written; /* full: it rings */
}

uint64_t herald_network_ask(struct herald_network *network) {
    network->asked_at = network->queue.taken;
    herald_network_ring(network);
    return ++network->asked;
}

void herald_network_tell(struct herald_network *network, HeraldNetworkEventKind kind, HeraldNameRef name,
                         uint64_t count, const char *format, ...) {
    char reason[sizeof network->events.first->reason];
    va_list arguments;
    if (!network->event || network->told_all) return;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    herald_events_add(&network->events, kind, name, count, reason);
    herald_network_ring(network);
}

void herald_network_release(struct herald_network *network) {
    if (--network->references) return;
    for (struct herald_letter *letter = network->queue.first, *next; letter; letter = next) {
        next = letter->next;
        herald_letter_destroy(letter);
    }
    natsOptions_Destroy(network->options);
    herald_servers_destroy(&network->servers);
    herald_outlets_destroy(&network->outlets);
    herald_interests_destroy(&network->interests);
    herald_events_destroy(&network->events);
    herald_senders_destroy(&network->senders);
    if (network->epoll >= 0) close(network->epoll);
    if (network->bell >= 0) close(network->bell);
    pthread_cond_destroy(&network->changed);
    pthread_mutex_destroy(&network->lock);
    pthread_mutex_destroy(&network->hearing);
    free(network);
}
