/* The queue of a center: the posts that the center holds for registrations while it is suspended, or while a thread
 * delivers held posts (R16). suspension.c decides when to fill and drain the queue. Nothing here runs user code.
 *
 * A delivery is one held post for one registration. All deliveries of one post share one held post. The deliveries for
 * all registrations are one list, in posting order. The deliveries for one registration are its lane.
 */
#ifndef HERALD_QUEUE_H
#define HERALD_QUEUE_H

#include "ground_table.h"
#include "slot.h"

struct herald_held;

/* The deliveries for one registration. */
struct herald_lane {
    struct herald_slot *slot;
    struct herald_delivery *first, *last;
    uint64_t count; /* deliveries */
};

struct herald_delivery {
    struct herald_delivery *next, *previous;           /* in the queue */
    struct herald_delivery *lane_next, *lane_previous; /* in the lane */
    struct herald_lane *lane;
    struct herald_held *held;
    uint64_t number;
    bool coalesces;
};

/* All of it belongs to the center's lock. */
struct herald_queue {
    bool suspended;   /* atomic */
    uint64_t dropped; /* atomic: deliveries lost to the limit, or to a lack of memory */
    struct herald_delivery *first, *last;
    uint64_t count;                /* how many deliveries the list from `first` to `last` has */
    struct ground_table lanes;     /* found by slot */
    struct ground_table coalesced; /* deliveries that coalesce, found by slot, name and object */
    uint64_t newest;               /* number of the newest delivery */
    uint64_t newest_immediate;     /* number of the newest delivery for a DeliverImmediately registration */
    uint64_t until;                /* a drain of a suspended center goes up to this number */
    const void *drainer;           /* &herald_self of the thread that is delivering, or NULL */
    /* While there is a drainer (backlog.h): */
    uint64_t target;                 /* the drainer goes up to this number before it hands over to a waiting thread */
    struct herald_delivery *in_hand; /* the delivery that the drainer is making, or NULL */
    uint64_t returns;                /* deliveries that have returned so far */
    uint64_t behind;                 /* posts of other threads that have queued since the drain began */
    bool stalled;                    /* a thread has waited in vain, and no delivery has returned since */
    struct herald_waiter *waiting;   /* the waiting threads, ordered by the numbers up to which they wait */
};

/* Whether posts must look at the queue. */
static inline bool herald_queue_is_needed(const struct herald_queue *queue) {
    return queue->suspended || queue->first || queue->drainer;
}

HERALD_BEGIN
/* Adds a delivery behind all others. If the registration has `limit` deliveries already, its oldest is dropped. A held
 * post that thereby loses its last reference is added to the list `unused`. Returns false when memory is out. */
bool herald_queue_add(struct herald_queue *queue, struct herald_slot *slot, struct herald_held *held, uint64_t limit,
                      struct herald_held **unused);

/* Takes the first delivery into the drainer's hand. Returns its held post, and stores its registration's slot in
 * `slot`. */
struct herald_held *herald_queue_take_first(struct herald_queue *queue, struct herald_slot **slot);

/* Forgets the deliveries for a slot. Returns false when there were none. */
bool herald_queue_forget_held(struct herald_queue *queue, const struct herald_slot *slot, struct herald_held **unused);
static inline bool herald_queue_forget(struct herald_queue *queue, const struct herald_slot *slot,
                                       struct herald_held **unused) {
    return herald_unlikely(queue->first != NULL) && herald_queue_forget_held(queue, slot, unused);
}

/* Returns how many posts the queue holds for a slot. */
uint64_t herald_queue_count_for(const struct herald_queue *queue, const struct herald_slot *slot);

/* Makes an empty queue of zeroed memory. */
void herald_queue_create(struct herald_queue *queue);
/* Frees an empty queue's tables. */
void herald_queue_destroy(struct herald_queue *queue);
HERALD_END
#endif
