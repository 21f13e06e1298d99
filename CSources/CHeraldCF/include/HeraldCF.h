/* CFNotificationCenter on Linux: what is more than the toolchain's CFNotificationCenter.h declares.
 *
 * The functions of that header are this library's, too; a program includes or imports CoreFoundation, and links this.
 */
#ifndef HERALD_CF_H
#define HERALD_CF_H

#if !defined(HERALD_CF_COREFOUNDATION_H) && __has_include(<CoreFoundation/CFNotificationCenter.h>)
#include <CoreFoundation/CFNotificationCenter.h>
#include <CoreFoundation/CFRunLoop.h>
#define HERALD_CF_CENTER CFNotificationCenterRef
#define HERALD_CF_RUN_LOOP CFRunLoopRef
#else
#define HERALD_CF_CENTER struct __CFNotificationCenter *
#define HERALD_CF_RUN_LOOP struct __CFRunLoop *
struct __CFNotificationCenter;
struct __CFRunLoop;
#endif

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CF_IMPLICIT_BRIDGING_ENABLED
CF_IMPLICIT_BRIDGING_ENABLED
#endif

/** The center of all machines, which the header hides from Linux. NULL, with one line on stderr: there is none yet. */
__attribute__((visibility("default"))) HERALD_CF_CENTER CFNotificationCenterGetDistributedCenter(void);

/** Suspends or resumes a center, as AppKit does on macOS with an application that is not active: what observers get of
 *  posts meanwhile is what they have registered for. On resume what was held is delivered before this returns. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetSuspended(HERALD_CF_CENTER center,
                                                                                   bool suspended);
__attribute__((visibility("default"))) bool HeraldCFNotificationCenterIsSuspended(HERALD_CF_CENTER center);

/** The run loop on which the Darwin center's observers are called, in its common modes, in place of the main one. NULL:
 *  the main one again. Retained. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetRunLoop(HERALD_CF_RUN_LOOP loop);

#ifdef CF_IMPLICIT_BRIDGING_DISABLED
CF_IMPLICIT_BRIDGING_DISABLED
#endif

#ifdef __cplusplus
}
#endif
#endif
