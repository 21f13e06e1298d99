/* The backlog: held posts that one thread, the drainer, is delivering. A post that begins during the drain, outside of
 * callbacks, waits here until the deliveries that were queued before it have returned. Then the post is made in the
 * usual way (R16). So no post overtakes a held one. Posts that wait add nothing to the backlog, so a drain ends.
 *
 * All functions are called under the center's lock.
 */
#ifndef HERALD_BACKLOG_H
#define HERALD_BACKLOG_H

#include "center.h"

HERALD_BEGIN
/* Whether the drain still has to make a delivery whose number is at most `newest`, or such a delivery has not returned
 * yet. */
bool herald_backlog_is_ahead(const struct herald_queue *queue, uint64_t newest);

/* Waits until no delivery up to `newest` is ahead, or until this thread has been made the drainer. The lock is free
 * during the wait. If no delivery returns for a tenth of a second, the wait ends and `queue->stalled` is set: the
 * observer that the drainer is calling may itself be waiting for this thread. */
void herald_backlog_wait(HeraldCenterRef center, uint64_t newest);

/* Call this when the drainer's current delivery (`in_hand`) has returned, or when its callback was left in another way
 * (R17). Returns the held post of the delivery; the caller gives up the delivery's reference to it. */
struct herald_held *herald_backlog_return(struct herald_queue *queue);

/* If the drainer has delivered up to its `target` and a thread waits, makes the first waiting thread the drainer.
 * Returns whether it did. */
bool herald_backlog_hand_over(struct herald_queue *queue);

/* The drain is over: wakes all waiting threads, and each of them looks again. */
void herald_backlog_end(struct herald_queue *queue);
HERALD_END
#endif
