/* The rules of suspension (R16), in the order in which they are applied. */
#include "plan.h"

enum {
    IMMEDIATE = 1 << HeraldSuspensionDeliverImmediately,
    HOLDABLE = 1 << HeraldSuspensionCoalesce | 1 << HeraldSuspensionHold
};

/* Whether the post must first deliver what is queued. There are two cases. Either the center is not suspended, and no
 * thread delivers what is queued, because a drain was cut short. Or the post matches deliver-immediately registrations,
 * which get it after all that was queued before it. */
static bool must_drain(const struct herald_situation *situation) {
    if (!situation->queued || situation->draining) return false;
    bool follows = situation->behaviors & IMMEDIATE && !situation->borrowed && situation->queued_older;
    return follows || !situation->suspended;
}

/* The behaviors that may get the post only after what the draining thread is delivering now. */
static unsigned behind(const struct herald_situation *situation, unsigned reached) {
    if (!situation->draining || !situation->ahead || situation->immediately) return 0;
    return situation->behaviors & reached;
}

/* Those of `behaviors` for which the post can be queued behind the draining thread. A post with borrowed userInfo
 * cannot be queued for deliver-immediately registrations. A post that could not be held cannot be queued for any
 * behavior. The behaviors that are left out get the post at once, ahead of the queue. */
static unsigned keepable(const struct herald_situation *situation, unsigned behaviors) {
    if (situation->hold == HERALD_NOT_HOLDABLE) return 0;
    return situation->borrowed ? behaviors & ~(unsigned)IMMEDIATE : behaviors;
}

struct herald_plan herald_plan_post(const struct herald_situation *situation) {
    struct herald_plan plan = {0};
    if (must_drain(situation)) {
        plan.drain = true;
        return plan;
    }
    bool suspended = situation->suspended && !situation->immediately;
    unsigned reached = suspended ? (unsigned)IMMEDIATE : HERALD_EVERY_BEHAVIOR;
    unsigned later = behind(situation, reached);
    if (later && !situation->inside && !situation->stalled) {
        plan.wait = true;
        return plan;
    }
    later = keepable(situation, later);
    if (situation->overtime && !situation->own) plan.lost = later;
    later &= ~plan.lost;
    plan.behind = later != 0;
    plan.queue = (situation->behaviors & (suspended ? HOLDABLE : 0)) | later;
    plan.now = situation->behaviors & reached & ~plan.queue & ~plan.lost;
    plan.hold = plan.queue && situation->hold == HERALD_NOT_HELD;
    return plan;
}
