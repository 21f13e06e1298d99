/* A network center: what its parts have in common. In these files `network` points to this struct, and
 * `network->center` is the core's center.
 *
 * Threads. A thread that posts, adds or removes changes what `lock` protects, and wakes the loop. The loop is the
 * center's own thread. Only the loop lets libnats connect, send and read; short-lived threads let libnats flush.
 * libnats delivers incoming messages on a thread of its own (hearing.c). It reports about the connection on another
 * thread of its own, where we only leave a note and wake the loop (connection.c).
 *
 * Ownership: The struct lives as long as somebody has a reference to it. References belong to the center, the loop,
 * each subscription and connection of libnats's, each flush, each registration under a prefix, and each call that uses
 * the struct.
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
    /* These never change: */
    uint32_t forks; /* herald_net_registry_forks() when this struct was made */
    uint64_t sender;
    char prefix[HERALD_NETWORK_NAME_LIMIT + 1];
    void (*event)(void *context, const HeraldNetworkEvent *event);
    void *context;
    natsOptions *options;
    struct herald_net_servers servers; /* except `urls`, `count` and `turn`, which the lock protects */
    int epoll, bell;
    struct herald_net_center *next, **link; /* in the list of all centers: these change, under the registry's lock */

    _Atomic uint32_t references;
    _Atomic size_t largest; /* bytes of the largest message that the server takes, with headers */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* its time-outs are times of CLOCK_MONOTONIC */
    /* Protected by the lock: */
    HeraldCenterRef center; /* NULL: the center is gone */
    pthread_t loop;
    enum herald_net_phase phase;
    uint64_t end_at;    /* the latest time at which the loop ends */
    bool asleep;        /* the loop is in epoll_wait, or about to be */
    bool noted;         /* something has changed while the loop was awake: it must not sleep yet */
    bool gated;         /* the loop can send nothing now, so posts need not wake it */
    bool connected;     /* libnats is connected, and has not given the connection up */
    bool lost;          /* libnats has given the connection up, and the loop has not ended it yet */
    bool is_leaving;    /* the center itself ends the connection: this is no trouble */
    char trouble[512];  /* why there is no connection, or why posts were left at the end; "": nothing is wrong */
    uint64_t held_till; /* the time until which posts are held back after a reconnection */
    bool held;          /* the loop found that posts are held back */
    bool told_all;      /* the last event has been added; no other event is added after it */
    /* Numbers of flushes. `asked`: the last one that was requested. `flushing`: the one under way. `answered`: the last
     * one that the server has answered. `flushed`: the last one whose answer was passed on to the waiting threads. */
    uint64_t asked, flushing, answered, flushed;
    uint64_t asked_at;    /* `queue.taken` at the last request */
    uint64_t answered_at; /* the time at which the last answer came */
    char denial[256];     /* the newest denial that libnats has reported for `connection` */
    bool flush_runs;
    uint64_t flush_at; /* after a failed flush, the earliest time of the next one; 0: any time */
    struct herald_net_queue queue;
    struct herald_net_outlets outlets;
    struct herald_net_interests interests;
    struct herald_net_events events;
    uint64_t posted, sent, refused, reconnects;
    uint64_t left; /* posts that were still in the queue at the end, and were refused */
    /* `flushing_sent`: the value of `sent` when the flush under way began. `confirmed`: the value of `sent` that a
     * server has confirmed last; set to `sent` when a connection ends. */
    uint64_t flushing_sent, confirmed;
    uint64_t sent_at; /* the time at which `sent` last grew */
    /* A connection has ended before its server had confirmed all posts, and no HeraldNetworkSynchronize has succeeded
     * since then. */
    bool doubtful;

    /* Written by the loop. The atomic fields are also written by other threads, of libnats and of dial.c: */
    natsConnection *connection;
    _Atomic int socket;        /* -1: none */
    _Atomic int dialed, given; /* while the loop dials: our descriptor and libnats's; -1: none */
    _Atomic unsigned socket_events;
    uint64_t connect_at;
    uint32_t attempts;
    uint64_t connected_at;
    bool was_connected;

    pthread_mutex_t hearing; /* protects the senders; may be locked under `lock`, and not the other way round */
    struct herald_net_senders senders;
    _Atomic uint64_t received, missed, undecodable;
};

HERALD_BEGIN
static inline void herald_net_retain(struct herald_net_center *network) { network->references++; }
void herald_net_release(struct herald_net_center *network);

/* Under the lock: wakes the loop, which then looks at everything. */
void herald_net_wake(struct herald_net_center *network);

/* The next two are called under the lock. */

/* Requests a flush, which waits until the server knows all that is observed and posted so far. Returns the flush's
 * number. */
uint64_t herald_net_ask(struct herald_net_center *network);
/* Adds an event. The loop reports it to the program. */
void herald_net_tell(struct herald_net_center *network, HeraldNetworkEventKind kind, HeraldNameRef name, uint64_t count,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Complains that the center has been closed. Returns HeraldTransportFailed. */
HeraldStatus herald_net_complain_of_end(void);
HERALD_END
#endif
