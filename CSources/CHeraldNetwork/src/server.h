/* Servers: the list of servers to which a center connects. */
#ifndef HERALD_NET_SERVER_H
#define HERALD_NET_SERVER_H

#include "net_platform.h"

enum { HERALD_NET_SERVERS_MOST = 64 };

struct herald_net_servers {
    char *urls[HERALD_NET_SERVERS_MOST];       /* the caller's servers, then those that servers have reported */
    int count;                                 /* how many there are */
    int turn;                                  /* the index of the server that is tried first */
    bool secure;                               /* all connections use TLS */
    char user[128], password[256], token[512]; /* for servers that were reported; "": none */
    char shown[256];                           /* the caller's list without users and passwords, for error texts */
};

/* One server, taken apart. */
struct herald_net_address {
    const char *user; /* "user:password" or a token: `user_length` bytes of the URL, without a NUL; 0 bytes: none */
    int user_length;
    char host[256], port[6];
};

HERALD_BEGIN
/* Parses a list of servers. If the text is not such a list, complains (net_complaint.c) and returns
 * HeraldInvalidArgument. After a failure the caller has nothing to destroy. */
HeraldStatus herald_net_servers_create(struct herald_net_servers *servers, const char *list);
void herald_net_servers_destroy(struct herald_net_servers *servers);

/* Adds a server that another server has reported, unless it is in the list already. `url` is host:port, with or without
 * a scheme. A server that cannot be used is left out. */
void herald_net_servers_add(struct herald_net_servers *servers, const char *url);
/* Writes all servers to `addresses`, and returns their number. Each call begins one server further in the list. The
 * pointers in `addresses` are valid until the servers are destroyed. */
int herald_net_servers_in_turn(struct herald_net_servers *servers,
                               struct herald_net_address addresses[HERALD_NET_SERVERS_MOST]);
HERALD_END
#endif
