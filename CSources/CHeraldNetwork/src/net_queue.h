/* The queue: posts that wait to be handed to libnats.
 *
 * A post counts as taken (accepted from its poster) as soon as it is in the queue. The queue is limited in bytes, and
 * refuses a post that would exceed its limit. So posters never wait, and memory is bounded.
 */
#ifndef HERALD_NET_QUEUE_H
#define HERALD_NET_QUEUE_H

#include "outlet.h"
#include <nats/nats.h>

/* An outgoing post. */
struct herald_net_outgoing {
    struct herald_net_outgoing *next;
    natsMsg *message;
    HeraldNameRef name;
    uint64_t sequence;
    size_t size; /* bytes that count towards the limit */
    bool immediate, is_message;
};

struct herald_net_queue {
    struct herald_net_outgoing *first, **last;
    size_t bytes, limit;
    uint64_t count;
    uint64_t taken; /* how many posts were ever put into the queue */
    /* How many of the taken posts have left the queue for good: libnats has accepted or refused them, or the center has
     * ended. */
    uint64_t gone;
};

HERALD_BEGIN
void herald_net_queue_create(struct herald_net_queue *queue, size_t limit);

/* Makes an outgoing post. `message` is NULL for a plain post. Returns NULL when memory is out. */
struct herald_net_outgoing *herald_net_outgoing_create(HeraldNameRef name, const char *subject,
                                                       const HeraldMessage *message, unsigned options);
/* Writes the header Herald-Post, with the sender and the post's number. Then the post can be sent. False when memory is
 * out. */
bool herald_net_outgoing_sign(struct herald_net_outgoing *outgoing, uint64_t sender);
void herald_net_outgoing_destroy(struct herald_net_outgoing *outgoing);

/* The next three are called under the center's lock. */

/* Puts a post into the queue and gives it the outlet's next number. False: there is no room. Then no number is used up,
 * so observers see no gap when the poster tries again. */
bool herald_net_queue_put(struct herald_net_queue *queue, struct herald_net_outgoing *outgoing,
                          struct herald_net_outlet *outlet);
/* Gives back posts that herald_net_queue_take has taken out: puts them in front of all others. */
void herald_net_queue_give_back(struct herald_net_queue *queue, struct herald_net_outgoing *outgoing);
/* Takes out the oldest posts: at most `bytes` bytes together, but at least one post. NULL: the queue is empty. The
 * caller later gives each post back, or counts it in `gone`. */
struct herald_net_outgoing *herald_net_queue_take(struct herald_net_queue *queue, size_t bytes);
HERALD_END
#endif
