/* Suspension (R16): filling a center's queue, and delivering from it. */
#ifndef HERALD_SUSPENSION_H
#define HERALD_SUSPENSION_H

#include "found.h"

HERALD_BEGIN
/* Makes a post to a center whose queue is in use (HERALD_FLAG_QUEUE). Returns how many observers it has called. */
size_t herald_suspension_post(const struct herald_post *post, unsigned options);

/* Releases held posts that are unused, a list by `next`. Each is released by the hooks that match those by which it was
 * retained. No lock held. */
void herald_suspension_free(struct herald_held *unused);

/* For a thread that ends in the middle of calls: if it is the center's drainer, it stops being that. */
void herald_suspension_hand_in(HeraldCenterRef center);

/* In the child of a fork, under every lock. */
void herald_suspension_after_fork(HeraldCenterRef center);
HERALD_END
#endif
