/* A network center: what its parts have in common.
 *
 * Threads. Posters and those who add and remove touch what `lock` guards, and ring the bell. The loop, a thread of the
 * center's, is the only one that speaks with libnats. libnats delivers on a thread of its own, and tells of the
 * connection on another, which only leave a note and ring.
 *
 * Ownership. References keep the struct: the center's, the loop's, one for each subscription and connection of
 * libnats's, and one for each flush.
 */
#ifndef HERALD_NETWORK_NETWORK_H
#define HERALD_NETWORK_NETWORK_H

#include "event.h"
#include "interest.h"
#include "outlet.h"
#include "net_queue.h"
#include "sender.h"
#include "server.h"
#include <nats/nats.h>
#include <pthread.h>

enum herald_net_phase { HERALD_NET_OPEN, HERALD_ENDING, HERALD_NET_ENDED };

struct herald_net_center {
    /* Never change: */
    uint32_t forks; /* of the process, when it was made */
    uint64_t sender;
    char prefix[HERALD_NETWORK_NAME_LIMIT + 1];
    void (*event)(void *context, const HeraldNetworkEvent *event);
    void *context;
    natsOptions *options;
    struct herald_net_servers servers;
    int epoll, bell;
    struct herald_net_center *next, **link; /* registry's lock: all of the process */

    _Atomic uint32_t references;
    _Atomic size_t largest; /* that the server takes, with headers */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    /* The lock's: */
    HeraldCenterRef center; /* NULL: it is gone */
    pthread_t loop;
    enum herald_net_phase phase;
    uint64_t end_at;    /* when it ends at the latest */
    bool asleep;        /* the loop waits for its descriptors */
    bool noted;         /* something has changed since it looked at everything */
    bool gated;         /* it can send nothing now, and knows when it can */
    bool connected;     /* as libnats has said last */
    bool lost;          /* libnats has given the connection up */
    bool is_leaving;    /* the connection ends by this center, and not by a fault */
    char trouble[512];  /* why there is no connection, or was none in the end; "": there is one, or none was tried */
    uint64_t held_till; /* posts are held back until then */
    bool held;          /* they are */
    bool told_all;      /* the last event has been told, or waits to be */
    /* Numbers of flushes: the last asked for, under way, answered by the server, and told, with all before, to who
     * waits. */
    uint64_t asked, flushing, answered, flushed;
    uint64_t asked_at;    /* the queue's `taken` when it was */
    uint64_t answered_at; /* when it was */
    char denial[256];     /* the newest that `connection` has told of */
    bool flush_runs;
    uint64_t flush_at; /* not before, after one that has failed */
    struct herald_net_queue queue;
    struct herald_net_outlets outlets;
    struct herald_net_interests interests;
    struct herald_net_events events;
    uint64_t posted, sent, refused, reconnects;
    uint64_t left; /* posts that were not sent in the end */
    /* `sent` as the flush found it that is under way, and as a server has confirmed it, or its connection ended. */
    uint64_t flushing_sent, confirmed;
    uint64_t sent_at; /* when it was more last */
    bool doubtful;    /* a connection ended before its server had confirmed all, and nobody has synchronized since */

    /* The loop's: */
    natsConnection *connection;
    _Atomic int socket;        /* -1: none */
    _Atomic int dialed, given; /* while it connects, to us and to libnats; -1: none */
    _Atomic unsigned socket_events;
    uint64_t connect_at;
    uint32_t attempts;
    uint64_t connected_at;
    bool was_connected;

    pthread_mutex_t hearing; /* guards the senders; may be taken under `lock` */
    struct herald_net_senders senders;
    _Atomic uint64_t received, missed, undecodable;
};

HERALD_BEGIN
static inline void herald_net_retain(struct herald_net_center *network) { network->references++; }
void herald_net_release(struct herald_net_center *network);

/* Under the lock: wakes the loop, which looks at everything. */
void herald_net_wake(struct herald_net_center *network);

/* Under the lock, all of these. Asks for an answer of the server to all that is observed and posted so far. Returns its
 * number. */
uint64_t herald_net_ask(struct herald_net_center *network);
/* Something has happened that the owner is to hear of. */
void herald_net_tell(struct herald_net_center *network, HeraldNetworkEventKind kind, HeraldNameRef name, uint64_t count,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* One that is not open: why a call fails. */
HeraldStatus herald_net_complain_of_end(void);
HERALD_END
#endif
