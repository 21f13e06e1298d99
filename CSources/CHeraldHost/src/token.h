/* Tokens: check, state, file descriptors, suspension. All but herald_token functions of host.h run under the lock. */
#ifndef HERALD_HOST_TOKEN_H
#define HERALD_HOST_TOKEN_H

#include "host.h"

HERALD_BEGIN
/* Writes to the descriptors of a name. */
void herald_tokens_tell(struct herald_host_name *name, uint64_t posts);
/* The name has its entry in another segment now: it counts as posted. */
void herald_tokens_moved(struct herald_host_name *name);
void herald_tokens_after_fork(void);
HERALD_END
#endif
