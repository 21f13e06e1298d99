/* The loop: the thread that calls libnats, and what wakes it. */
#ifndef HERALD_NET_LOOP_H
#define HERALD_NET_LOOP_H

#include "net.h"

HERALD_BEGIN
/* Makes the loop's descriptors. A failure leaves a complaint (net_complaint.h). */
HeraldStatus herald_net_loop_create(struct herald_net_center *network);
/* Begins the loop's thread, which takes a reference to the network. */
HeraldStatus herald_net_loop_begin(struct herald_net_center *network);

/* Sets the loop in libnats's options, which herald_net_connection_prepare has made. */
HeraldStatus herald_net_loop_join(struct herald_net_center *network);
HERALD_END
#endif
