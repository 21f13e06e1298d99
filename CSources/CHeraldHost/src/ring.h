/* Rings: had for life, borrowed for a message, given back when nobody needs what lies there. */
#ifndef HERALD_HOST_ARENA_H
#define HERALD_HOST_ARENA_H

#include "log.h"

enum herald_host_ring_found {
    HERALD_HOST_RING_LOCKED,
    HERALD_HOST_RING_BUSY,   /* those that can be had are in use now */
    HERALD_HOST_RING_NO_ROOM /* there is no memory for one more */
};

HERALD_BEGIN
/* Locks one for this process alone, by an open file of the segment's. One whose owner has gone, before one more: and
 * that only where the borrowed ones and the last MiB of the file system are left to others. */
enum herald_host_ring_found herald_host_ring_own(struct herald_host_segment *segment, int file, uint32_t *ring);
/* Locks one for a message. */
enum herald_host_ring_found herald_host_ring_borrow(struct herald_host_segment *segment, int file, uint32_t *ring);

/* Gives back the memory of all that nobody has and nobody is to read, but for one, which the next poster takes. Under
 * the session's lock, or another that keeps the segment mapped. */
void herald_host_rings_give_back(struct herald_host_segment *segment);
HERALD_END
#endif
