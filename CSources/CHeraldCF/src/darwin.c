/* The Darwin center: names between processes, heard on a run loop.
 *
 * Herald's thread hands a registration to the run loop and does not wait. A registration that waits there already
 * stands for the new post, too: posts of this center coalesce. One that was removed in the meantime is not called.
 *
 * Ordering, ownership: the queue's.
 * Progress: Herald's thread never waits for the run loop.
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
