/* Ending: sending what waits, and then no more. And waiting for the server's answer. */
#ifndef HERALD_NETWORK_ENDING_H
#define HERALD_NETWORK_ENDING_H

#include "net.h"

HERALD_BEGIN
/* From now on the process's exit ends all network centers. */
void herald_net_ending_prepare(void);

/* From now on nothing is taken; the loop ends when all is sent, or at the deadline. False: it had begun before. */
bool herald_net_ending_begin(struct herald_net_center *network, uint64_t deadline);
/* Until the loop has ended, or the deadline is over. */
bool herald_net_ending_await(struct herald_net_center *network, uint64_t deadline);
HERALD_END
#endif
