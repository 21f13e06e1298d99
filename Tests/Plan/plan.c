/* The plan of a post to a center whose queue counts (R16), as a table of cases; and conditions that hold in every
 * situation. */
#include "plan.h"

#include <stdio.h>

enum {
    DROP = 1 << HeraldSuspensionDrop,
    COALESCE = 1 << HeraldSuspensionCoalesce,
    HOLD = 1 << HeraldSuspensionHold,
    IMMEDIATE = 1 << HeraldSuspensionDeliverImmediately,
    ALL = DROP | COALESCE | HOLD | IMMEDIATE
};

/* The situation, apart from the registrations that match. */
enum {
    IMMEDIATELY = 1,
    BORROWED = 2,
    SUSPENDED = 4,
    DRAINS = 8,
    QUEUED = 16,
    OLDER = 32,
    AHEAD = 64,
    INSIDE = 128,
    OWN = 256,
    STALLED = 512,
    OVERTIME = 1024,
    STATES = 2048,
    DRAINING = DRAINS | AHEAD | INSIDE /* by another thread, and this one is in a callback: it must not wait */
};

/* The outcome. */
enum { DRAIN_FIRST = 1, HOLD_FIRST = 2, WAIT_FIRST = 4 };

static const struct {
    const char *what;
    int state;
    enum herald_hold hold;
    unsigned behaviors;
    int first;
    unsigned queue, now, lost;
} cases[] = {
    {"suspended: the immediate are called, the others held once they can be, dropping drops", SUSPENDED,
     HERALD_NOT_HELD, ALL, HOLD_FIRST, COALESCE | HOLD, IMMEDIATE, 0},
    {"suspended, and held now", SUSPENDED, HERALD_HELD, ALL, 0, COALESCE | HOLD, IMMEDIATE, 0},
    {"suspended, and there was no memory: what is queued is counted as dropped", SUSPENDED, HERALD_NOT_HOLDABLE, ALL, 0,
     COALESCE | HOLD, IMMEDIATE, 0},
    {"suspended: nothing is held for those that drop", SUSPENDED, HERALD_NOT_HELD, DROP, 0, 0, 0, 0},
    {"suspended: nothing is held for the immediate alone", SUSPENDED, HERALD_NOT_HELD, IMMEDIATE, 0, 0, IMMEDIATE, 0},
    {"suspended: the immediate come after all that is queued already", SUSPENDED | QUEUED | OLDER, HERALD_NOT_HELD,
     IMMEDIATE, DRAIN_FIRST, 0, 0, 0},
    {"suspended: and before what was queued since the post began", SUSPENDED | QUEUED, HERALD_NOT_HELD, IMMEDIATE, 0, 0,
     IMMEDIATE, 0},
    {"suspended: the others queue behind what is queued", SUSPENDED | QUEUED | OLDER, HERALD_HELD, HOLD, 0, HOLD, 0, 0},
    {"suspended while a thread drains: the immediate queue behind it, too", SUSPENDED | DRAINING | QUEUED | OLDER,
     HERALD_NOT_HELD, ALL, HOLD_FIRST, COALESCE | HOLD | IMMEDIATE, 0, 0},
    {"the same without memory: the immediate are called now", SUSPENDED | DRAINING, HERALD_NOT_HOLDABLE, ALL, 0,
     COALESCE | HOLD, IMMEDIATE, 0},
    {"suspended, posted immediately: all are called now", SUSPENDED | IMMEDIATELY, HERALD_NOT_HELD, ALL, 0, 0, ALL, 0},
    {"the same after what is queued", SUSPENDED | IMMEDIATELY | QUEUED | OLDER, HERALD_NOT_HELD, ALL, DRAIN_FIRST, 0, 0,
     0},
    {"suspended, borrowed: the immediate are called now and nothing is drained for them",
     SUSPENDED | BORROWED | QUEUED | OLDER, HERALD_NOT_HELD, ALL, HOLD_FIRST, COALESCE | HOLD, IMMEDIATE, 0},
    {"resuming: all queue behind the thread that drains", DRAINING | QUEUED, HERALD_NOT_HELD, ALL, HOLD_FIRST, ALL, 0,
     0},
    {"resuming, and held now", DRAINING | QUEUED, HERALD_HELD, ALL, 0, ALL, 0, 0},
    {"resuming, without memory: all are called now", DRAINING | QUEUED, HERALD_NOT_HOLDABLE, ALL, 0, 0, ALL, 0},
    {"resuming, posted immediately: all are called now", DRAINING | QUEUED | OLDER | IMMEDIATELY, HERALD_NOT_HELD, ALL,
     0, 0, ALL, 0},
    {"resuming, borrowed: the immediate are called now, the others queue", DRAINING | QUEUED | BORROWED, HERALD_HELD,
     ALL, 0, DROP | COALESCE | HOLD, IMMEDIATE, 0},
    {"resuming, outside of callbacks: it waits until what is ahead has returned", DRAINS | AHEAD | QUEUED,
     HERALD_NOT_HELD, DROP, WAIT_FIRST, 0, 0, 0},
    {"the same, suspended: the immediate wait", DRAINS | AHEAD | SUSPENDED, HERALD_NOT_HELD, ALL, WAIT_FIRST, 0, 0, 0},
    {"the same: who only is to be held does not wait", DRAINS | AHEAD | SUSPENDED, HERALD_HELD, HOLD, 0, HOLD, 0, 0},
    {"resuming, borrowed: waiting keeps it", DRAINS | AHEAD | BORROWED, HERALD_NOT_HELD, ALL, WAIT_FIRST, 0, 0, 0},
    {"resuming, and nothing is ahead: all are called now", DRAINS | QUEUED, HERALD_NOT_HELD, ALL, 0, 0, ALL, 0},
    {"resuming, and waiting was in vain: it queues", DRAINS | AHEAD | STALLED, HERALD_HELD, ALL, 0, ALL, 0, 0},
    {"resuming, in the drainer's callback: it queues", DRAINING | OWN | QUEUED, HERALD_HELD, ALL, 0, ALL, 0, 0},
    {"resuming, in another thread's callback, for too long: it is lost", DRAINING | QUEUED | OVERTIME, HERALD_NOT_HELD,
     ALL, 0, 0, 0, ALL},
    {"the same, suspended: what is held is held", DRAINING | SUSPENDED | OVERTIME, HERALD_HELD, ALL, 0, COALESCE | HOLD,
     0, IMMEDIATE},
    {"a drain that was cut short is gone on with", QUEUED, HERALD_NOT_HELD, 0, DRAIN_FIRST, 0, 0, 0},
    {"nothing queued any more: all are called now", 0, HERALD_NOT_HELD, ALL, 0, 0, ALL, 0},
    {"only those that match are queued and called", SUSPENDED, HERALD_HELD, HOLD, 0, HOLD, 0, 0},
};

static struct herald_situation situation_of(int state, enum herald_hold hold, unsigned behaviors) {
    struct herald_situation situation = {.behaviors = behaviors,
                                         .immediately = state & IMMEDIATELY,
                                         .borrowed = state & BORROWED,
                                         .suspended = state & SUSPENDED,
                                         .draining = state & DRAINS,
                                         .ahead = state & AHEAD,
                                         .inside = state & INSIDE,
                                         .own = state & OWN,
                                         .stalled = state & STALLED,
                                         .overtime = state & OVERTIME,
                                         .queued = state & (QUEUED | OLDER),
                                         .queued_older = state & OLDER,
                                         .hold = hold};
    return situation;
}

/* The first condition that a plan breaks, or NULL. */
static const char *fault_in(const struct herald_situation *situation, const struct herald_plan *plan) {
    if ((plan->queue & plan->now) | (plan->queue & plan->lost) | (plan->now & plan->lost))
        return "a registration gets it twice";
    if ((plan->queue | plan->now | plan->lost) & ~situation->behaviors) return "a registration that does not match";
    if (plan->drain + plan->wait + plan->hold > 1) return "two things that come first";
    if ((plan->drain || plan->wait) && (plan->queue || plan->now || plan->lost)) return "more than what comes first";
    if (plan->drain && (situation->draining || !situation->queued)) return "a second drainer, or nothing to drain";
    if (plan->wait && (situation->inside || situation->stalled)) return "waits in a callback, or in vain";
    if (plan->wait && !(situation->draining && situation->ahead)) return "waits for nothing";
    if (plan->hold && situation->hold != HERALD_NOT_HELD) return "held twice";
    if (situation->immediately && plan->queue) return "an immediate post is queued";
    if (plan->queue && !situation->suspended && !situation->draining) return "queued without a reason";
    if (plan->behind && !(plan->queue && situation->draining && situation->ahead)) return "behind nothing";
    if (plan->lost && !(situation->overtime && situation->draining && situation->ahead)) return "lost without a reason";
    unsigned dropped = situation->behaviors & ~(plan->queue | plan->now | plan->lost);
    bool later = plan->drain || plan->wait;
    if (!later && dropped & ~(unsigned)DROP) return "a post is lost";
    if (!later && dropped && (!situation->suspended || situation->immediately)) return "dropped without a reason";
    return NULL;
}

int main(void) {
    int passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct herald_situation situation = situation_of(cases[i].state, cases[i].hold, cases[i].behaviors);
        struct herald_plan plan = herald_plan_post(&situation);
        int first = (plan.drain ? DRAIN_FIRST : 0) | (plan.hold ? HOLD_FIRST : 0) | (plan.wait ? WAIT_FIRST : 0);
        bool right = first == cases[i].first && plan.queue == cases[i].queue && plan.now == cases[i].now &&
                     plan.lost == cases[i].lost;
        if (!right) printf("FAILED %s: first %d, queue %#x, now %#x\n", cases[i].what, first, plan.queue, plan.now);
        *(right ? &passed : &failed) += 1;
    }
    for (unsigned behaviors = 0; behaviors <= ALL; behaviors += 2)
        for (int state = 0; state < STATES; state++)
            for (int hold = HERALD_NOT_HELD; hold <= HERALD_NOT_HOLDABLE; hold++) {
                struct herald_situation situation = situation_of(state, (enum herald_hold)hold, behaviors);
                struct herald_plan plan = herald_plan_post(&situation);
                const char *fault = fault_in(&situation, &plan);
                if (fault) printf("FAILED behaviors %#x, state %#x, hold %d: %s\n", behaviors, state, hold, fault);
                *(fault ? &failed : &passed) += 1;
            }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
