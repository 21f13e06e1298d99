/* An interest: a subject, perhaps with everything below it, that somebody here wants to hear.
 *
 * Of interests that overlap the widest alone is to have a subscription, so that each post comes in once (R2).
 */
#ifndef HERALD_NETWORK_INTEREST_H
#define HERALD_NETWORK_INTEREST_H

#include "net_platform.h"
#include <nats/nats.h>

struct herald_net_interest {
    struct herald_net_interest *next;       /* in its chain */
    struct herald_net_interest *next_dirty; /* loop's list of those to look at */
    struct herald_net_interest *next_work;  /* loop's */
    uint32_t wants;                         /* registrations, or names, that want it */
    bool wide;                              /* everything below `subject`, which is without the ".>" */
    bool dirty;
    bool in_work;           /* loop's: it is in a list by `next_work` */
    bool denied;            /* the server has said no: it has no subscription, and covers nothing */
    bool ends;              /* its subscription brings what it has brought already, and no more */
    uint64_t ends_after;    /* the number of a flush: the wider subscription is known to the server then; 0: none */
    uint64_t ends_at;       /* and a while after that; 0: not yet */
    natsSubscription *own;  /* NULL: it has none; the loop's, and readable under the center's lock */
    uint64_t dropped, told; /* posts that its subscription has dropped, as far as it is known; and those told of */
    uint64_t doubled;       /* and those that it has dropped while another brought them, too: they count nothing */
    bool is_doubled;        /* another brings all that it brings, as the server has said */
    size_t length;
    char subject[];
};

struct herald_net_interests {
    struct herald_net_interest **chains;
    uint32_t room, count, wide;
    struct herald_net_interest *dirty;
    uint64_t dropped; /* by subscriptions that have ended */
};

/* What there is to do for one. */
enum herald_net_duty { HERALD_NET_NO_DUTY, HERALD_NET_SUBSCRIBE, HERALD_NET_UNSUBSCRIBE };

/* Whether others have taken over what a subscription brings that should not be any more. */
enum herald_net_place { HERALD_NET_VACANT, HERALD_NET_TAKEN, HERALD_NET_AWAITED };

HERALD_BEGIN
/* Under the center's lock, all of these. Adds one that wants it; NULL when memory is out. */
struct herald_net_interest *herald_net_interest_want(struct herald_net_interests *interests, const char *subject,
                                                     bool wide);
void herald_net_interest_leave(struct herald_net_interests *interests, struct herald_net_interest *interest);
struct herald_net_interest *herald_net_interests_find(const struct herald_net_interests *interests, const char *subject,
                                                      size_t length, bool wide);
/* Whether posts to a subject come in. */
bool herald_net_interests_hear(const struct herald_net_interests *interests, const char *subject);
/* The server does not allow the subscription with this text. */
void herald_net_interests_deny(struct herald_net_interests *interests, const char *text);
/* The connection has ended, and with it all subscriptions: all are to be looked at, and may be asked for again. */
void herald_net_interests_lose_all(struct herald_net_interests *interests);
/* Another subscription brings all that its own does: from now on what its own drops is no loss. */
void herald_net_interest_note_double(struct herald_net_interest *interest);
/* Its own does not end for the time being, or there is none. */
void herald_net_interest_go_on(struct herald_net_interest *interest);
/* Its subscription is about to end: what that has dropped is added to the others'. */
void herald_net_interest_end_count(struct herald_net_interests *interests, struct herald_net_interest *interest);
/* How many posts the subscription with this text has dropped since that was told last. */
uint64_t herald_net_interests_tell_dropped(struct herald_net_interests *interests, const char *text);
/* How many posts the subscriptions have dropped. */
uint64_t herald_net_interests_dropped(const struct herald_net_interests *interests);

/* An interest is to be looked at. */
void herald_net_interest_look_at(struct herald_net_interests *interests, struct herald_net_interest *interest);
/* Takes the next of those to look at that has this duty; those with another go to the list `rest`, and those that
 * nobody wants are freed. */
struct herald_net_interest *herald_net_interests_take(struct herald_net_interests *interests, enum herald_net_duty duty,
                                                      struct herald_net_interest **rest);
enum herald_net_duty herald_net_interest_duty(const struct herald_net_interests *interests,
                                              const struct herald_net_interest *interest);
enum herald_net_place herald_net_interest_place(struct herald_net_interests *interests,
                                                const struct herald_net_interest *interest);

void herald_net_interests_destroy(struct herald_net_interests *interests);
HERALD_END
#endif
