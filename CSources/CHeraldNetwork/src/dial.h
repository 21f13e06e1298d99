/* Dialing: a connection to a server, and libnats's by it, within a time. */
#ifndef HERALD_NETWORK_DIAL_H
#define HERALD_NETWORK_DIAL_H

#include "net.h"

HERALD_BEGIN
/* The loop's. Takes two seconds at most, beside the time that it takes to look the host up. What fails has a reason,
 * which stays as libnats's last error does. */
natsStatus herald_net_dial(struct herald_net_center *network, const struct herald_net_address *address,
                           natsConnection **connection, const char **reason);
HERALD_END
#endif
