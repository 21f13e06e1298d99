/* A nats-server on this machine's loopback, a client that speaks its protocol by hand, and a proxy with faults. */
#ifndef HERALD_TEST_SERVER_H
#define HERALD_TEST_SERVER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../Rules/claim.h"
#include <herald/network.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

/* Waits until the condition holds. False after a time-out. */
#define COMES(condition)                                                                                               \
    ({                                                                                                                 \
        bool came_;                                                                                                    \
        uint64_t end_ = end_of_patience();                                                                             \
        while (!(came_ = (condition)) && patient_nanoseconds() < end_) usleep(500);                                    \
        came_;                                                                                                         \
    })

/* The result of a call that has to return by itself. If it does not, the program ends and prints the line.
 */
#define RETURNS(call)                                                                                                  \
    ({                                                                                                                 \
        watchdog_begin(__FILE__, __LINE__);                                                                            \
        __auto_type result_ = (call);                                                                                  \
        watchdog_end();                                                                                                \
        result_;                                                                                                       \
    })
void watchdog_begin(const char *file, int line);
void watchdog_end(void);
double seconds(void); /* for figures, and for COMES */

/* ---- Processes and ports ----------------------------------------------------------------------------------------- */

/* fork(). The child ends with this thread, and after ten times PATIENCE. Before exec it allocates nothing, as setenv
 * would: another thread may have held a lock of the sanitizer's allocator, which the child then waits for, for ever. */
pid_t begin_child(void);

struct server {
    pid_t process;
    int port, monitor; /* of a cluster: where it says whether it is whole */
    char folder[64], url[64];
};

/* Starts one. `port` 0: any. `config`: lines of a configuration file, or NULL; @ in them is the server's folder. */
void server_begin(struct server *server, int port, const char *config);
/* Lines of a configuration: with JetStream. */
extern const char jetstream[];
/* Starts a cluster of three. `config` as above. */
void cluster_begin(struct server servers[3], const char *config);
/* Which of them leads a stream. Waits until no server is behind: were the leader killed while another one still catches
 * up, the two that are left might elect none until the leader is back (seen with 2.9.10, for minutes). */
int leader_of(const struct server servers[3], const char *stream);
/* Ends it with a signal. Its folder stays, and it may be started again. */
void server_kill(struct server *server, int signal);
void server_begin_again(struct server *server);
void server_end(struct server *server);
/* Plain sockets on the loopback. */
int listen_at(int port);
int accept_one(int listener);
/* An unused port. This process keeps it until it ends: a server that is killed finds it free again. */
int free_port(void);
/* Writes a file into the server's folder. */
void server_write(const struct server *server, const char *name, const char *text);

/* ---- By hand ----------------------------------------------------------------------------------------------------- */

struct client {
    int socket;
    size_t length;
    char text[65536];
};
void client_begin(struct client *client, int port);
void client_say(struct client *client, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether this text has come; earlier text is forgotten. */
bool client_has(struct client *client, const char *what);
bool client_hears(struct client *client, const char *what); /* waits for it */
void client_settle(struct client *client);                  /* returns when the server has taken everything */
void client_end(struct client *client);

/* ---- A proxy ----------------------------------------------------------------------------------------------------- */

struct proxy {
    int port, target, listener;
    atomic_bool hole, cut, ended;
    atomic_bool is_still;        /* it has seen that `hole` is set */
    _Atomic(const char *) holds; /* what a client sends waits from this word on; NULL: nothing does */
    atomic_bool has_held;
    atomic_int pairs;  /* connections that it passes on */
    atomic_int rate;   /* bytes that it passes on in a second, on connections that come later; 0: all */
    atomic_int garble; /* one byte in so many is changed on the way from the server to the client; 0: none */
    pthread_t thread;
};
void proxy_begin(struct proxy *proxy, int target);
/* Sets `hole`. When it returns, the proxy passes nothing on. */
void proxy_stop(struct proxy *proxy);
void proxy_end(struct proxy *proxy);

/* ---- Centers ----------------------------------------------------------------------------------------------------- */

/* Whether a reason says that a stream has not answered in two seconds, or that the connection has ended before: a busy
 * machine may cause both. */
bool is_late(const char *reason);

/* The events of a center. */
struct events {
    pthread_mutex_t lock;
    atomic_int late; /* the sum of the counts of HeraldNetworkUnkept with such a reason, which are nowhere else */
    atomic_int kinds[16];
    uint64_t counts[16];
    HeraldCenterRef center; /* NULL, or the center whose sent posts are counted: */
    atomic_ulong sent[16];  /* the number of posts sent at the last event of each kind */
    char reason[16][300], name[16][600];
};
void events_begin(struct events *events, HeraldNetworkOptions *options);
/* The options without their events, which are noted in `events`, unless that is NULL. */
HeraldCenterRef center_with(HeraldNetworkOptions options, struct events *events);
HeraldCenterRef center_at(const char *servers, struct events *events);
HeraldNetworkStatistics statistics_of(HeraldCenterRef center);
void synchronize(HeraldCenterRef center);
/* Closes and releases it. After that its ears may end. */
void end_center(HeraldCenterRef center);
/* Returns at a moment when no ear is being called: then all calls for a released center have returned. */
void await_calls(void);
HeraldStatus post_number(HeraldCenterRef center, HeraldNameRef name, uint64_t number);

/* The numbered messages and plain posts that an observer has heard. */
struct ear {
    atomic_long heard, plain, missed, backwards, doubled;
    atomic_ulong last;
    _Atomic double last_at, longest; /* `longest`: the longest time without a post */
    HeraldMessage message;           /* the last one, without the memory that it points to, except: */
    char object[64], type[64];
    const void *about;
    HeraldToken token;
    void (*then)(struct ear *ear, HeraldCenterRef center);
};
void listen_to(HeraldCenterRef center, struct ear *ear, HeraldNameRef name, const void *object);
void listen_under(HeraldCenterRef center, struct ear *ear, const char *prefix);

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

/* Makes the stream S by hand, with further settings in `more`, and waits until the server has made it. */
void stream_make(struct client *client, const char *subjects, const char *more);
/* A server with JetStream, a client, the stream S, and a center. */
HeraldCenterRef begin_storing(struct server *server, struct client *client, const char *subjects, const char *more);
void end_storing(struct server *server, struct client *client, HeraldCenterRef center);
/* Whether the stream has so many messages. */
bool has_stored(struct client *client, long count);

#endif
