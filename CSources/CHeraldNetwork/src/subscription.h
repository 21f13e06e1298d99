/* Subscriptions: what libnats brings for an interest. When wider ones come or go, the new subscriptions are made before
 * the old ones end, and an old one ends only when what it has received has been delivered. */
#ifndef HERALD_NET_SUBSCRIPTION_H
#define HERALD_NET_SUBSCRIPTION_H

#include "net.h"

HERALD_BEGIN
/* Called by the loop, without the lock, while there is a connection: makes and ends subscriptions as the interests
 * require. Returns whether something is left to be done a little later. */
bool herald_net_subscriptions_settle(struct herald_net_center *network);
HERALD_END
#endif
