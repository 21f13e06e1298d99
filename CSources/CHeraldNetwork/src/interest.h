/* An interest: a subject that this process wants to hear. A wide interest includes all subjects below it.
 *
 * When interests overlap, only the widest has a subscription, so that each post comes in once (R2).
 */
#ifndef HERALD_NET_INTEREST_H
#define HERALD_NET_INTEREST_H

#include "ground_table.h"
#include "net_platform.h"
#include <nats/nats.h>

struct herald_net_interest {
    struct herald_net_interest *next_dirty; /* in the list `dirty`: interests to look at */
    uint64_t version;                       /* of the newest change that was noted (transport.h) */
    bool wanted;                            /* it has observers here */
    bool wide;                              /* all subjects below `subject`, which has no ".>" at its end */
    bool dirty;
    bool denied;            /* the server does not allow the subscription: the interest covers nothing */
    bool ends;              /* its subscription was stopped: it still delivers what it has received, and nothing more */
    uint64_t ends_after;    /* the number of the flush after which the server knows the replacement; 0: none */
    uint64_t ends_at;       /* the time at which its subscription may end, after that flush; 0: the flush is not over */
    natsSubscription *own;  /* its subscription, or NULL; only the loop changes it, under the center's lock */
    uint64_t dropped, told; /* posts that its subscription has dropped; how many of them were reported */
    uint64_t doubled;       /* dropped posts that another subscription brought: these are no loss */
    bool is_doubled;        /* the server has confirmed that other subscriptions bring all that its own brings */
    uint32_t hash;
    size_t length;
    char subject[];
};

struct herald_net_interests {
    struct ground_table all; /* ground_table_destroy frees it */
    uint32_t wide;           /* how many wide ones are wanted */
    struct herald_net_interest *dirty;
    uint64_t dropped; /* posts that ended subscriptions had dropped */
};

/* For a subscription that should end: do other subscriptions bring those of its posts that are still wanted? VACANT:
 * none are wanted any more. TAKEN: yes, all of them. AWAITED: not yet. */
enum herald_net_place { HERALD_NET_VACANT, HERALD_NET_TAKEN, HERALD_NET_AWAITED };

/* What follows `subject` in the text of the interest's subscription. */
static inline const char *herald_net_interest_wildcard(const struct herald_net_interest *interest) {
    if (!interest->wide) return "";
    return interest->length ? ".>" : ">";
}

HERALD_BEGIN
void herald_net_interests_create(struct herald_net_interests *interests);
/* All functions below are called under the center's lock. */

/* Finds or makes an interest; NULL when memory is out. A new one is not wanted. */
struct herald_net_interest *herald_net_interests_obtain(struct herald_net_interests *interests, const char *subject,
                                                        bool wide);
/* Notes whether the interest is wanted, unless `version` is older than one that was noted before. */
void herald_net_interest_want(struct herald_net_interests *interests, struct herald_net_interest *interest,
                              bool is_wanted, uint64_t version);
struct herald_net_interest *herald_net_interests_find(const struct herald_net_interests *interests, const char *subject,
                                                      size_t length, bool wide);
/* Whether a subject is wanted and allowed, by an interest of its own or by a wider one. */
bool herald_net_interests_hear(const struct herald_net_interests *interests, const char *subject);
/* Records that the server does not allow the subscription with this text. */
void herald_net_interests_deny(struct herald_net_interests *interests, const char *text);
/* Called when the connection, and so each subscription, has ended. Puts all interests on the list of those to look at.
 * Denied interests may be tried again. */
void herald_net_interests_lose_all(struct herald_net_interests *interests);
/* Called when other subscriptions bring all that the interest's own brings. Posts that its own subscription drops from
 * now on are no loss. */
void herald_net_interest_note_double(struct herald_net_interest *interest);
/* Called when the interest's own subscription does not end for now, or does not exist. Undoes
 * herald_net_interest_note_double, and resets `ends_after` and `ends_at`. */
void herald_net_interest_go_on(struct herald_net_interest *interest);
/* Takes its subscription away from the interest, counts the posts that the subscription has dropped, and puts the
 * interest on the list of those to look at. The caller destroys the subscription, which is returned; NULL: there was
 * none. */
natsSubscription *herald_net_interest_end(struct herald_net_interests *interests, struct herald_net_interest *interest);
/* How many posts the interest's subscription has dropped since the last report. */
uint64_t herald_net_interest_tell_dropped(struct herald_net_interest *interest);
/* How many posts the subscriptions have dropped. */
uint64_t herald_net_interests_dropped(const struct herald_net_interests *interests);

/* Puts an interest on the list of those to look at. */
void herald_net_interest_look_at(struct herald_net_interests *interests, struct herald_net_interest *interest);
/* Whether the interest should have a subscription of its own: it is wanted and allowed, and no wider one is. */
bool herald_net_interest_needs_own(const struct herald_net_interests *interests,
                                   const struct herald_net_interest *interest);
/* Whether the posts of a subject come in by a subscription that has been made on this connection, or the server does
 * not allow one. */
bool herald_net_interests_stand(const struct herald_net_interests *interests, const char *subject);
enum herald_net_place herald_net_interest_place(struct herald_net_interests *interests,
                                                const struct herald_net_interest *interest);
/* Frees an interest that nobody wants, that has no subscription, and that is on no list. Called by the loop. */
void herald_net_interests_forget(struct herald_net_interests *interests, struct herald_net_interest *interest);
HERALD_END
#endif
