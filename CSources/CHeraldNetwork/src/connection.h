/* The connection to a server, by libnats. */
#ifndef HERALD_NETWORK_CONNECTION_H
#define HERALD_NETWORK_CONNECTION_H

#include "net.h"

HERALD_BEGIN
/* What libnats is to know, from a caller's options, whose servers have been taken apart. With a complaint. */
HeraldStatus herald_net_connection_prepare(struct herald_net_center *network, const HeraldNetworkOptions *options);

/* The loop's, all of these. Tries to connect, when it is time. */
void herald_net_connection_try(struct herald_net_center *network);
/* After libnats has given it up, or in the end. */
void herald_net_connection_end(struct herald_net_center *network);
/* Whether all that the server has not allowed, as far as it was read, has been told of. libnats does so on a thread of
 * its own. */
bool herald_net_connection_has_told(struct herald_net_center *network);
/* Whether libnats may be given more. */
bool herald_net_connection_has_room(struct herald_net_center *network);

/* On a thread of its own: asks the server for an answer, and notes that it came. */
void herald_net_connection_flush(struct herald_net_center *network);
HERALD_END
#endif
