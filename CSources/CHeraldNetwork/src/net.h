/* A network center: what its parts have in common, and the functions that they offer to each other. In the files of
 * this folder `network` points to a struct herald_net_center, and `network->center` is the core's center.
 *
 * Threads. The loop is the center's own thread. libnats connects, sends and reads only on the loop. A thread that
 * posts, adds or removes changes what `lock` protects, and wakes the loop. For each flush there is a short-lived
 * thread, which waits in libnats until the server has answered. libnats has two threads of its own that call us. One
 * delivers incoming messages (hearing.c). The other reports about the connection (connection.c). On that thread we only
 * leave a note and wake the loop.
 *
 * Ownership: The struct lives until the last reference to it is given up. The following have a reference: the core's
 * center, the loop, each subscription and connection of libnats's, each flush, and each call that uses
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
    /* These fields never change, except where a comment says so: */
    uint32_t forks; /* herald_net_registry_forks() when this struct was made */
    uint64_t sender;
    char prefix[HERALD_NETWORK_NAME_LIMIT + 1];
    void (*event)(void *context, const HeraldNetworkEvent *event);
    void *context;
    natsOptions *options;
    struct herald_net_servers servers; /* except `urls`, `count` and `turn`, which the lock protects */
    int epoll, bell;
    struct herald_net_center *next, **link; /* in the list of all centers; changed under the registry's lock */

    _Atomic uint32_t references;
    _Atomic size_t largest; /* bytes of the largest message that the server takes, with headers */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Protected by the lock: */
    HeraldCenterRef center; /* NULL: the center is gone */
    pthread_t loop;
    enum herald_net_phase phase;
    uint64_t end_at;    /* the time by which the loop must end */
    bool asleep;        /* the loop is in epoll_wait, or about to be */
    bool noted;         /* something has changed while the loop was awake, so the loop must not sleep yet */
    bool gated;         /* the loop can send nothing now, so posts need not wake it */
    bool connected;     /* libnats is connected, and has not given the connection up */
    bool lost;          /* libnats has given the connection up, and the loop has not ended it yet */
    bool is_leaving;    /* the center itself ends the connection, and does not record this in `trouble` */
    char trouble[512];  /* why there is no connection, or why posts were left at the end; "": nothing is wrong */
    uint64_t held_till; /* the time until which posts are held back after a reconnection */
    bool told_all;      /* the last event has been added, so no more events may be added */
    /* Flushes have numbers. `asked`: the newest flush that was requested. `flushing`: the flush that was begun last.
     * `answered`: the newest flush that the server has answered. `flushed`: the newest answered flush for which the
     * waiting threads were woken. */
    uint64_t asked, flushing, answered, flushed;
    uint64_t asked_at;    /* `queue.taken` at the last request */
    uint64_t answered_at; /* the time at which the last answer came */
    char denial[256];     /* the newest denial that libnats has reported for `connection` */
    bool flush_runs;
    uint64_t flush_at; /* after a failed flush, the earliest time of the next one; 0: any time */
    struct herald_net_queue queue;
    struct ground_table outlets; /* outlet.h */
    struct herald_net_interests interests;
    struct herald_net_events events;
    HeraldNetworkStatistics counts; /* `sent`, `refused`, `missed`, `undecodable` and `reconnects` */
    uint64_t left;                  /* posts that were still in the queue at the end, and were refused */
    /* `flushing_sent`: the value of `counts.sent` when the last flush began. `confirmed`: its value when the newest
     * answered flush began. When a connection ends, `confirmed` is set to `counts.sent`. */
    uint64_t flushing_sent, confirmed;
    uint64_t sent_at; /* the time at which `counts.sent` last grew */
    /* A connection has ended before its server had confirmed all posts, and no HeraldNetworkSynchronize has succeeded
     * since then. */
    bool doubtful;

    /* The loop writes these fields. Threads of libnats and of dial.c write the atomic ones, too: */
    uint64_t again_at; /* the earliest time for which something waits, as found in this pass; UINT64_MAX: none */
    natsConnection *connection;
    _Atomic int socket;        /* -1: none */
    _Atomic int dialed, given; /* while the loop dials (dial.c): our descriptor, and libnats's; -1: none */
    _Atomic unsigned socket_events;
    uint64_t connect_at;
    uint32_t attempts;
    uint64_t connected_at;
    bool was_connected;

    pthread_mutex_t hearing; /* protects the senders; a thread that takes both locks takes `lock` first */
    struct herald_net_senders senders;
    _Atomic uint64_t received;
};

HERALD_BEGIN
static inline void herald_net_retain(struct herald_net_center *network) { network->references++; }
void herald_net_release(struct herald_net_center *network);

/* Under the lock: wakes the loop, which then looks at everything. */
void herald_net_wake(struct herald_net_center *network);

/* The next three are called by the loop. What waits for a time calls one of them in each pass, so the loop sleeps no
 * longer than until the earliest of these times. */

/* The loop looks at everything again at the time `at`, if nothing wakes it earlier. */
static inline void herald_net_look_again(struct herald_net_center *network, uint64_t at) {
    if (at < network->again_at) network->again_at = at;
}
/* Whether the time `at` has come. If not, the loop looks again at that time. */
static inline bool herald_net_is_due(struct herald_net_center *network, uint64_t at) {
    if (ground_now() >= at) return true;
    herald_net_look_again(network, at);
    return false;
}
/* The loop looks again in a few milliseconds: what waits does not wake it. */
static inline void herald_net_look_soon(struct herald_net_center *network) {
    herald_net_look_again(network, ground_now() + 5 * GROUND_MILLISECOND);
}

/* Under the lock: requests a flush, and returns its number. When the flush has been answered, the server has all posts
 * that were made before the request, and the subscriptions of all observers that were added before it. */
uint64_t herald_net_ask(struct herald_net_center *network);
/* Under the lock: adds an event, which the loop reports to the program. */
void herald_net_tell(struct herald_net_center *network, HeraldNetworkEventKind kind, HeraldNameRef name, uint64_t count,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sets the thread's complaint: the center has been closed. Returns HeraldTransportFailed. */
HeraldStatus herald_net_complain_of_end(void);

/* ---- registry.c: the network centers of this process ------------------------------------------------------------- */

/* The number of forks between the process that loaded the library and this one. */
uint32_t herald_net_registry_forks(void);
/* Whether the network is the parent process's, and this process is a child of its fork. */
bool herald_net_registry_is_inherited(const struct herald_net_center *network);
/* If the network is inherited, complains and returns HeraldTransportFailed. */
HeraldStatus herald_net_registry_check(const struct herald_net_center *network);

void herald_net_registry_add(struct herald_net_center *network);
void herald_net_registry_remove(struct herald_net_center *network);

/* Copies at most `most` networks to `all`, each with a reference for the caller. Returns how many were copied. */
int herald_net_registry_copy(struct herald_net_center *all[], int most);

/* Finds the network of a center, with a reference for the caller. A failure leaves a complaint (net_complaint.c).
 * HeraldInvalidArgument: the center is no network center. HeraldTransportFailed: the center is the parent process's. */
HeraldStatus herald_net_registry_find(HeraldCenterRef center, struct herald_net_center **found);

/* ---- nkey.c: public keys, which libnats needs in addition to the seeds ------------------------------------------- */

enum { HERALD_NET_NKEY_ROOM = 57 };

/* Reads a seed from a file and writes its public key. The seed may stand alone, or between other lines, as in a .creds
 * file. On failure returns false and leaves a complaint. */
bool herald_net_nkey_public(const char *seed_file, char public_key[HERALD_NET_NKEY_ROOM]);

/* ---- dial.c: connecting libnats to a server, with a deadline ----------------------------------------------------- */

/* Called by the loop. Takes two seconds at most, plus the time to look up the host. On failure `*reason` is a text or
 * NULL. The text is valid until libnats's next error on this thread. */
natsStatus herald_net_dial(struct herald_net_center *network, const struct herald_net_address *address,
                           natsConnection **connection, const char **reason);

/* ---- connection.c: the connection to a server, by libnats -------------------------------------------------------- */

/* Prepares libnats's options from the caller's. The caller's list of servers must have been parsed before. A failure
 * leaves a complaint. */
HeraldStatus herald_net_connection_prepare(struct herald_net_center *network, const HeraldNetworkOptions *options);

/* The next four are called by the loop. */

/* Tries to connect if there is no connection and the next attempt is due. */
void herald_net_connection_try(struct herald_net_center *network);
/* Ends the connection, because libnats has given it up, or because the center ends. */
void herald_net_connection_end(struct herald_net_center *network);
/* Whether libnats has reported all denials that it has read from the server, or has had enough time to do so. A denial
 * says that the server does not allow a subject. libnats reports denials on a thread of its own. */
bool herald_net_connection_has_told(struct herald_net_center *network);
/* Whether libnats may be given more to send. */
bool herald_net_connection_has_room(struct herald_net_center *network);

/* A thread that only flushes: waits for the server's answer, records whether it came, and gives up its reference to
 * `network`. Returns NULL. */
void *herald_net_connection_flush(void *network);

/* ---- hearing.c: incoming messages become posts of the center ----------------------------------------------------- */

/* Under the lock: whether all posts of a name come in. `context` is the network. */
bool herald_net_hearing_hears(void *context, HeraldNameRef name);
/* libnats calls this for each incoming message. `closure` is the network; the subscription has a reference to it. */
void herald_net_hearing_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                                void *closure);

/* ---- subscription.c: libnats delivers the posts for an interest by a subscription -------------------------------- */

/* Called by the loop, without the lock, while there is a connection. Makes and ends subscriptions as the interests
 * require. When one subscription replaces another, the new one is made before the old one ends. The old one ends only
 * after it has delivered all posts that it has received. */
void herald_net_subscriptions_settle(struct herald_net_center *network);

/* ---- net_loop.c: the thread that calls libnats, and what wakes it ------------------------------------------------ */

/* Makes the loop's descriptors, then prepares the connection for it (herald_net_connection_prepare). A failure leaves a
 * complaint. */
HeraldStatus herald_net_loop_create(struct herald_net_center *network, const HeraldNetworkOptions *options);
/* Begins the loop's thread, which takes a reference to the network. */
HeraldStatus herald_net_loop_begin(struct herald_net_center *network);

/* ---- ending.c: the end of a center, and the calls that wait for the server --------------------------------------- */

/* Registers the exit handler, which ends the process's network centers. Called once. */
void herald_net_ending_prepare(void);

/* From now on no post is taken. The loop ends when all posts are sent and the server has confirmed them, or at the
 * deadline. False: the end had begun before. */
bool herald_net_ending_begin(struct herald_net_center *network, uint64_t deadline);
/* Waits until the loop has ended, or until the deadline. */
void herald_net_ending_await(struct herald_net_center *network, uint64_t deadline);
HERALD_END
#endif
