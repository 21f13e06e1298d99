/* An interest: a subject, perhaps with everything below it, that this process wants to hear.
 *
 * When interests overlap, only the widest has a subscription, so that each post comes in once (R2).
 */
#ifndef HERALD_NET_INTEREST_H
#define HERALD_NET_INTEREST_H

#include "net_platform.h"
#include <nats/nats.h>

struct herald_net_interest {
    struct herald_net_interest *next;       /* in its chain */
    struct herald_net_interest *next_dirty; /* in the list of those to look at */
    struct herald_net_interest *next_work;  /* in a list of the loop's */
    uint32_t wants;                         /* registrations, or names, that want it */
    bool wide;                              /* everything below `subject`, which is without the ".>" */
    bool dirty;
    bool in_work;           /* it is in a list of the loop's */
    bool denied;            /* the server does not allow it: it has no subscription, and covers nothing */
    bool ends;              /* its subscription delivers what it has received already, and no more */
    uint64_t ends_after;    /* after the flush with this number the server knows the replacement; 0: none */
    uint64_t ends_at;       /* when its subscription may end, a while after that flush; 0: that flush is not over */
    natsSubscription *own;  /* NULL: none; changed by the loop alone, under the center's lock */
    uint64_t dropped, told; /* posts that its subscription is known to have dropped; how many of them were reported */
    uint64_t doubled; /* posts that its subscription has dropped while another brought them, too: these are no loss */
    bool is_doubled;  /* the server has confirmed that other subscriptions bring all that its own does */
    size_t length;
    char subject[];
};

struct herald_net_interests {
    struct herald_net_interest **chains;
    uint32_t room, count, wide;
    struct herald_net_interest *dirty;
    uint64_t dropped; /* posts that were dropped by subscriptions which have ended */
};

/* What the loop has to do for an interest. */
enum herald_net_duty { HERALD_NET_NO_DUTY, HERALD_NET_SUBSCRIBE, HERALD_NET_UNSUBSCRIBE };

/* For a subscription that is to end, whether others have taken over what it brings. VACANT: nobody wants it any more.
 * TAKEN: others bring all of it. AWAITED: they do not yet. */
enum herald_net_place { HERALD_NET_VACANT, HERALD_NET_TAKEN, HERALD_NET_AWAITED };

HERALD_BEGIN
/* All functions below, except herald_net_interests_destroy, are called under the center's lock. */

/* Counts one more that wants the subject; NULL when memory is out. */
struct herald_net_interest *herald_net_interest_want(struct herald_net_interests *interests, const char *subject,
                                                     bool wide);
void herald_net_interest_leave(struct herald_net_interests *interests, struct herald_net_interest *interest);
struct herald_net_interest *herald_net_interests_find(const struct herald_net_interests *interests, const char *subject,
                                                      size_t length, bool wide);
/* Whether posts to a subject come in. */
bool herald_net_interests_hear(const struct herald_net_interests *interests, const char *subject);
/* Notes that the server does not allow the subscription with this text. */
void herald_net_interests_deny(struct herald_net_interests *interests, const char *text);
/* The connection has ended, and with it all subscriptions: all are to be looked at, and those that were denied may be
 * tried again. */
void herald_net_interests_lose_all(struct herald_net_interests *interests);
/* Another subscription brings all that the interest's own does: from now on a post that the interest's own drops is no
 * loss. */
void herald_net_interest_note_double(struct herald_net_interest *interest);
/* The interest's own subscription does not end for now, or there is none. */
void herald_net_interest_go_on(struct herald_net_interest *interest);
/* The interest's own subscription is about to end: adds the posts that it has dropped to `interests->dropped`. */
void herald_net_interest_end_count(struct herald_net_interests *interests, struct herald_net_interest *interest);
/* How many posts the subscription with this text has dropped since the last report. */
uint64_t herald_net_interests_tell_dropped(struct herald_net_interests *interests, const char *text);
/* How many posts the subscriptions have dropped. */
uint64_t herald_net_interests_dropped(const struct herald_net_interests *interests);

/* Puts an interest on the list of those to look at. */
void herald_net_interest_look_at(struct herald_net_interests *interests, struct herald_net_interest *interest);
/* Takes interests off the list of those to look at, until one has this duty, and returns that one. Interests with
 * another duty go to the list `rest`; interests that nobody wants, and that have no subscription, are freed. */
struct herald_net_interest *herald_net_interests_take(struct herald_net_interests *interests, enum herald_net_duty duty,
                                                      struct herald_net_interest **rest);
enum herald_net_duty herald_net_interest_duty(const struct herald_net_interests *interests,
                                              const struct herald_net_interest *interest);
enum herald_net_place herald_net_interest_place(struct herald_net_interests *interests,
                                                const struct herald_net_interest *interest);

void herald_net_interests_destroy(struct herald_net_interests *interests);
HERALD_END
#endif
