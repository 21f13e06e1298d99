/* The rules of suspension (R16), in the order in which they are asked. */
#include "plan.h"

enum {
    IMMEDIATE = 1 << HeraldSuspensionDeliverImmediately,
    HOLDABLE = 1 << HeraldSuspensionCoalesce | 1 << HeraldSuspensionHold
};

/* A queue that no thread delivers from, though the center is not suspended, is a drain that was cut short. And an
 * immediate delivery comes after all that is queued already. */
static bool must_drain(const struct herald_situation *situation) {
    if (!situation->queued || situation->draining) return false;
    bool follows = situation->behaviors & IMMEDIATE && !situation->borrowed && situation->queued_older;
    return follows || !situation->suspended;
}

/* The behaviors for which a post that matches all of them would be queued. While a thread drains, a post queues behind
 * it; where there is no memory for that, it overtakes. What is borrowed cannot be held for the immediate ones. */
static unsigned queued_behaviors(const struct herald_situation *situation) {
    bool behind = situation->draining && situation->hold != HERALD_NOT_HOLDABLE;
    unsigned immediate = behind && !situation->borrowed ? (unsigned)IMMEDIATE : 0;
    if (situation->immediately) return 0;
    if (situation->suspended) return HOLDABLE | immediate;
    return behind ? (HERALD_EVERY_BEHAVIOR & ~(unsigned)IMMEDIATE) | immediate : 0;
}

struct herald_plan herald_plan_post(const struct herald_situation *situation) {
    struct herald_plan plan = {false, false, 0, 0};
    if (must_drain(situation)) {
        plan.drain = true;
        return plan;
    }
    unsigned queue = queued_behaviors(situation);
    unsigned reached = situation->suspended && !situation->immediately ? (unsigned)IMMEDIATE : HERALD_EVERY_BEHAVIOR;
    plan.queue = situation->behaviors & queue;
    plan.now = situation->behaviors & reached & ~queue;
    plan.hold = plan.queue && situation->hold == HERALD_NOT_HELD;
    return plan;
}
