/* The outbox: writes posts to the log, to a ring that this process has locked, and wakes the processes that read it. */
#ifndef HERALD_HOST_OUTBOX_H
#define HERALD_HOST_OUTBOX_H

#include "entry.h"
#include "log.h"

HERALD_BEGIN
/* Measures the message of an outgoing post. Returns HeraldTooLarge, with a complaint, if the message is too large. */
HeraldStatus herald_host_outbox_measure(struct herald_host_outgoing *outgoing);

/* Whether a message of the name has to be written. This is so if some process hears the name, or if a process that
 * hears the name may be on the way to this file. */
static inline bool herald_host_outbox_is_heard(struct herald_host_header *header,
                                               const struct herald_host_entry *entry) {
    return (entry && herald_host_entry_is_watched(entry)) || header->any || herald_host_segment_is_expecting(header);
}

/* Writes an outgoing post in this process's own ring or in a borrowed one, and wakes its readers. Computes the post's
 * hash if the hash is 0. Threads take turns. Waits for no other process, except for a moment if others have borrowed
 * the last rings. HeraldOK with `*written` false: nothing can be written to this file any more. HeraldQueueFull, with a
 * complaint: there is no ring, or no memory for one. */
HeraldStatus herald_host_outbox_post(struct herald_host_outgoing *outgoing, struct herald_host_segment *segment,
                                     bool *written);

/* Writes a plain post (a post without a message) to the log, for processes that observe all names. Even if the log has
 * no room, observers of this one name hear the post by the entry's count. `text` NULL: nothing is written. False:
 * nothing can be written to this file any more. */
bool herald_host_outbox_post_plain(const char *text, struct herald_host_entry *entry,
                                   struct herald_host_segment *segment);

/* How many messages of a private name ("self.") this process has written. Waits while another thread is writing a
 * message. */
uint32_t herald_host_outbox_logged(struct herald_host_entry *entry);

/* Called when the session has another segment: from now on nothing is written to the old one. */
void herald_host_outbox_leave(void);

/* Around a fork: the child has no ring, and another process number. */
void herald_host_outbox_before_fork(void);
void herald_host_outbox_in_parent(void);
void herald_host_outbox_in_child(void);
HERALD_END
#endif
