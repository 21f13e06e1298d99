/* A callback without unwind tables may end its thread. Then nothing unwinds the calls that the thread was in (R17).
 * call.c ends the thread's frames and overflow frames. This file finishes or gives up what else the thread had
 * begun, in each center: calls of a transport's hooks (edges.c, told.c), a drain (suspension.c), lanes (follower.c)
 * and releases (release.c).
 *
 * Ordering: That of the locks.
 * Progress: One walk over all centers.
 * Ownership: The walk has a reference to the memory of the center that it is at.
 */
#include "call.h"
#include "center.h"
#include "edges.h"
#include "follower.h"
#include "release.h"
#include "suspension.h"
#include "told.h"

static void hand_in(struct herald_thread *self) {
    herald_call_abandon_all(self);
    for (HeraldCenterRef center = NULL; (center = herald_center_after(center));) {
        herald_edges_hand_in(center);
        herald_told_hand_in(center);
        herald_suspension_hand_in(center);
        herald_follower_hand_in(center);
        herald_release_hand_in(center);
    }
}

__attribute__((constructor)) static void prepare(void) { herald_thread_hand_in = hand_in; }
