/* The plan of a post to a center whose queue is in use: which behaviors get the post now, for which behaviors it is
 * queued, and what must be done first. A behavior stands for the registrations that have it. A set of behaviors has one
 * bit for each HeraldSuspensionBehavior.
 *
 * The plan is a pure function, so that Tests/Plan can test every situation.
 */
#ifndef HERALD_PLAN_H
#define HERALD_PLAN_H

#include "platform.h"

enum { HERALD_EVERY_BEHAVIOR = 0x1e /* bits 1 to 4 */ };

/* Whether the post has been held. Holding runs hooks, so it happens outside the center's lock, and only if the plan
 * wants to queue the post. After that the post is planned again. */
enum herald_hold { HERALD_NOT_HELD, HERALD_HELD, HERALD_NOT_HOLDABLE /* no memory, or no room for a copy */ };

struct herald_situation {
    unsigned behaviors; /* those of the registrations that match */
    bool immediately;   /* HeraldPostDeliverImmediately */
    bool borrowed;      /* the tag's userInfo lives only as long as the post: see HeraldTagOptions */
    bool suspended;
    bool draining;     /* a thread is delivering what is queued */
    bool ahead;        /* a delivery queued before the post began has not returned; read only if `draining` */
    bool own;          /* this thread is the one that delivers */
    bool inside;       /* the post is made in a callback or hook */
    bool stalled;      /* a thread has waited in vain for a delivery to return */
    bool overtime;     /* too many posts have queued behind the thread that delivers */
    bool queued;       /* the queue is not empty */
    bool queued_older; /* `queued`, and the first delivery was queued before the post began */
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
