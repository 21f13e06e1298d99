/* Servers: where a center connects to, as its caller wrote it. */
#ifndef HERALD_NETWORK_SERVER_H
#define HERALD_NETWORK_SERVER_H

#include "platform.h"

enum { HERALD_SERVERS_MOST = 64 };

struct herald_servers {
    char *text;                            /* the list, cut into pieces */
    const char *urls[HERALD_SERVERS_MOST]; /* in `text` */
    char shown[256];                       /* the list without users and passwords, for sentences */
    int count;
};

HERALD_BEGIN
/* Takes a list apart. HeraldInvalidArgument, with a complaint, for what is none; nothing is left to be destroyed then.
 */
HeraldStatus herald_servers_create(struct herald_servers *servers, const char *list);
void herald_servers_destroy(struct herald_servers *servers);
HERALD_END
#endif
