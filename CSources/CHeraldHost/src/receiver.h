/* Receivers: the inboxes that programs open (herald/host.h). */
#ifndef HERALD_HOST_RECEIVER_H
#define HERALD_HOST_RECEIVER_H

#include "host_platform.h"

HERALD_BEGIN
/* The forking thread has the receivers' lock, so that the child can free what it has inherited. */
void herald_host_receivers_before_fork(void);
/* In the parent and in the child. */
void herald_host_receivers_after_fork(void);
HERALD_END
#endif
