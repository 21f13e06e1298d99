/* The connection to a server, by libnats. */
#ifndef HERALD_NET_CONNECTION_H
#define HERALD_NET_CONNECTION_H

#include "net.h"

HERALD_BEGIN
/* Prepares libnats's options from the caller's. The caller's list of servers must have been parsed before. A failure
 * leaves a complaint (net_complaint.h). */
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

/* Called on a thread that only flushes: waits for the server's answer, and records whether it came. */
void herald_net_connection_flush(struct herald_net_center *network);
HERALD_END
#endif
