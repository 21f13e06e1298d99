/* Keeping a post, for messages. */
#ifndef HERALD_KEEP_H
#define HERALD_KEEP_H

#include "follower.h"

HERALD_BEGIN
/* Keeps the post and makes it (HeraldCenterPostKept); the center has no transport. `caller` is the address that the
 * post was made from, or NULL. */
HeraldStatus herald_keep(const struct herald_post *post, unsigned options, size_t *called, const void *caller);
HERALD_END
#endif
