/* A follower: a registration that begins with what is kept (HeraldStartKept, R25). After that it hears each kept post
 * once, in order, one call at a time.
 *
 * What a follower has still to hear is its lane: what is `ahead`, then the links of its chain (kept.h) from its place
 * on. A lane has an owner, the thread that delivers it. A thread that posts, and finds the lane owned, leaves the post
 * to the owner. Over a transport, nothing is taken out of the lane before the transport has handed in what the follower
 * begins with (carried.c). Everything belongs to the center's lock.
 */
#ifndef HERALD_FOLLOWER_H
#define HERALD_FOLLOWER_H

#include "call.h"
#include "found.h"
#include "kept.h"
#include "known.h"

/* The argument of the registration's hook releaseObject. */
struct herald_follower {
    struct herald_follower *next, **link; /* in its chain's list */
    struct herald_slot *slot;
    struct herald_cell *cell;  /* with its chain; NULL: it has not begun, or it was removed */
    struct herald_link *place; /* in the chain; NULL: it is blocked, and is in none */
    uint64_t passed;           /* what the chain's count was for its place */
    /* Posts that are delivered before those in the chain. First what it begins with, then, if it skips posts, what it
     * still hears of a long chain. Of each array those from `..._at` on are left. */
    struct herald_held **start, **ahead; /* NULL: there are none */
    uint32_t start_count, start_at, ahead_count, ahead_at;
    bool begins;                 /* it has not heard all that it begins with, or `began` is still to be called */
    bool waits;                  /* the center's transport has still to hand in what it begins with (carried.c) */
    HeraldStatus status;         /* for `began`. If it is not HeraldOK, the follower may begin again */
    struct herald_known known;   /* over a transport: what it need not hear again */
    uint64_t until;              /* kept posts up to this number are delivered even while the center is suspended */
    const void *owner;           /* &herald_self of the thread that delivers; NULL: none */
    uint32_t newer;              /* how many posts the owner has delivered that were kept after its own */
    struct herald_turn *turns;   /* threads that wait for the lane */
    struct herald_held *in_hand; /* the post that the owner is delivering */
    struct herald_held *unused;  /* posts that the owner is to free, after the call */
    void (*began)(void *observer, size_t kept, HeraldStatus status);
    /* The user's, for its end: */
    const void *object;
    void (*releaseObject)(const void *object);
};

HERALD_BEGIN
/* Takes what the registration of a follower needs: its cell, the chain's end, memory for what it begins with. Returns
 * false when memory is out. Undone by herald_follower_give_back. */
bool herald_follower_prepare(HeraldCenterRef center, struct herald_follower *follower, HeraldNameRef name,
                             const void *object);
void herald_follower_give_back(HeraldCenterRef center, struct herald_follower *follower);

/* Begins to follow, under the same hold of the lock as prepare: takes what is kept, and a place at the chain's end.
 * This thread owns the lane, unless the follower waits. */
void herald_follower_begin(HeraldCenterRef center, struct herald_follower *follower, struct herald_slot *slot);

/* Calls the new follower with what it begins with, under no lock. */
void herald_follower_start(HeraldCenterRef center, uint64_t registration);

/* Under the center's lock: a follower is being blocked. It leaves its chain, so that what is kept from now on is not
 * kept for it. It still has to hear what was kept before. A follower that has still to begin stays in its chain. */
void herald_follower_block(HeraldCenterRef center, const struct herald_slot *slot, struct herald_held **unused);
/* Under the center's lock: a follower is blocked no longer. Returns whether its lane is to be delivered. */
bool herald_follower_unblock(const struct herald_slot *slot);
/* Under no lock, after that: delivers the lane. The caller has a reference to the center's memory. */
void herald_follower_go_on(HeraldCenterRef center, uint64_t registration);

/* Under the center's lock, and unlocks it: delivers a follower's lane, unless another thread owns it. */
void herald_follower_deliver(HeraldCenterRef center, struct herald_slot *slot, struct herald_overflow_call *call);

/* The follower's registration ends. */
void herald_follower_leave(HeraldCenterRef center, const struct herald_slot *slot, struct herald_held **unused);

/* The hook releaseObject of a follower's registration. */
void herald_follower_end(const void *follower);

/* A kept post. `outside`: it is made outside of callbacks. `object` is that of its cell. Mostly it is the post's own.
 * But a hook may have returned another one, or a message's text may have become an object since. */
struct herald_kept_post {
    const struct herald_post *post;
    const void *object;
    uint64_t number;
    bool outside;
};

/* Walks over what a kept post has found, in the order of registration. Calls the registrations with `behaviors`, and
 * delivers the lanes of all followers. The frame pins what was found. Returns how many callbacks ran. */
size_t herald_follower_walk(const struct herald_kept_post *kept, struct herald_overflow_call *call,
                            struct herald_found *found, unsigned behaviors, bool fencing);

/* Under the center's lock: the post is to be delivered even while the center is suspended
 * (HeraldPostDeliverImmediately). */
void herald_follower_hurry(const struct herald_kept_post *kept);

/* Under the center's lock, after each post that the cell keeps: the followers of long chains lose what exceeds the
 * limit. */
void herald_follower_sweep(HeraldCenterRef center, struct herald_cell *cell, struct herald_held **unused);

/* The center is not suspended any more: delivers what was held for followers. The caller has a reference to the
 * center's memory. */
void herald_follower_resume(HeraldCenterRef center);

/* How many posts a follower has still to hear; how many all followers of a center have. */
uint64_t herald_follower_backlog(const struct herald_slot *slot);
uint64_t herald_follower_backlog_of_all(HeraldCenterRef center);

/* See suspension.h. */
void herald_follower_hand_in(HeraldCenterRef center);
void herald_follower_after_fork(HeraldCenterRef center);

static inline struct herald_follower *herald_follower_of(const struct herald_slot *slot) {
    return (struct herald_follower *)(uintptr_t)slot->hooks->object;
}
HERALD_END
#endif
