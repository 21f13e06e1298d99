/* The writer: the ring that this process writes its messages to. */
#ifndef HERALD_HOST_WRITER_H
#define HERALD_HOST_WRITER_H

#include "log.h"

HERALD_BEGIN
/* Writes and publishes an outgoing post, in this process's own ring or in a borrowed one. Threads take turns. Waits for
 * no other process, except for a moment if others have borrowed the last rings. HeraldQueueFull, with a complaint:
 * there is no ring, or no memory for one. */
HeraldStatus herald_host_writer_write(struct herald_host_segment *segment, const struct herald_host_outgoing *outgoing,
                                      enum herald_host_written *written);

/* How many messages of a private name ("self.") this process has written. Waits while another thread is writing a
 * message. */
uint32_t herald_host_writer_logged(struct herald_host_entry *entry);

/* Called when the session has another segment: from now on nothing is written to the old one. */
void herald_host_writer_leave(void);

/* Around a fork: the child has no ring. */
void herald_host_writer_before_fork(void);
void herald_host_writer_in_parent(void);
void herald_host_writer_in_child(void);
HERALD_END
#endif
