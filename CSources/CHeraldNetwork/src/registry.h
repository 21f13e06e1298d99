/* The network centers of the process: found by their center, and left alone in a fork's child. */
#ifndef HERALD_NET_REGISTRY_H
#define HERALD_NET_REGISTRY_H

#include "net.h"

HERALD_BEGIN
/* How many forks lie between the process that loaded the library and this one. */
uint32_t herald_net_registry_forks(void);

void herald_net_registry_add(struct herald_net_center *network);
void herald_net_registry_remove(struct herald_net_center *network);

/* Copies at most `most` networks to `all`, each with a reference for the caller. Returns how many were copied. */
int herald_net_registry_copy(struct herald_net_center *all[], int most);

/* Finds the network of a center, with a reference for the caller. Fails with a complaint: HeraldInvalidArgument for a
 * center that is no network center, HeraldTransportFailed for one that a fork has left to the parent. */
HeraldStatus herald_net_registry_find(HeraldCenterRef center, struct herald_net_center **found);
HERALD_END
#endif
