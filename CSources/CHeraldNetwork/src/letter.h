/* Letters: messages whose poster is told when a stream has stored them (HeraldNetworkStoreMessage).
 *
 * A letter is sent with a header Nats-Msg-Id, by which the stream knows a repeat, and again until the stream has
 * answered. Of each name one letter is under way at a time, the foremost. So the stream has a name's letters in the
 * order in which they were posted, whatever happens to one of them on the way, and their posters are told in this
 * order.
 */
#ifndef HERALD_NET_LETTER_H
#define HERALD_NET_LETTER_H

#include "net_queue.h"

struct herald_net_letter {
    struct herald_net_letter *next, **link; /* in the list of the foremost; `next`: in the list of those to be told */
    struct herald_net_letter *behind;       /* the next letter of the same name */
    struct herald_net_outlet *outlet;
    struct herald_net_outgoing *post;
    uint64_t number;        /* counts a center's letters; its answer and its Nats-Msg-Id have it */
    uint64_t place;         /* how many posts were put into the queue before it: they are sent first */
    uint64_t due, again_at; /* the time by which it must be stored; the time at which it is sent again */
    uint64_t sent_at;       /* the time at which it was sent last; 0: never */
    uint64_t asked_at;      /* the time at which the server was asked which stream has its subject; 0: never */
    uint64_t pause;         /* how soon it is sent again after the server has said that no stream is there now */
    bool has_stream;        /* the server has said that a stream has its subject */
    bool is_unheard;        /* the server has said that nobody hears this letter, or another one */
    bool is_stored;
    uint64_t sequence; /* as the stream has stored it */
    char reason[256];  /* why it is not stored yet, or not at all; "": not known */
    void (*told)(void *context, HeraldStatus status, uint64_t sequence);
    void *context;
};

struct herald_net_letters {
    struct herald_net_letter *foremost, **end;  /* of each name that has letters; the newest is the last */
    struct herald_net_letter *over, **over_end; /* those whose `told` is still to be called, in order */
    struct ground_table numbered;               /* all but those that are over */
    _Atomic uint64_t newest;                    /* the newest one's number */
    uint64_t taken, sent, refused; /* how many were taken, how many of them sent, and how many not stored */
};

HERALD_BEGIN
void herald_net_letters_create(struct herald_net_letters *letters);
/* The letter with this number, if it is under way and was sent; or NULL. */
struct herald_net_letter *herald_net_letters_find(const struct herald_net_letters *letters, uint64_t number);
void herald_net_letter_destroy(struct herald_net_letter *letter);
HERALD_END
#endif
