/* Holding a post: for the queue of a suspended center, or to keep it. */
#ifndef HERALD_HOLD_H
#define HERALD_HOLD_H

#include "found.h"
#include "held.h"

HERALD_BEGIN
/* Holds a post with one reference, for the caller. If `keeps`, the post is to be kept: then it fails with
 * HeraldInvalidArgument if userInfo has no hook or a hook returns NULL, and an object without a hook is held as it is.
 * Otherwise what has no hook becomes NULL. It also fails if memory is out, or if messages may take no more memory
 * (HeraldQueueFull). It sets no error. `*made` is set before the hooks run, so that the caller's clean-up finds the
 * held post if a hook throws; it is NULL after a failure. */
HeraldStatus herald_hold(const struct herald_post *post, bool keeps, struct herald_held **made);
HERALD_END
#endif
