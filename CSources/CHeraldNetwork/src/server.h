/* Servers: where a center connects to, as its caller wrote it. */
#ifndef HERALD_NETWORK_SERVER_H
#define HERALD_NETWORK_SERVER_H

#include "net_platform.h"

enum { HERALD_NET_SERVERS_MOST = 64 };

struct herald_net_servers {
    char *urls[HERALD_NET_SERVERS_MOST]; /* those of the caller, then those of which servers have told */
    int count, given;
    int turn;                                  /* who is tried first */
    bool secure;                               /* all are tls:// */
    char user[128], password[256], token[512]; /* for those of which servers have told; "": none */
    char shown[256];                           /* the list without users and passwords, for sentences */
};

/* What to connect to. */
struct herald_net_address {
    const char *user; /* of the URL: "user:password" or a token, `user_length` bytes; "": none */
    int user_length;
    char host[256], port[6];
};

HERALD_BEGIN
/* Takes a list apart. HeraldInvalidArgument, with a complaint, for what is none; nothing is left to be destroyed then.
 */
HeraldStatus herald_net_servers_create(struct herald_net_servers *servers, const char *list);
void herald_net_servers_destroy(struct herald_net_servers *servers);

/* A server has told of another, as host:port or with a scheme. One that is there already stays. */
void herald_net_servers_add(struct herald_net_servers *servers, const char *url);
/* All of them, each time with another one first. Returns how many. They stay until the end. */
int herald_net_servers_in_turn(struct herald_net_servers *servers,
                               struct herald_net_address addresses[HERALD_NET_SERVERS_MOST]);
HERALD_END
#endif
