/* Servers: what a center connects to, as its caller wrote it. */
#ifndef HERALD_NET_SERVER_H
#define HERALD_NET_SERVER_H

#include "net_platform.h"

enum { HERALD_NET_SERVERS_MOST = 64 };

struct herald_net_servers {
    char *urls[HERALD_NET_SERVERS_MOST]; /* those of the caller, then those that servers have reported */
    int count, given;
    int turn;                                  /* which one is tried first */
    bool secure;                               /* all are tls:// */
    char user[128], password[256], token[512]; /* for those that servers have reported; "": none */
    char shown[256];                           /* the list without users and passwords, for sentences */
};

/* What to connect to. */
struct herald_net_address {
    const char *user; /* of the URL: "user:password" or a token, `user_length` bytes; "": none */
    int user_length;
    char host[256], port[6];
};

HERALD_BEGIN
/* Parses a list. HeraldInvalidArgument, with a complaint, if the text is no such list. After a failure nothing is left
 * to be destroyed. */
HeraldStatus herald_net_servers_create(struct herald_net_servers *servers, const char *list);
void herald_net_servers_destroy(struct herald_net_servers *servers);

/* Adds a server that another one has reported, as host:port or with a scheme, unless it is there already. */
void herald_net_servers_add(struct herald_net_servers *servers, const char *url);
/* Gives all servers, each time with another one first. Returns how many. Their texts are valid until the servers are
 * destroyed. */
int herald_net_servers_in_turn(struct herald_net_servers *servers,
                               struct herald_net_address addresses[HERALD_NET_SERVERS_MOST]);
HERALD_END
#endif
