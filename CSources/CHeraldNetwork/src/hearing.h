/* Hearing: incoming messages become posts of the center. */
#ifndef HERALD_NET_HEARING_H
#define HERALD_NET_HEARING_H

#include "net.h"

HERALD_BEGIN
/* libnats's callback; `closure` is the network, to which the subscription has a reference. */
void herald_net_hearing_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                                void *closure);
HERALD_END
#endif
