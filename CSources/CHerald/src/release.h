/* The end of a registration: who runs its release, and when AndWait returns (R9, R10, R11). */
#ifndef HERALD_RELEASE_H
#define HERALD_RELEASE_H

#include "center.h"

HERALD_BEGIN
/* The remover's part, with no lock held. `batch` is a list, by `next`, of the slots that the remover made PENDING.
 * Makes the barrier (the handshake), runs the releases of the slots that no thread is calling, and leaves the other
 * releases to the threads that are calling. If `wait` is true, the function then waits for the other releases. That is
 * not allowed inside a callback. */
void herald_release_settle(HeraldCenterRef center, uint32_t batch, bool wait);

/* The poster's part: a poster calls this after it has taken its hazard pointer off the slot, if the slot is PENDING
 * then. */
void herald_release_left(struct herald_slot *slot);

/* Waits for the release of a registration that another thread has removed. Not allowed inside a callback. Called under
 * the center's lock, which the function unlocks. False: too many threads wait for this release already; call again
 * later. */
bool herald_release_wait(HeraldCenterRef center, struct herald_slot *slot);

/* A call that follows the release of a registration: HeraldCenterRemoveTokenThen. */
struct herald_then {
    struct herald_then *next;
    const struct herald_slot *slot;
    void (*call)(void *context);
    void *context;
};

/* Under the center's lock: leaves `then` to the thread that runs the slot's release. Returns false if the release is
 * over. An ACTIVE slot must leave ACTIVE before the center's lock is released. `hooks` is room for hooks, for a slot
 * that has none; otherwise NULL. If `*owed` is true afterwards, the slot was REMOVED and is PENDING now, and the caller
 * must settle it. */
bool herald_release_then(HeraldCenterRef center, struct herald_slot *slot, struct herald_then *then,
                         struct herald_hooks *hooks, bool *owed);

/* Under the center's lock: reports to a thread sanitizer that all calls of the center that have returned come before
 * what follows (ground_sanitizer.h). For a wait that finds no registration to wait for. */
void herald_release_see_all(HeraldCenterRef center);

/* Waits for every running call of a removed registration of this observer. The caller holds no lock. */
void herald_release_wait_for_observer(HeraldCenterRef center, const void *observer);

/* Runs the releases that a fork has left to this process, if there are any. The caller holds no lock. */
void herald_release_inherited(void);

/* Every writer calls this last, with no lock held. Reclaims if that is due, and runs releases that a fork has left. */
void herald_tidy(void);

/* For a thread that ends in the middle of calls: runs the rest of the releases that the thread had claimed. */
void herald_release_hand_in(HeraldCenterRef center);

/* Called in the child of a fork, under every lock. Afterwards no slot waits for a thread of the parent. */
void herald_release_after_fork(HeraldCenterRef center);
HERALD_END
#endif
