/* Suspension (R16): filling a center's queue, and delivering from it. */
#ifndef HERALD_SUSPENSION_H
#define HERALD_SUSPENSION_H

#include "found.h"

HERALD_BEGIN
/* Makes a post to a center whose queue is in use (HERALD_FLAG_QUEUE). Returns how many observers it has called. */
size_t herald_suspension_post(const struct herald_post *post, unsigned options);

/* Releases the held posts in the list `unused`, which is linked by `next`. Each post has its own release hooks. Call it
 * under no lock. */
void herald_suspension_free(struct herald_held *unused);

/* Called when a thread ends in the middle of calls. If the thread is the center's drainer, its drain ends. */
void herald_suspension_hand_in(HeraldCenterRef center);

/* Called in the child of a fork, under every lock. */
void herald_suspension_after_fork(HeraldCenterRef center);
HERALD_END
#endif
