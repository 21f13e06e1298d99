/* Suspension (R16): filling a center's queue, and delivering what it holds. */
#ifndef HERALD_SUSPENSION_H
#define HERALD_SUSPENSION_H

#include "found.h"

HERALD_BEGIN
/* A post to a center whose queue counts. */
size_t herald_suspension_post(const struct herald_post *post, unsigned options);

/* Releases held posts that are unused, a list by `next`, by the hooks that retained them. No lock held. */
void herald_suspension_free(struct herald_held *unused);

/* This thread ends in the middle of calls: it delivers from this center no more. */
void herald_suspension_hand_in(HeraldCenterRef center);

/* In the child of a fork, under every lock. */
void herald_suspension_after_fork(HeraldCenterRef center);
HERALD_END
#endif
