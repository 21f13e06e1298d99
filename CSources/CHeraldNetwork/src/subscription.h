/* Subscriptions: libnats delivers the posts for an interest (interest.h) by a subscription. When one subscription
 * replaces another, the new one is made before the old one ends. The old one ends only after it has delivered all posts
 * that it has received. */
#ifndef HERALD_NET_SUBSCRIPTION_H
#define HERALD_NET_SUBSCRIPTION_H

#include "net.h"

HERALD_BEGIN
/* Called by the loop, without the lock, while there is a connection. Makes and ends subscriptions as the interests
 * require. Returns whether the loop must call again soon. */
bool herald_net_subscriptions_settle(struct herald_net_center *network);
HERALD_END
#endif
