/* Rings (single-writer ring buffers in the file). A process owns one for its life, or borrows one for a single message.
 * A ring's memory is given back when no process needs the records in it. */
#ifndef HERALD_HOST_RING_H
#define HERALD_HOST_RING_H

#include "log.h"

enum herald_host_ring_found {
    HERALD_HOST_RING_LOCKED,
    HERALD_HOST_RING_BUSY,   /* all rings that can be had are locked */
    HERALD_HOST_RING_NO_ROOM /* there is no memory for one more */
};

HERALD_BEGIN
/* Locks a ring for this process alone. The lock belongs to the open file behind `file`, a descriptor of the segment's
 * file. Prefers a ring whose owner has gone. Takes memory for a new ring only if the file system then still has room
 * for all rings that are lent, and one MiB for other users. */
enum herald_host_ring_found herald_host_ring_own(struct herald_host_segment *segment, int file, uint32_t *ring);
/* Locks a ring through `file` for one message. */
enum herald_host_ring_found herald_host_ring_borrow(struct herald_host_segment *segment, int file, uint32_t *ring);

/* Finishes what owners that were killed have left in their rings' heads (value.h). */
void herald_host_rings_settle(struct herald_host_segment *segment);

/* Gives back the memory of all rings that no process has locked and no reader needs. One ring is left for the next
 * poster. Under the session's lock, or another lock that keeps the segment mapped. */
void herald_host_rings_give_back(struct herald_host_segment *segment);
HERALD_END
#endif
