/* Dialing: connects libnats to a server within a time. */
#ifndef HERALD_NET_DIAL_H
#define HERALD_NET_DIAL_H

#include "net.h"

HERALD_BEGIN
/* Called by the loop. Takes two seconds at most, and the time that it takes to look up the host. A failure has a
 * reason, which is valid as long as libnats's last error. */
natsStatus herald_net_dial(struct herald_net_center *network, const struct herald_net_address *address,
                           natsConnection **connection, const char **reason);
HERALD_END
#endif
