/* Senders: for each sender and name, which posts this process has heard.
 *
 * A sender numbers its posts of a name without gaps, and they come in order. So a gap is a loss. A number that has come
 * before is the same post: it came by two subscriptions, or was sent again. The table is bounded. When it is full, a
 * new sender takes the place of one that has been silent for long.
 */
#ifndef HERALD_NET_SENDER_H
#define HERALD_NET_SENDER_H

#include "ground_table.h"
#include "net_platform.h"

struct herald_net_senders {
    struct ground_table all; /* ground_table_destroy frees it */
    uint32_t hand;           /* the place at which the last search for a silent sender stopped */
};

HERALD_BEGIN
void herald_net_senders_create(struct herald_net_senders *senders);

/* Records a post that came in. Returns false if the post has come before. `*missed` gets how many posts are missing
 * just before this one. */
bool herald_net_senders_note(struct herald_net_senders *senders, HeraldNameRef name, uint64_t sender, uint64_t sequence,
                             uint64_t *missed);

/* Forgets the names that are not observed any more. Posts that do not come while a name is not observed are no loss. */
void herald_net_senders_forget(struct herald_net_senders *senders,
                               bool (*is_observed)(void *context, HeraldNameRef name), void *context);
HERALD_END
#endif
