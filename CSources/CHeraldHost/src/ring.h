/* Rings (single-writer ring buffers in the file). A process owns one for its life, or borrows one for a single message.
 * A ring's memory is given back when no process needs the records in it. */
#ifndef HERALD_HOST_RING_H
#define HERALD_HOST_RING_H

#include "log.h"

enum herald_host_ring_found {
    HERALD_HOST_RING_LOCKED,
    HERALD_HOST_RING_BUSY,   /* all that can be had are in use now */
    HERALD_HOST_RING_NO_ROOM /* there is no memory for one more */
};

HERALD_BEGIN
/* Locks a ring for this process alone, through `file`, which is the segment's file, open. Prefers a ring whose owner
 * has gone. Takes the memory of a new ring only if enough is left for the rings that are borrowed, and one MiB for
 * other users of the file system. */
enum herald_host_ring_found herald_host_ring_own(struct herald_host_segment *segment, int file, uint32_t *ring);
/* Locks a ring for one message. */
enum herald_host_ring_found herald_host_ring_borrow(struct herald_host_segment *segment, int file, uint32_t *ring);

/* Gives back the memory of all rings that no process has locked and no reader needs, except one ring, which is left for
 * the next poster. Under the session's lock, or another lock that keeps the segment mapped. */
void herald_host_rings_give_back(struct herald_host_segment *segment);
HERALD_END
#endif
