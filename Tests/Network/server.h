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

/* Seconds. A test waits for what has to come, and not for a time: what has not come by then does not come. */
enum { PATIENCE = 60 };

/* Waits until the condition holds. False: it does not come to hold. */
#define COMES(condition)                                                                                               \
    ({                                                                                                                 \
        bool came_;                                                                                                    \
        double end_ = seconds() + PATIENCE;                                                                            \
        while (!(came_ = (condition)) && seconds() < end_) usleep(500);                                                \
        came_;                                                                                                         \
    })

/* The result of a call that has to come back by itself. A call that does not ends the program, which prints the line.
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

/* fork(). The child ends with this thread, and after ten times PATIENCE. */
pid_t begin_child(void);

struct server {
    pid_t process;
    int port;
    char folder[64], url[64];
};

/* Begins one. `port` 0: any. `config`: lines of a configuration file, or NULL; @ in them is the server's folder. */
void server_begin(struct server *server, int port, const char *config);
/* Ends it with a signal; its folder stays, and it may begin again. */
void server_kill(struct server *server, int signal);
void server_begin_again(struct server *server);
void server_end(struct server *server);
/* Sockets by hand, on the loopback. */
int listen_at(int port);
int accept_one(int listener);
/* A port that nobody uses. It stays this process's until that ends: a server that is killed finds it free again. */
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
/* Whether that has come; what came before it is forgotten. */
bool client_has(struct client *client, const char *what);
bool client_hears(struct client *client, const char *what); /* waits for it */
void client_settle(struct client *client);                  /* until the server has taken everything */
void client_end(struct client *client);

/* ---- A proxy ----------------------------------------------------------------------------------------------------- */

struct proxy {
    int port, target, listener;
    atomic_bool hole, cut, ended;
    atomic_int pairs;  /* connections that it passes on */
    atomic_int garble; /* one byte in so many is changed, from the server to the client; 0: none */
    pthread_t thread;
};
void proxy_begin(struct proxy *proxy, int target);
void proxy_end(struct proxy *proxy);

/* ---- Centers ----------------------------------------------------------------------------------------------------- */

/* What happened to a center. */
struct events {
    pthread_mutex_t lock;
    atomic_int kinds[8];
    uint64_t counts[8];
    HeraldCenterRef center; /* NULL, or whose posts are counted: */
    atomic_ulong sent[8];   /* those that had been sent when the last of a kind was told */
    char reason[8][300], name[8][600];
};
void events_begin(struct events *events, HeraldNetworkOptions *options);
HeraldCenterRef center_at(const char *servers, struct events *events);
HeraldNetworkStatistics statistics_of(HeraldCenterRef center);
void synchronize(HeraldCenterRef center);
/* Closes and releases it. Its ears may go then. */
void end_center(HeraldCenterRef center);
/* A moment in which no ear is being called: what is called for a center that has been released has returned. */
void await_calls(void);
HeraldStatus post_number(HeraldCenterRef center, HeraldNameRef name, uint64_t number);

/* What an observer has heard of numbered messages, and of plain posts. */
struct ear {
    atomic_long heard, plain, missed, backwards, doubled;
    atomic_ulong last;
    _Atomic double last_at, longest; /* without anything */
    HeraldMessage message;           /* the last, without what it points to, but for: */
    char object[64], type[64];
    const void *about;
    HeraldToken token;
    void (*then)(struct ear *ear, HeraldCenterRef center);
};
void listen_to(HeraldCenterRef center, struct ear *ear, HeraldNameRef name, const void *object);
void listen_under(HeraldCenterRef center, struct ear *ear, const char *prefix);

#endif
