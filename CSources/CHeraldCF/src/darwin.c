/* The Darwin center carries names between processes. Its observers are called on a run loop.
 *
 * The host center calls herald_cf_darwin_receive on a thread of its own. This thread puts the registration's call into
 * the queue for the run loop, and does not wait. If that call waits there already, it stands for the new post, too:
 * posts of this center coalesce. If the registration is removed in the meantime, the call is not made.
 *
 * Ordering, ownership: those of the queue (cf_queue.c).
 * Progress: The host center's thread never waits for the run loop.
 */
#include "darwin.h"
#include "cf_loop.h"
#include "cf_queue.h"
#include <herald/host.h>

void herald_cf_darwin_receive(HeraldCenterRef native, void *registration, HeraldNameRef name, const void *object,
                              const void *userInfo) {
    (void)native, (void)name, (void)object, (void)userInfo;
    herald_cf_queue_add_own(registration);
    herald_cf_loop_signal();
}

void herald_cf_darwin_post(CFStringRef name) {
    HeraldNameRef native = herald_cf_name(name, false);
    if (native) {
        HeraldCenterPostNotification(HeraldCenterGetHostCenter(), native, NULL, NULL, false);
    } else {
        herald_cf_post_text(name);
    }
}
