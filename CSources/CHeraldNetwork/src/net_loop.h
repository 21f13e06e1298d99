/* The loop: the thread that calls libnats, and what wakes it. */
#ifndef HERALD_NET_LOOP_H
#define HERALD_NET_LOOP_H

#include "net.h"

HERALD_BEGIN
/* Makes the descriptors of a network that is being created. Fails with a complaint. */
HeraldStatus herald_net_loop_create(struct herald_net_center *network);
/* Begins the thread, which has a reference from then on. */
HeraldStatus herald_net_loop_begin(struct herald_net_center *network);

/* Makes libnats, whose options have been prepared, use the loop. */
HeraldStatus herald_net_loop_join(struct herald_net_center *network);
HERALD_END
#endif
