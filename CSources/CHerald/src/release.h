/* The end of a registration: who runs its release, and when AndWait returns (R9, R10, R11). */
#ifndef HERALD_RELEASE_H
#define HERALD_RELEASE_H

#include "center.h"

HERALD_BEGIN
/* The remover's part, with no lock held. `batch` is a list, by `next`, of the slots that the remover made PENDING.
 * Makes the barrier (the handshake), runs the releases of the slots that no thread is calling, and leaves the others to
 * their last callers. If `wait` is true, waits for these others, too, which is not allowed inside a callback. */
void herald_release_settle(HeraldCenterRef center, uint32_t batch, bool wait);

/* The poster's part: a poster calls this when it has left a slot and has then found the slot PENDING. */
void herald_release_left(struct herald_slot *slot);

/* Waits for the release of a registration that another thread has removed. Called under the center's lock, which it
 * unlocks; not inside a callback. False when too many threads wait for it already: call again later. */
bool herald_release_wait(HeraldCenterRef center, struct herald_slot *slot);

/* Waits for the running calls of all registrations of this observer that were removed before. No lock held. */
void herald_release_wait_for_observer(HeraldCenterRef center, const void *observer);

/* Runs the releases that a fork has left to this process, if there are any. No lock held. */
void herald_release_inherited(void);

/* Every writer calls this last, with no lock held: it reclaims if that is due, and runs releases that a fork has left.
 */
void herald_tidy(void);

/* For a thread that ends in the middle of calls: runs the rest of the releases that the thread had claimed. */
void herald_release_hand_in(HeraldCenterRef center);

/* In the child of a fork, under every lock. */
void herald_release_after_fork(HeraldCenterRef center);
HERALD_END
#endif
