/* The plan of a post to a center that has a queue in use: which behaviors get the post now, for which ones it is
 * queued, and what must be done first.
 *
 * The plan is a pure function, so that all situations can be tested one by one (Tests/Plan). Behaviors are sets of
 * bits, one for each HeraldSuspensionBehavior.
 */
#ifndef HERALD_PLAN_H
#define HERALD_PLAN_H

#include "platform.h"

enum { HERALD_EVERY_BEHAVIOR = 0x1e /* bits 1 to 4 */ };

/* Whether the post has been held. That runs hooks outside the center's lock, so it is done only when the plan would
 * queue the post; then the post is planned again. */
enum herald_hold { HERALD_NOT_HELD, HERALD_HELD, HERALD_NOT_HOLDABLE /* no memory, or no room for a copy */ };

struct herald_situation {
    unsigned behaviors; /* of the registrations that match */
    bool immediately;   /* HeraldPostDeliverImmediately */
    bool borrowed;      /* the tag's userInfo lives only as long as the post: see HeraldTagOptions */
    bool suspended;
    bool draining;     /* a thread is delivering what is queued */
    bool ahead;        /* `draining`, and a delivery queued before the post began has not returned */
    bool own;          /* this thread is the one that delivers */
    bool inside;       /* the post is made in a callback or hook */
    bool stalled;      /* a thread has waited in vain */
    bool overtime;     /* too many posts have queued behind the thread that delivers */
    bool queued;       /* the queue is not empty */
    bool queued_older; /* `queued`, and the queue's first delivery was queued before the post began */
    enum herald_hold hold;
};

struct herald_plan {
    bool drain;     /* deliver what is queued, then plan again */
    bool wait;      /* wait until what is queued has been delivered, then plan again */
    bool hold;      /* hold the post, then plan again */
    unsigned queue; /* behaviors for which the post is queued */
    bool behind;    /* the post is queued behind a thread that delivers */
    unsigned lost;  /* behaviors for which the post is lost, and counted as dropped */
    unsigned now;   /* behaviors that get the post at once, on the posting thread */
};

HERALD_BEGIN
struct herald_plan herald_plan_post(const struct herald_situation *situation);
HERALD_END
#endif
