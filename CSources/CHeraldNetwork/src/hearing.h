/* Hearing: incoming messages become posts of the center. */
#ifndef HERALD_NET_HEARING_H
#define HERALD_NET_HEARING_H

#include "net.h"

HERALD_BEGIN
/* libnats calls this for each incoming message. `closure` is the network; the subscription has a reference to it. */
void herald_net_hearing_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                                void *closure);
HERALD_END
#endif
