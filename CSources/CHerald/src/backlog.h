/* The backlog: what a center has kept and a thread, the drainer, is delivering. A post that comes meanwhile, from
 * outside of callbacks, waits here until all that was kept before it has been delivered and has returned; then it is
 * made as ever (R16). So nothing overtakes, and a backlog that nobody adds to comes to its end.
 *
 * All of it under the center's lock.
 */
#ifndef HERALD_BACKLOG_H
#define HERALD_BACKLOG_H

#include "center.h"

HERALD_BEGIN
/* Whether something up to the number `newest` is still to be delivered, or has not returned. */
bool herald_backlog_is_ahead(const struct herald_queue *queue, uint64_t newest);

/* Waits, without the lock meanwhile, until nothing up to `newest` is ahead, or this thread has been made the drainer.
 * When for a tenth of a second no delivery returns it gives up, and says so in `queue->stalled`: what the drainer calls
 * may be waiting for the caller. */
void herald_backlog_wait(HeraldCenterRef center, uint64_t newest);

/* The drainer has come back from the delivery in its hand, or has left it. The caller gives up the reference. */
struct herald_held *herald_backlog_return(struct herald_queue *queue);

/* Makes the first thread that waits the drainer, if the drainer of now has come as far as it must. */
bool herald_backlog_hand_over(struct herald_queue *queue);

/* There is no drainer any more: all that wait look for themselves. */
void herald_backlog_end(struct herald_queue *queue);
HERALD_END
#endif
