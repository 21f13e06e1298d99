/* The queue: posts that wait to be handed to libnats.
 *
 * A post counts as taken (accepted from its poster) as soon as it is in the queue. The queue is limited in bytes, and
 * refuses a post that would exceed its limit. So posters never wait, and memory is bounded.
 */
#ifndef HERALD_NET_QUEUE_H
#define HERALD_NET_QUEUE_H

#include "outlet.h"
#include "question.h"
#include <nats/nats.h>

/* An outgoing post. */
struct herald_net_outgoing {
    struct herald_net_outgoing *next;
    natsMsg *message;
    HeraldNameRef name;
    uint64_t sequence;
    size_t size; /* bytes that count towards the limit */
    bool immediate, is_message, is_letter;

    /* For a kept post, and for one that forgets what is kept: */
    char *subject; /* NULL: it is neither */
    bool is_forgetting;
    uint64_t number;                     /* by which its answer is known */
    uint64_t place;                      /* how many posts were put into the queue up to this one */
    uint64_t due;                        /* the time by which the answer must come; 0: it was not sent yet */
    struct herald_net_question *forgets; /* is told when what is kept has been forgotten; NULL: it was told */
    bool is_asked;                       /* whether something is kept, before that is forgotten */
    enum herald_net_turn turn;           /* of one that forgets */
    bool is_left; /* the center has ended while this was asked: the question about it destroys it (net_kept.c) */
};

/* Acknowledgements: kept posts that were sent, and for which the stream has not answered yet. There are
 * HERALD_NET_ACKS_MOST at most: further kept posts wait in the queue. */
enum { HERALD_NET_ACKS_MOST = 4096 };

struct herald_net_acks {
    struct herald_net_outgoing *first, **last; /* in the order in which they were sent */
    uint32_t count;
};

struct herald_net_queue {
    struct herald_net_outgoing *first, **last;
    struct herald_net_outgoing *in_hand; /* the oldest posts; only the loop uses this list, from which it sends */
    size_t bytes, limit;                 /* `bytes`: of all posts that have not gone */
    uint64_t kept_at;     /* `taken` when the newest post that the stream answers was put into the queue */
    uint64_t taken, gone; /* how many posts were ever put into the queue; how many of them have left it for good */
};

HERALD_BEGIN
/* Makes an outgoing post. `message` is NULL for a plain post. Returns NULL when memory is out. */
struct herald_net_outgoing *herald_net_outgoing_create(HeraldNameRef name, const char *subject,
                                                       const HeraldMessage *message, unsigned options);
/* Makes a kept post, or if `message` is NULL, one that forgets what is kept. JetStream answers to `reply`. */
struct herald_net_outgoing *herald_net_outgoing_create_kept(HeraldNameRef name, const char *subject, const char *reply,
                                                            const HeraldMessage *message, unsigned options);
/* Makes a letter's post (letter.h). The stream answers to `reply`, and knows a repeat by `id`. */
struct herald_net_outgoing *herald_net_outgoing_create_letter(HeraldNameRef name, const char *subject,
                                                              const char *reply, const char *id,
                                                              const HeraldMessage *message);
/* Writes the header Herald-Post, with the sender and the post's number. Then the post can be sent. False when memory is
 * out. */
bool herald_net_outgoing_sign(struct herald_net_outgoing *outgoing, uint64_t sender);
void herald_net_outgoing_destroy(struct herald_net_outgoing *outgoing);

/* Under the center's lock: puts a post into the queue and gives it the outlet's next number, if there is an outlet.
 * False: there is no room. Then no number is used up, so observers see no gap when the poster tries again. */
bool herald_net_queue_put(struct herald_net_queue *queue, struct herald_net_outgoing *outgoing,
                          struct herald_net_outlet *outlet);
/* Called by the loop, under the center's lock: takes all posts in hand, unless some are in hand already. */
void herald_net_queue_take(struct herald_net_queue *queue);
/* Called by the loop: takes the oldest post in hand out of the queue; the caller owns it. The caller subtracts its
 * bytes, and counts it in `gone`. */
struct herald_net_outgoing *herald_net_queue_take_one(struct herald_net_queue *queue);
/* Called by the loop: destroys the oldest post in hand. The caller subtracts its bytes, and counts it in `gone`. */
void herald_net_queue_drop(struct herald_net_queue *queue);
HERALD_END
#endif
