/* The outbox: writes posts to the log, and wakes the processes that read it. */
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

/* Writes an outgoing post, and wakes its readers. Computes the post's hash if the hash is 0. HeraldOK with `*written`
 * false: nothing can be written to this file any more. */
HeraldStatus herald_host_outbox_post(struct herald_host_outgoing *outgoing, struct herald_host_segment *segment,
                                     bool *written);

/* Writes a plain post (a post without a message) to the log, for processes that observe all names. Even if the log has
 * no room, observers of this one name hear the post by the entry's count. `text` NULL: nothing is written. False:
 * nothing can be written to this file any more. */
bool herald_host_outbox_post_plain(const char *text, struct herald_host_entry *entry,
                                   struct herald_host_segment *segment);

/* In the child of a fork: forgets the parent's process number. */
void herald_host_outbox_in_child(void);
HERALD_END
#endif
