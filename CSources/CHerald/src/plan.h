/* The plan of a post to a center that has a queue in use: which behaviors get it now, for which it is queued, and what
 * must be done first.
 *
 * The plan is a pure function, so that all situations can be tested one by one (Tests/Plan). Behaviors are sets of
 * bits, one for each HeraldSuspensionBehavior.
 */
#ifndef HERALD_PLAN_H
#define HERALD_PLAN_H

#include "platform.h"

enum { HERALD_EVERY_BEHAVIOR = 0x1e /* bits 1 to 4 */ };

/* Whether the post has been held. Hooks hold it when it is to be queued, and they run without the center's lock. */
enum herald_hold { HERALD_NOT_HELD, HERALD_HELD, HERALD_NOT_HOLDABLE /* no memory, or no room for a copy */ };

struct herald_situation {
    unsigned behaviors; /* of the registrations that match */
    bool immediately;   /* HeraldPostDeliverImmediately */
    bool borrowed;      /* the tag's userInfo lives only as long as the post: see HeraldTagOptions */
    bool suspended;
    bool draining;     /* a thread is delivering what is queued */
    bool ahead;        /* and a delivery that was queued when the post began has not returned */
    bool own;          /* this thread is the one that delivers */
    bool inside;       /* the post is made in a callback or hook */
    bool stalled;      /* a thread has waited in vain */
    bool overtime;     /* too many posts have queued behind the thread that delivers */
    bool queued;       /* the queue is not empty */
    bool queued_older; /* and its first delivery was queued before the post began */
    enum herald_hold hold;
};

struct herald_plan {
    bool drain;     /* deliver what is queued, then plan again */
    bool wait;      /* wait until what is queued has been delivered, then plan again */
    bool hold;      /* hold the post, then plan again */
    unsigned queue; /* behaviors for which the post is queued */
    bool behind;    /* it is queued behind a thread that delivers */
    unsigned lost;  /* behaviors for which it is lost, and counted */
    unsigned now;   /* behaviors that get it on the posting thread */
};

HERALD_BEGIN
struct herald_plan herald_plan_post(const struct herald_situation *situation);
HERALD_END
#endif
