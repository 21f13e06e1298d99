/* The plan of a post to a center whose queue counts: who gets it now, for whom it is queued, what must come first.
 *
 * A pure function, so that all situations can be tested one by one (Tests/Plan). Behaviors are sets of bits, one for
 * each HeraldSuspensionBehavior.
 */
#ifndef HERALD_PLAN_H
#define HERALD_PLAN_H

#include "platform.h"

enum { HERALD_EVERY_BEHAVIOR = 0x1e /* bits 1 to 4 */ };

/* Whether the post has been held: it is, when it is to be queued, by hooks that run without the center's lock. */
enum herald_hold { HERALD_NOT_HELD, HERALD_HELD, HERALD_NOT_HOLDABLE /* there was no memory */ };

struct herald_situation {
    unsigned behaviors; /* of the registrations that match */
    bool immediately;   /* HeraldPostDeliverImmediately */
    bool borrowed;      /* the tag's userInfo lives only as long as the post: see HeraldTagOptions */
    bool suspended;
    bool draining;     /* some thread is delivering what is queued */
    bool ahead;        /* and what was queued when the post began has not all returned */
    bool own;          /* it is this thread */
    bool inside;       /* the post is made in a callback or hook */
    bool stalled;      /* waiting has been in vain */
    bool overtime;     /* too many posts have queued behind that thread */
    bool queued;       /* the queue is not empty */
    bool queued_older; /* and its first delivery was there before the post began */
    enum herald_hold hold;
};

struct herald_plan {
    bool drain;     /* first deliver what is queued, and plan again */
    bool wait;      /* first wait until what is queued has been delivered, and plan again */
    bool hold;      /* first hold the post, and plan again */
    unsigned queue; /* behaviors for which it is queued */
    bool behind;    /* not only because the center is suspended */
    unsigned lost;  /* behaviors that it is lost for, and counted */
    unsigned now;   /* behaviors that get it on the posting thread */
};

HERALD_BEGIN
struct herald_plan herald_plan_post(const struct herald_situation *situation);
HERALD_END
#endif
