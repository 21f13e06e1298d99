/* Subscriptions: what libnats brings for an interest. A new subscription is made before the one that it replaces ends.
 * A replaced subscription ends only when all that it has received has been delivered. */
#ifndef HERALD_NET_SUBSCRIPTION_H
#define HERALD_NET_SUBSCRIPTION_H

#include "net.h"

HERALD_BEGIN
/* Called by the loop, without the lock, while there is a connection. Makes and ends subscriptions as the interests
 * require. Returns whether the loop must call again soon. */
bool herald_net_subscriptions_settle(struct herald_net_center *network);
HERALD_END
#endif
