/* Rings (single-writer ring buffers in the file): owned for a process's life, borrowed for one message, given back when
 * no process needs the records in them. */
#ifndef HERALD_HOST_RING_H
#define HERALD_HOST_RING_H

#include "log.h"

enum herald_host_ring_found {
    HERALD_HOST_RING_LOCKED,
    HERALD_HOST_RING_BUSY,   /* all that can be had are in use now */
    HERALD_HOST_RING_NO_ROOM /* there is no memory for one more */
};

HERALD_BEGIN
/* Locks a ring for this process alone, by an open file of the segment. A ring whose owner has gone comes first. A new
 * one is taken only if room is left for the rings to borrow, and for a last MiB of the file system. */
enum herald_host_ring_found herald_host_ring_own(struct herald_host_segment *segment, int file, uint32_t *ring);
/* Locks a ring for one message. */
enum herald_host_ring_found herald_host_ring_borrow(struct herald_host_segment *segment, int file, uint32_t *ring);

/* Gives back the memory of all rings that no process has locked and no reader needs, except one, which the next poster
 * takes. Under the session's lock, or another that keeps the segment mapped. */
void herald_host_rings_give_back(struct herald_host_segment *segment);
HERALD_END
#endif
