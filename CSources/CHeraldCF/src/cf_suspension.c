/* Suspending a center. On macOS AppKit does this.
 *
 * Ordering, progress, ownership: the local center has those of the core, the distributed center those of the queue. */
#include "cf_center.h"
#include "cf_loop.h"
#include "cf_queue.h"
#include "../include/HeraldCF.h"

void HeraldCFNotificationCenterSetSuspended(CFNotificationCenterRef center, bool suspended) {
    if (!center) return;
    if (center->kind == HERALD_CF_LOCAL) HeraldCenterSetSuspended(center->native, suspended);
    if (center->kind != HERALD_CF_DISTRIBUTED) return;
    herald_cf_queue_suspend(suspended);
    herald_cf_loop_signal();
}

bool HeraldCFNotificationCenterIsSuspended(CFNotificationCenterRef center) {
    if (center && center->kind == HERALD_CF_DISTRIBUTED) return herald_cf_queue_is_suspended();
    return center && center->kind == HERALD_CF_LOCAL && HeraldCenterIsSuspended(center->native);
}
