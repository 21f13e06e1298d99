/* The end of a center: posts that wait are sent, and later posts are refused. The calls that wait for the server's
 * answer are here, too: HeraldNetworkSynchronize and HeraldNetworkClose. */
#ifndef HERALD_NET_ENDING_H
#define HERALD_NET_ENDING_H

#include "net.h"

HERALD_BEGIN
/* Registers an exit handler, once, which ends the process's network centers. */
void herald_net_ending_prepare(void);

/* From now on no post is taken. The loop ends when all posts are sent and the server has confirmed them, or at the
 * deadline. False: the end had begun before. */
bool herald_net_ending_begin(struct herald_net_center *network, uint64_t deadline);
/* Waits until the loop has ended. False: it has not ended by the deadline. */
bool herald_net_ending_await(struct herald_net_center *network, uint64_t deadline);
HERALD_END
#endif
