/* The writer: the ring that this process writes its messages to. */
#ifndef HERALD_HOST_PEN_H
#define HERALD_HOST_PEN_H

#include "log.h"

HERALD_BEGIN
/* Writes and publishes a outgoing, with an ring of the segment's that is this process's, or is borrowed for it. One
 * thread at a time; it waits for no other process, but a moment for one that has borrowed the last ring.
 * HeraldQueueFull, with a complaint: there is no ring, or no memory for one. */
HeraldStatus herald_host_writer_write(struct herald_host_segment *segment, const struct herald_host_outgoing *outgoing,
                                      enum herald_host_written *written);

/* How many messages of a name of this process's own were written; between two, not within one. */
uint32_t herald_host_writer_logged(struct herald_host_entry *entry);

/* The session has another segment: afterwards nothing is written to the one before. */
void herald_host_writer_leave(void);

/* Around a fork: the child has no ring. */
void herald_host_writer_before_fork(void);
void herald_host_writer_in_parent(void);
void herald_host_writer_in_child(void);
HERALD_END
#endif
