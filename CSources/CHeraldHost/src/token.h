/* Tokens: checks, states, file descriptors and suspension. Their calls are in herald/host.h. */
#ifndef HERALD_HOST_TOKEN_H
#define HERALD_HOST_TOKEN_H

#include "host_platform.h"

HERALD_BEGIN
/* In the child of a fork, under the session's lock: ends all tokens that have a descriptor. These tokens stay with the
 * parent. The descriptors that the child has inherited are left open. */
void herald_host_tokens_after_fork(void);
HERALD_END
#endif
