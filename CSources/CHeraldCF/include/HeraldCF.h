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

#include <herald/herald.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CF_IMPLICIT_BRIDGING_ENABLED
CF_IMPLICIT_BRIDGING_ENABLED
#endif

/** The center between programs, which the header hides from Linux: Herald's host center, which all processes of the
 *  user share.
 *      Objects are CFStrings, compared by their text: an observer with an object hears the posts with an equal one, an
 *  observer without one hears all posts of the name, also those of the Darwin center, of C and of the command `herald`,
 *  which have neither object nor userInfo. userInfo is a dictionary that is a property list, at most 65,536 bytes in
 * its binary form and 512 levels deep; object and name are limited, too: see herald/host.h. What cannot be posted is
 * not, and a line on stderr says why. An observer of another program's message (herald/message.h) hears it when it has
 * no bytes, or the type "application/x-plist" and such a dictionary in it; no other. Observers are called on the main
 * run loop, in its common modes, or on the main queue of a program that is run by dispatchMain() or an `async` main.
 * The arguments of a callback are valid for the call. Until the run loop turns, at most 1024 posts wait for an
 * observer, and 16 MiB for all (each post counted once for each observer); the oldest are dropped. A name that was
 * posted or observed lasts as long as the process. kCFNotificationPostToAllSessions changes nothing: all of the user's
 * processes hear it anyway. */
__attribute__((visibility("default"))) HERALD_CF_CENTER CFNotificationCenterGetDistributedCenter(void);

/** What carries the posts of the distributed center from now on: a network center (herald/network.h), which takes them
 *  to other machines, or any other center that carries messages. NULL: the host center again. Retained until the
 * process ends. Observers that are there stay with the center they were added to; so set it first. What `center`
 * refuses is not posted, and a line on stderr says so. */
__attribute__((visibility("default"))) void HeraldCFSetDistributedCenter(HeraldCenterRef center);

/** Suspends or resumes the local or the distributed center, for this process, as AppKit does on macOS with an
 *  application that is not active: what observers get of posts meanwhile is what they have registered for. On resume
 *  what was held is delivered, by the local center before this returns, by the distributed one on the run loop. The
 *  Darwin center is never suspended. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetSuspended(HERALD_CF_CENTER center,
                                                                                   bool suspended);
__attribute__((visibility("default"))) bool HeraldCFNotificationCenterIsSuspended(HERALD_CF_CENTER center);

/** The run loop on which observers of the Darwin and the distributed center are called, in its common modes, in place
 *  of the main one. NULL: the main one again. Retained. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetRunLoop(HERALD_CF_RUN_LOOP loop);

#ifdef CF_IMPLICIT_BRIDGING_DISABLED
CF_IMPLICIT_BRIDGING_DISABLED
#endif

#ifdef __cplusplus
}
#endif
#endif
