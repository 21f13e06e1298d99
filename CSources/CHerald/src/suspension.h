/* Suspension (R16): filling a center's queue, and delivering from it. */
#ifndef HERALD_SUSPENSION_H
#define HERALD_SUSPENSION_H

#include "follower.h"

HERALD_BEGIN
/* Makes a post to a center whose queue is in use (HERALD_FLAG_QUEUE). Returns how many observers it has called. */
size_t herald_suspension_post(const struct herald_post *post, unsigned options);

/* The same for a post that is kept as `held`, to the registrations up to the sequence `limit`. Takes over a reference
 * to `held`. */
size_t herald_suspension_post_kept(const struct herald_kept_post *kept, struct herald_held *held, uint64_t limit,
                                   unsigned options);

/* Called when a thread ends in the middle of calls. If the thread is the center's drainer, its drain ends. */
void herald_suspension_hand_in(HeraldCenterRef center);

/* Called in the child of a fork, under every lock. */
void herald_suspension_after_fork(HeraldCenterRef center);
HERALD_END
#endif
