/* The network centers of this process. A call finds one by its HeraldCenterRef; a forked child has none. */
#ifndef HERALD_NET_REGISTRY_H
#define HERALD_NET_REGISTRY_H

#include "net.h"

HERALD_BEGIN
/* The number of forks between the process that loaded the library and this one. */
uint32_t herald_net_registry_forks(void);

void herald_net_registry_add(struct herald_net_center *network);
void herald_net_registry_remove(struct herald_net_center *network);

/* Copies at most `most` networks to `all`, each with a reference for the caller. Returns how many were copied. */
int herald_net_registry_copy(struct herald_net_center *all[], int most);

/* Finds the network of a center, with a reference for the caller. A failure leaves a complaint (net_complaint.h).
 * HeraldInvalidArgument: the center is no network center. HeraldTransportFailed: the center is the parent process's. */
HeraldStatus herald_net_registry_find(HeraldCenterRef center, struct herald_net_center **found);
HERALD_END
#endif
