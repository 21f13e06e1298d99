/* Subscriptions: what libnats brings for an interest. When wider ones come or go, the new subscriptions stand before
 * the old ones end, and an old one ends only when what it has brought has been delivered. */
#ifndef HERALD_NETWORK_SUBSCRIPTION_H
#define HERALD_NETWORK_SUBSCRIPTION_H

#include "net.h"

HERALD_BEGIN
/* The loop's, without the lock, while there is a connection: makes subscriptions be as they should. Returns whether
 * something is left to be done a little later. */
bool herald_net_subscriptions_settle(struct herald_net_center *network);
HERALD_END
#endif
