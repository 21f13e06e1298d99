/* The contract of a center as a simple model: arrays, one thread, no optimisation.
 *
 * It is written from the contract's rules and reacts to the library: a call is begun in the model, made, and ended in
 * the model. Each callback and hook in between is compared with the next one in the model. Rule numbers are the
 * contract's.
 *
 * The contract leaves these open, and the model allows them either way:
 *      the order in which the release hooks of one removal run, and in which a center's hooks run
 *      how often, and exactly when, a center's hooks retain and release held posts (see kept.h)
 *      HeraldGetCurrentTag in a hook: NULL, or the tag of the callback that made the call which runs the hook
 *
 * The contract leaves these open, and the model has one reading (the fuzzer reports another one as a difference):
 *      one removal, or a center's death, ends all its registrations before the first hook runs
 *      a callback that ended before its registration's removal is no call in progress, even if its post goes on
 *      for whom a post is kept is settled before any observer is called at once
 *      a post's count is of its own callbacks; deliveries from the queue before them, and kept ones, are not counted
 *      only a post that a DeliverImmediately registration hears has the queue delivered first: its content when the
 *          post began. Deliveries ahead of such a registration's post are made even if the registration goes
 *      while a queue is being delivered, every post except those that deliver immediately queues behind it: on a center
 *          that is not suspended for every matching observer, on a suspended one for all but Drop
 *      suspending again from a callback stops the delivery after it, except for deliveries to a DeliverImmediately
 *          registration and those ahead of them
 *      of a post that queues on a suspended center, the deliveries to DeliverImmediately registrations come first
 *      a post that queued while the center was not suspended counts towards the limit, and does not coalesce
 */
#ifndef FUZZ_REFERENCE_H
#define FUZZ_REFERENCE_H

#include <herald/herald.h>

enum {
    REFERENCE_REGISTRATIONS = 256, /* in one input; each has callbacks and hooks of its own */
    REFERENCE_CENTERS = 16,        /* made in one input */
    REFERENCE_DEPTH = 64           /* calls inside each other */
};

struct registration;

/* One post that waits for one registration. */
struct delivery {
    struct registration *registration;
    HeraldNameRef name;
    const void *object, *user_info, *tag;
    uint64_t number;
    bool coalesces; /* was posted to a Coalesce registration while the center was suspended */
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
    uint64_t until; /* a suspended center delivers up to this number */
    bool keeps_user_info, keeps_object;
    size_t limit;
    uint64_t dropped;
    struct queue queue;
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
    bool has_release, has_object_release;
    bool is_released, is_object_released;
    unsigned due; /* the depth of the call in which the hooks are to run */
};

struct post {
    struct center *center; /* NULL: it calls no observer */
    HeraldNameRef name;
    const void *object, *user_info, *tag;
    bool immediately;
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

/* Inside a call. */
void reference_remove_matching(struct center *center, const void *observer, HeraldNameRef name, const void *object);
bool reference_remove_token(struct center *center, HeraldToken token);

/* ---- Calls ---- */

void reference_call_begin(void); /* of a call that calls no observer */
void reference_call_end(void);
void reference_post_begin(const struct post *post);
size_t reference_post_end(void); /* the count that the post must return */
void reference_suspend_begin(struct center *center, bool suspended);
void reference_suspend_end(void);

/* ---- Callbacks and hooks, as the library makes them ---- */

void reference_callback_begin(unsigned index, HeraldCenterRef center, const void *observer, HeraldNameRef name,
                              const void *object, const void *user_info);
void reference_callback_end(unsigned index);
void reference_release_begin(unsigned index, const void *observer);
void reference_release_object_begin(unsigned index, const void *object);
void reference_hook_end(void);

/* How many nested callbacks and hooks are running. */
unsigned reference_depth(void);

/* Compares everything that the library reports at any time. */
void reference_compare(void);

#endif
