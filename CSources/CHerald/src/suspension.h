/* Suspension (R16): filling a center's queue, and delivering from it. */
#ifndef HERALD_SUSPENSION_H
#define HERALD_SUSPENSION_H

#include "found.h"

HERALD_BEGIN
/* Posts to a center whose queue is in use (HERALD_FLAG_QUEUE). Returns how many observers it has called. */
size_t herald_suspension_post(const struct herald_post *post, unsigned options);

/* Releases held posts that are unused, a list by `next`, with the hooks that belong to those that retained them. No
 * lock held. */
void herald_suspension_free(struct herald_held *unused);

/* This thread ends in the middle of calls: it stops being the center's drainer, if it is. */
void herald_suspension_hand_in(HeraldCenterRef center);

/* In the child of a fork, under every lock. */
void herald_suspension_after_fork(HeraldCenterRef center);
HERALD_END
#endif
