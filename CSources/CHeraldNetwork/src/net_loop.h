/* The loop: the thread that speaks with libnats, and what wakes it. */
#ifndef HERALD_NETWORK_LOOP_H
#define HERALD_NETWORK_LOOP_H

#include "net.h"

HERALD_BEGIN
/* Descriptors, in a network that is being made. With a complaint. */
HeraldStatus herald_net_loop_create(struct herald_net_center *network);
/* Begins the thread, which has a reference from then on. */
HeraldStatus herald_net_loop_begin(struct herald_net_center *network);

/* Tells libnats, which has been prepared, to use it. */
HeraldStatus herald_net_loop_join(struct herald_net_center *network);
HERALD_END
#endif
