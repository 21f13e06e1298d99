/* Dialing: connects libnats to a server, with a deadline. */
#ifndef HERALD_NET_DIAL_H
#define HERALD_NET_DIAL_H

#include "net.h"

HERALD_BEGIN
/* Called by the loop. Takes two seconds at most, plus the time to look up the host. On failure `*reason` is a text or
 * NULL. The text is valid until libnats's next error on this thread. */
natsStatus herald_net_dial(struct herald_net_center *network, const struct herald_net_address *address,
                           natsConnection **connection, const char **reason);
HERALD_END
#endif
