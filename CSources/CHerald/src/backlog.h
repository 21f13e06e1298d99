/* The backlog: what a center has kept and one thread, the drainer, is delivering. A post that comes during this, from
 * outside of callbacks, waits here until everything that was kept before it has been delivered and has returned. Then
 * it is made in the usual way (R16). So nothing overtakes, and a backlog that nobody adds to comes to its end.
 *
 * All functions are called under the center's lock.
 */
#ifndef HERALD_BACKLOG_H
#define HERALD_BACKLOG_H

#include "center.h"

HERALD_BEGIN
/* Whether a delivery up to the number `newest` is still to be made, or has not returned. */
bool herald_backlog_is_ahead(const struct herald_queue *queue, uint64_t newest);

/* Waits until nothing up to `newest` is ahead, or this thread has been made the drainer. The lock is free during the
 * wait. If no delivery returns for a tenth of a second, it gives up and sets `queue->stalled`: what the drainer calls
 * may be waiting for the caller. */
void herald_backlog_wait(HeraldCenterRef center, uint64_t newest);

/* The delivery in the drainer's hand has returned, or was left. Returns its held post, whose reference the caller gives
 * up. */
struct herald_held *herald_backlog_return(struct herald_queue *queue);

/* Makes the first waiting thread the drainer, if the present one has come as far as it must. */
bool herald_backlog_hand_over(struct herald_queue *queue);

/* The drain is over: wakes all waiting threads, and each of them looks again. */
void herald_backlog_end(struct herald_queue *queue);
HERALD_END
#endif
