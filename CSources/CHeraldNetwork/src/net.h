/* A network center: what its parts have in common.
 *
 * Threads. A thread that posts, adds or removes changes what `lock` protects, and wakes the loop. The loop, a thread of
 * the center's, is the only one that calls libnats, except for threads that only flush. libnats delivers on a thread of
 * its own (hearing.c). It reports about the connection on another thread, which only leaves a note and wakes the loop.
 *
 * Ownership: The struct lives as long as somebody has a reference to it: the center, the loop, each subscription and
 * connection of libnats's, each flush, each registration under a prefix, and each call that uses it.
 */
#ifndef HERALD_NET_NET_H
#define HERALD_NET_NET_H

#include "event.h"
#include "interest.h"
#include "outlet.h"
#include "net_queue.h"
#include "sender.h"
#include "server.h"
#include <nats/nats.h>
#include <pthread.h>

enum herald_net_phase { HERALD_NET_OPEN, HERALD_NET_ENDING, HERALD_NET_ENDED };

struct herald_net_center {
    /* Never change: */
    uint32_t forks; /* how many forks the process had behind it when this was made */
    uint64_t sender;
    char prefix[HERALD_NETWORK_NAME_LIMIT + 1];
    void (*event)(void *context, const HeraldNetworkEvent *event);
    void *context;
    natsOptions *options;
    struct herald_net_servers servers; /* except its list and turn: the lock protects these */
    int epoll, bell;
    struct herald_net_center *next, **link; /* in the list of all; these do change, under the registry's lock */

    _Atomic uint32_t references;
    _Atomic size_t largest; /* the largest message that the server takes, with headers */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    /* Protected by the lock: */
    HeraldCenterRef center; /* NULL: the center is gone */
    pthread_t loop;
    enum herald_net_phase phase;
    uint64_t end_at;    /* when the loop ends at the latest */
    bool asleep;        /* the loop waits for its descriptors */
    bool noted;         /* something has changed since the loop looked at everything */
    bool gated;         /* the loop can send nothing now, and knows when it can again */
    bool connected;     /* as libnats has reported last */
    bool lost;          /* libnats has given the connection up */
    bool is_leaving;    /* this center ends the connection; that is no fault */
    char trouble[512];  /* why there is no connection, or was none at the end; "": there is one, or none was tried */
    uint64_t held_till; /* posts are held back until then */
    bool held;          /* posts are held back now */
    bool told_all;      /* the last event has been reported, or waits to be */
    /* Numbers of flushes: the last one that was requested; the one under way; the last one that the server has
     * answered; and the last one that was reported, with all before it, to the threads that wait. */
    uint64_t asked, flushing, answered, flushed;
    uint64_t asked_at;    /* the queue's `taken` at the last request */
    uint64_t answered_at; /* when the last answer came */
    char denial[256];     /* the newest denial that was reported for `connection` */
    bool flush_runs;
    uint64_t flush_at; /* after a flush that failed, the earliest time of the next one; 0: any time */
    struct herald_net_queue queue;
    struct herald_net_outlets outlets;
    struct herald_net_interests interests;
    struct herald_net_events events;
    uint64_t posted, sent, refused, reconnects;
    uint64_t left; /* posts that were never sent */
    /* The value of `sent` when the flush under way began; and the value that a server confirmed last, or at which a
     * connection ended last. */
    uint64_t flushing_sent, confirmed;
    uint64_t sent_at; /* when `sent` last grew */
    bool doubtful;    /* a connection ended before its server had confirmed all, and nobody has synchronized since */

    /* The loop's: */
    natsConnection *connection;
    _Atomic int socket;        /* -1: none */
    _Atomic int dialed, given; /* while it connects: our descriptor and libnats's; -1: none */
    _Atomic unsigned socket_events;
    uint64_t connect_at;
    uint32_t attempts;
    uint64_t connected_at;
    bool was_connected;

    pthread_mutex_t hearing; /* protects the senders; may be taken under `lock` */
    struct herald_net_senders senders;
    _Atomic uint64_t received, missed, undecodable;
};

HERALD_BEGIN
static inline void herald_net_retain(struct herald_net_center *network) { network->references++; }
void herald_net_release(struct herald_net_center *network);

/* Under the lock: wakes the loop, which then looks at everything. */
void herald_net_wake(struct herald_net_center *network);

/* The next two are called under the lock. */

/* Requests a flush: an answer of the server to all that is observed and posted so far. Returns the flush's number. */
uint64_t herald_net_ask(struct herald_net_center *network);
/* Adds an event, which the loop reports to the center's owner. */
void herald_net_tell(struct herald_net_center *network, HeraldNetworkEventKind kind, HeraldNameRef name, uint64_t count,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The complaint of a call to a center that is not open. */
HeraldStatus herald_net_complain_of_end(void);
HERALD_END
#endif
