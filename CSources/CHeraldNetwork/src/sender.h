/* Senders: which of each sender's posts of each name this process has heard.
 *
 * A sender's posts of a name are numbered without gaps, and come in order. So a gap is a loss. A number that has come
 * before is the same post: it came by two subscriptions, or was sent again. The table is bounded: among many thousands
 * the oldest are forgotten.
 */
#ifndef HERALD_NET_SENDER_H
#define HERALD_NET_SENDER_H

#include "net_platform.h"

struct herald_net_senders {
    struct herald_net_sender *places;
    uint32_t room; /* a power of two, or 0 */
    uint32_t count;
    uint32_t clock;
};

HERALD_BEGIN
void herald_net_senders_destroy(struct herald_net_senders *senders);

/* Notes a post that came in. False: it is a repeat. `*missed` is how many of the sender's posts of the name were lost
 * just before it. */
bool herald_net_senders_note(struct herald_net_senders *senders, HeraldNameRef name, uint64_t sender, uint64_t sequence,
                             uint64_t *missed);

/* Forgets the names that are not observed any more: what is posted until they are observed again is no loss. */
void herald_net_senders_forget(struct herald_net_senders *senders,
                               bool (*is_observed)(void *context, HeraldNameRef name), void *context);
HERALD_END
#endif
