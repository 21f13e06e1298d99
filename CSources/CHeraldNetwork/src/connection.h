/* The connection to a server, by libnats. */
#ifndef HERALD_NET_CONNECTION_H
#define HERALD_NET_CONNECTION_H

#include "net.h"

HERALD_BEGIN
/* Prepares libnats's options from a caller's options, whose servers have been parsed. Fails with a complaint. */
HeraldStatus herald_net_connection_prepare(struct herald_net_center *network, const HeraldNetworkOptions *options);

/* The next four are called by the loop. */

/* Tries to connect, when it is time. */
void herald_net_connection_try(struct herald_net_center *network);
/* Ends the connection, after libnats has given it up or when the center ends. */
void herald_net_connection_end(struct herald_net_center *network);
/* Whether all denials that were read from the server have been reported. libnats reports them on a thread of its own.
 */
bool herald_net_connection_has_told(struct herald_net_center *network);
/* Whether libnats may be given more to send. */
bool herald_net_connection_has_room(struct herald_net_center *network);

/* Called on a thread of its own: waits for an answer of the server, and notes that it came. */
void herald_net_connection_flush(struct herald_net_center *network);
HERALD_END
#endif
