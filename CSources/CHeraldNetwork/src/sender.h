/* Senders: for each sender and name, which posts this process has heard.
 *
 * A sender numbers its posts of a name without gaps, and they come in order. So a gap is a loss. A number that has come
 * before is the same post: it came by two subscriptions, or was sent again. The table is bounded. When it holds many
 * thousands of senders, those that have been silent for the longest time are forgotten.
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

/* Records a post that came in. Returns false if the post has come before. `*missed` gets how many posts are missing
 * just before this one. */
bool herald_net_senders_note(struct herald_net_senders *senders, HeraldNameRef name, uint64_t sender, uint64_t sequence,
                             uint64_t *missed);

/* Forgets the names that are not observed any more. Posts that do not come while a name is not observed are no loss. */
void herald_net_senders_forget(struct herald_net_senders *senders,
                               bool (*is_observed)(void *context, HeraldNameRef name), void *context);
HERALD_END
#endif
