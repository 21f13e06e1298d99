/* The contract of a center as a simple model: arrays, one thread, no optimisation. Kept posts are in keeping.h.
 *
 * It is written from the contract's rules and reacts to the library: a call is begun in the model, made, and ended in
 * the model. Each callback and hook in between is compared with the next one in the model. Rule numbers are the
 * contract's.
 *
 * The contract leaves these open, and the model allows them either way:
 *      the order in which the release hooks of one removal run, and in which a center's hooks run
 *      how often, and exactly when, a center's hooks retain and release held posts (see handles.h)
 *      HeraldGetCurrentTag, HeraldPostIsKept and HeraldGetCurrentToken in a hook, and in the functions that take or
 *          visit what is kept: NULL, false and {0, 0}, or what they are in the callback that made the call which runs
 *          the hook
 *      the order of the followers on a resume; each hears all of its lane before the next
 *      when what exceeds the limit in a lane is counted as dropped: at once, or with the follower's next call, but not
 *          if the follower is removed before that; a post that is superseded meanwhile counts or not
 *
 * The contract leaves these open, and the model has one reading (the fuzzer reports another one as a difference):
 *      one removal, or a center's death, ends all its registrations before the first hook runs
 *      a callback that ended before its registration's removal is no call in progress, even if its post goes on
 *      for whom a post is held is settled before any observer is called at once
 *      a post's count is of its own callbacks; deliveries from the queue before them, and held ones, are not counted
 *      only a post that a DeliverImmediately registration hears has the queue delivered first: its content when the
 *          post began. Deliveries ahead of such a registration's post are made even if the registration goes
 *      while a queue is being delivered, every post except those that deliver immediately queues behind it: on a center
 *          that is not suspended for every matching observer, on a suspended one for all but Drop
 *      suspending again from a callback stops the delivery after it, except for deliveries to a DeliverImmediately
 *          registration and those ahead of them
 *      of a post that queues on a suspended center, the deliveries to DeliverImmediately registrations come first
 *      a post that queued while the center was not suspended counts towards the limit, and does not coalesce
 *
 *      a registration that is blocked when a post begins, and unblocked by a callback of that post: the model unblocks
 *          only outside of calls. Followers are blocked in rules (keeping their lanes is another matter), not here
 *
 * Of kept posts (R25) it has these readings:
 *      a follower hears kept posts beside the queue, so there is no order between these and the plain posts that are
 *          held for it; a kept post has the queue delivered first only if another DeliverImmediately registration
 *          hears it. Others find a kept post in the queue as any post; on a resume the queue comes before the followers
 *      "one call at a time" is about calls with kept posts and `began`: a plain post calls a follower at once, also in
 *          such a call, and in a plain call of the follower a kept post calls it at once
 *      a follower's turn in the order of a post's observers (R2) is for all that its lane has by then. A post's count
 *          is of the calls that it makes: all of a lane, marked ones too, not `began`, and not what a post further up
 *          the stack is left to deliver
 *      what a follower begins with is settled when it is added, whatever is kept or forgotten during its calls, and
 *          does not count towards the limit
 *      the limit of a lane holds at any time, also for what a follower's own calls post. What it does not hear because
 *          of its behavior takes no room
 *      superseded is a post in whose place a newer one is kept. A forgotten post is not superseded: who followed when
 *          it was kept hears it
 *      suspending in a call of a follower stops its beginning and its lane after that call; the rest comes on resume.
 *          Drop and Coalesce are about posts that were kept while the center was suspended, not about those that were
 *          still to be delivered then
 *      a kept post that delivers immediately has its followers begin, if they have not, and hear all of their lanes up
 *          to it. It is not superseded for Coalesce, and not skipped for Drop
 *      followers, TakeKept, Forget and visits compare a kept post's object as its hook returns it, and get it so.
 *          Others compare it, and get it, as it was posted, except in the queue: there it coalesces, and is delivered,
 *          as the center keeps it. If a hook has put another object in the place of the posted one, the followers of
 *          this object come after the post's other observers
 *      userInfo and object are retained once in each kept post, before it is kept. The post begins after these hooks:
 *          what they add hears it (R5), and if they release the center, it fails with HeraldInvalidArgument
 */
#ifndef FUZZ_REFERENCE_H
#define FUZZ_REFERENCE_H

#include "handles.h"
#include "world.h"

#include <herald/herald.h>

enum {
    REFERENCE_REGISTRATIONS = 256, /* in one input; each has callbacks and hooks of its own */
    REFERENCE_CENTERS = 16,        /* made in one input */
    REFERENCE_DEPTH = 64,          /* calls inside each other */
    REFERENCE_KEPT_POSTS = 512     /* made in one input */
};

struct registration;

/* One post that waits for one registration. */
struct delivery {
    struct registration *registration;
    HeraldNameRef name;
    const void *object, *user_info, *tag;
    uint64_t number;
    bool coalesces; /* was posted to a Coalesce registration while the center was suspended */
    enum handles_policy info_policy, object_policy;
    struct kept_post *kept; /* NULL: a plain post */
};

struct queue {
    struct delivery *deliveries;
    size_t count, room;
    uint64_t newest, newest_owed; /* numbers: of all, and of those for DeliverImmediately registrations */
};

struct center {
    HeraldCenterRef real;
    bool is_alive, is_local;
    unsigned references, topics;
    bool is_suspended, is_draining;
    uint64_t until;                                 /* a suspended center delivers up to this number */
    enum handles_policy info_policy, object_policy; /* of its hooks */
    size_t limit, kept_limit;
    uint64_t dropped;                     /* of the queue */
    uint64_t least_dropped, most_dropped; /* of the lanes of followers */
    struct queue queue;
};

struct lane_entry {
    uint16_t post; /* its number in the model */
    bool exceeds;  /* the limit: it is not heard any more */
};

struct registration {
    unsigned index; /* also the order of registration */
    struct center *center;
    const void *observer, *object;
    HeraldNameRef name;
    HeraldSuspensionBehavior behavior;
    HeraldToken token; /* {0, 0} when the caller did not ask for it */
    enum { FAILED, ACTIVE, REMOVED } state;
    unsigned running; /* calls in progress */
    bool by_token;    /* only its token removes it */
    bool blocked;
    bool has_release, has_object_release;
    bool is_released, is_object_released;
    unsigned due; /* the depth of the call in which the hooks are to run */
    /* Of a follower (R25): */
    bool follows, has_began;
    bool begins;    /* it has still to hear some of what it begins with, or `began` */
    bool is_called; /* a call of the library delivers its lane */
    uint64_t until; /* a suspended center delivers up to this number */
    size_t start_count, start_at, lane_count;
    uint16_t starts[REFERENCE_KEPT_POSTS];        /* what it begins with; numbers in the model */
    struct lane_entry lane[REFERENCE_KEPT_POSTS]; /* kept posts that came later */
};

struct post {
    struct center *center; /* NULL: it calls no observer */
    HeraldNameRef name;
    const void *object, *user_info, *tag;
    bool immediately;
    struct kept_post *kept; /* by this post */
};

void reference_begin(void);
void reference_end(void);

/* ---- Centers ---- */

struct center *reference_add_center(HeraldCenterRef real, const HeraldCenterOptions *options);
void reference_center_release(struct center *center); /* inside a call; also for a topic's reference */

/* ---- Registrations ---- */

unsigned reference_count(void);
struct registration *reference_at(unsigned index);
struct registration *reference_new(void); /* FAILED until it is set; NULL when there are enough */
void reference_check_token(const struct registration *registration);

/* How the post is held or kept: by its tag's hooks, or the center's. */
struct world_policies reference_policies(const struct post *post);

/* Inside a call. */
void reference_remove_exactly(struct center *center, HeraldNameRef name, const void *object);
void reference_remove_matching(struct center *center, const void *observer, HeraldNameRef name, const void *object);
bool reference_remove_token(struct center *center, HeraldToken token);

/* ---- Calls ---- */

void reference_call_begin(void); /* of a call that calls no observer */
void reference_call_end(void);
void reference_post_begin(const struct post *post);
size_t reference_post_end(void); /* the count that the post must return */
void reference_keep_begin(const struct post *post);
HeraldStatus reference_keep_end(size_t *called); /* the status, and the count, that the post must return */
void reference_follow_begin(struct registration *follower);
void reference_follow_end(void);
void reference_suspend_begin(struct center *center, bool suspended);
void reference_suspend_end(void);

/* ---- Callbacks and hooks, as the library makes them ---- */

void reference_callback_begin(unsigned index, HeraldCenterRef center, const void *observer, HeraldNameRef name,
                              const void *object, const void *user_info);
void reference_callback_end(unsigned index);
void reference_began_begin(unsigned index, const void *observer, size_t kept, HeraldStatus status);
void reference_look_begin(void); /* a function that takes or visits what is kept, or a hook of a center or tag */
void reference_look_end(void);
void reference_release_begin(unsigned index, const void *observer);
void reference_release_object_begin(unsigned index, const void *object);
void reference_hook_end(void);

/* A retain hook has run. */
void reference_retained(bool is_object, const void *thing, const void *answer);
bool reference_is_keeping(void); /* whether it runs in a kept post */

/* Whether a hook that releases may make calls, so that the model knows what the library has done by then. */
bool reference_may_call_in_release(void);

/* How many nested callbacks and hooks are running. */
unsigned reference_depth(void);

/* Compares everything that the library reports at any time. */
void reference_compare(void);

#endif
