/* The queue of a center: posts that it holds for registrations while it is suspended, or while a thread delivers what
 * was held (R16). When it is filled and drained is decided in suspension.c; nothing here runs user code.
 *
 * A held post is shared by its deliveries, one for each registration that is to get it. The deliveries of all
 * registrations are one list, in posting order; those of one registration are its lane.
 */
#ifndef HERALD_QUEUE_H
#define HERALD_QUEUE_H

#include "chains.h"
#include "slot.h"

struct herald_held {
    struct herald_held *next; /* in a list of those that are to be released */
    uint64_t references;      /* center's lock: its deliveries, and the thread that has it in hand */
    HeraldNameRef name;
    const void *object;   /* as the hooks retained it, or NULL */
    const void *posted;   /* the object as it was posted: an address to compare */
    const char *text;     /* compared with it: what a message is about that has no such address; in userInfo, or NULL */
    uint64_t about;       /* a hash of both, which decides nothing */
    const void *userInfo; /* likewise retained, or NULL */
    const void *tag;
    void (*releaseUserInfo)(const void *);
    void (*releaseObject)(const void *);
};

/* What is held for one registration. */
struct herald_lane {
    struct herald_chain chain; /* first */
    struct herald_slot *slot;
    struct herald_delivery *first, *last;
    uint64_t count; /* deliveries */
};

struct herald_delivery {
    struct herald_chain chain;                         /* first; in `coalesced` */
    struct herald_delivery *next, *previous;           /* in the queue */
    struct herald_delivery *lane_next, *lane_previous; /* in the lane */
    struct herald_lane *lane;
    struct herald_held *held;
    uint64_t number;
    bool coalesces;
};

/* Center's lock, all of it. */
struct herald_queue {
    bool suspended;   /* atomic */
    uint64_t dropped; /* atomic: deliveries lost to the limit, or to a lack of memory */
    struct herald_delivery *first, *last;
    uint64_t count;                 /* of them */
    struct herald_chains lanes;     /* slot -> its lane */
    struct herald_chains coalesced; /* (slot, name, object) -> the delivery held for it */
    uint64_t newest;                /* number of the newest delivery */
    uint64_t newest_immediate;      /* and of the newest one for a DeliverImmediately registration */
    uint64_t until;                 /* a drain of a suspended center goes this far */
    const void *drainer;            /* &herald_self of the thread that is delivering, or NULL */
    /* While there is one: see backlog.h. */
    uint64_t target;                 /* it goes this far before it hands over to a thread that waits */
    struct herald_delivery *in_hand; /* it has not returned; or NULL */
    uint64_t returns;                /* of deliveries, so far */
    uint64_t behind;                 /* posts that have queued since the drain began */
    bool stalled;                    /* a thread has waited for a return in vain, and there has been none since */
    struct herald_waiter *waiting;   /* by what they wait for */
};

/* Whether posts must look at the queue. */
static inline bool herald_queue_is_needed(const struct herald_queue *queue) {
    return queue->suspended || queue->first || queue->drainer;
}

HERALD_BEGIN
/* Adds a delivery behind all others; at most `limit` are held for one registration, and the oldest goes. A held post
 * that this makes unused joins the list `unused`. False when memory is out. */
bool herald_queue_add(struct herald_queue *queue, struct herald_slot *slot, struct herald_held *held, uint64_t limit,
                      struct herald_held **unused);

/* Takes the first delivery into the drainer's hand: what it holds, and for whom. */
struct herald_held *herald_queue_take_first(struct herald_queue *queue, struct herald_slot **slot);
/* It has returned, or has been left: the held post, of which the caller gives up the reference. */
struct herald_held *herald_queue_put_back(struct herald_queue *queue);

/* Forgets what is held for a slot; false when there was nothing. Or for all. */
bool herald_queue_forget_held(struct herald_queue *queue, const struct herald_slot *slot, struct herald_held **unused);
static inline bool herald_queue_forget(struct herald_queue *queue, const struct herald_slot *slot,
                                       struct herald_held **unused) {
    return herald_unlikely(queue->first != NULL) && herald_queue_forget_held(queue, slot, unused);
}
void herald_queue_forget_all(struct herald_queue *queue, struct herald_held **unused);

/* How many posts it holds for a slot. */
uint64_t herald_queue_count_for(const struct herald_queue *queue, const struct herald_slot *slot);

/* Gives up a reference; with the last one the held post joins the list `unused`. */
void herald_held_unuse(struct herald_held *held, struct herald_held **unused);

/* Frees an empty queue's tables. */
void herald_queue_destroy(struct herald_queue *queue);
HERALD_END
#endif
