/* What a suspended center keeps (R16): a queue of deliveries, in posting order. */
#ifndef HERALD_SUSPENSION_H
#define HERALD_SUSPENSION_H

#include "chains.h"
#include "slot.h"

struct herald_post;
struct herald_held;
struct herald_delivery;

/* Center's lock, all of it. */
struct herald_queue {
    struct herald_delivery *first, *last;
    struct herald_chains lanes;     /* slot -> what is kept for it */
    struct herald_chains coalesced; /* (slot, name, object) -> the delivery kept for it */
    uint64_t newest;                /* number of the newest delivery */
    uint64_t newest_at_once;        /* and of the newest one for somebody who hears at once */
    uint64_t until;                 /* a drain of a suspended center goes this far */
    const void *drainer;            /* &herald_self of the thread that is delivering, or NULL */
};

HERALD_BEGIN
/* Under the center's lock: whether posts must look at the queue. */
bool herald_suspension_is_needed(HeraldCenterRef center);

/* A post to a center whose queue counts. */
size_t herald_suspension_post(const struct herald_post *post, unsigned options);

/* Under the center's lock: forgets what is kept for a slot, or for all. What must be given back comes as a list, for
 * herald_suspension_free with no lock held. */
void herald_suspension_drop(HeraldCenterRef center, struct herald_slot *slot, struct herald_held **unused);
struct herald_held *herald_suspension_drop_all(HeraldCenterRef center);
void herald_suspension_free(struct herald_held *unused);

void herald_suspension_destroy(HeraldCenterRef center);
void herald_suspension_after_fork(HeraldCenterRef center);
HERALD_END
#endif
