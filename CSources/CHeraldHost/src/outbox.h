/* The outbox: posts that go to the log, and wake who reads it. */
#ifndef HERALD_HOST_OUTBOX_H
#define HERALD_HOST_OUTBOX_H

#include "entry.h"
#include "log.h"

HERALD_BEGIN
/* Measures a outgoing's message; HeraldTooLarge, with a complaint. */
HeraldStatus herald_host_outbox_measure(struct herald_host_outgoing *outgoing);

/* Whether a message of the name has to be written: somebody hears it, or may be on the way. */
static inline bool herald_host_outbox_is_heard(struct herald_host_header *header,
                                               const struct herald_host_entry *entry) {
    return (entry && herald_host_entry_is_watched(entry)) || header->any || herald_host_segment_is_expecting(header);
}

/* Writes a outgoing, of which everything is known but, perhaps, the name's hash (0), and wakes its readers. False in
 * `written`: nothing can be written to this file any more. */
HeraldStatus herald_host_outbox_post(struct herald_host_outgoing *outgoing, struct herald_host_segment *segment,
                                     bool *written);

/* A plain post, for who observes any name. It is not lost by what cannot be written: whoever observes this name looks
 * at its count. `text` may be NULL. False: nothing can be written to this file any more. */
bool herald_host_outbox_post_plain(const char *text, struct herald_host_entry *entry,
                                   struct herald_host_segment *segment);

/* The process has another number. */
void herald_host_outbox_in_child(void);
HERALD_END
#endif
