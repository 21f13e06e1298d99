/* Hearing: what comes in becomes a post of the center. */
#ifndef HERALD_NETWORK_HEARING_H
#define HERALD_NETWORK_HEARING_H

#include "network.h"

/* What libnats calls with what comes in. Lives until libnats has called for the last time. */
struct herald_subscription {
    struct herald_network *network; /* a reference */
    uint32_t number;
};

HERALD_BEGIN
/* libnats's callback; `closure` is a struct herald_subscription. */
void herald_hearing_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                            void *closure);
HERALD_END
#endif
