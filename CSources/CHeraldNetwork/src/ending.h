/* The end of a center: it sends what waits, and nothing after that. Here callers also wait for the server's answer. */
#ifndef HERALD_NET_ENDING_H
#define HERALD_NET_ENDING_H

#include "net.h"

HERALD_BEGIN
/* From now on the process's exit ends all network centers. */
void herald_net_ending_prepare(void);

/* From now on no post is taken. The loop ends when all is sent, or at the deadline. False: the end had begun before. */
bool herald_net_ending_begin(struct herald_net_center *network, uint64_t deadline);
/* Waits until the loop has ended; false at the deadline. */
bool herald_net_ending_await(struct herald_net_center *network, uint64_t deadline);
HERALD_END
#endif
