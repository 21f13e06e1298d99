/* CFNotificationCenter on Linux: what the toolchain's CFNotificationCenter.h does not declare.
 *
 * The functions of that header are this library's, too. A program includes or imports CoreFoundation, and links this.
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

/** The center between programs, which CFNotificationCenter.h hides on Linux: Herald's host center, which all processes
 *  of the user share.
 *      Objects are CFStrings, compared by their text. An observer with an object hears the posts with an equal one. An
 *  observer without an object hears all posts of the name, also those of the Darwin center, of C and of the command
 *  `herald`, which have neither object nor userInfo. userInfo is a dictionary that is a property list, at most 65,536
 *  bytes in its binary form and 512 levels deep. Object and name are limited, too: see herald/host.h. If a post cannot
 *  be made, nothing is posted, and a line on stderr says why. A message of another program (herald/message.h) is heard
 *  only if it has no bytes, or if it has the type "application/x-plist" and such a dictionary in its bytes. Observers
 *  are called on the main run loop, in its common modes, or on the main queue of a program that is run by
 *  dispatchMain() or an `async` main. The arguments of a callback are valid during the call. Until the run loop turns,
 *  at most 1024 posts wait for an observer, and 16 MiB for all (each post counted once for each observer); beyond that
 *  the oldest are dropped. A name that was posted or observed lasts as long as the process.
 *  kCFNotificationPostToAllSessions changes nothing: all of the user's processes hear each post anyway. */
__attribute__((visibility("default"))) HERALD_CF_CENTER CFNotificationCenterGetDistributedCenter(void);

/** Sets the center that carries the posts of the distributed center from now on: a network center (herald/network.h),
 *  which takes them to other machines, or any other center that carries messages. NULL: the host center again. The
 *  center is retained until the process ends. Existing observers stay with the center that they were added to, so set
 *  it first. If `center` refuses a post, nothing is posted, and a line on stderr says so. */
__attribute__((visibility("default"))) void HeraldCFSetDistributedCenter(HeraldCenterRef center);

/** Suspends or resumes the local or the distributed center, for this process, as AppKit does on macOS with an
 *  application that is not active. Each observer's suspension behavior decides what becomes of posts in the meantime.
 *  On resume held posts are delivered: by the local center before this returns, by the distributed one on the run loop.
 *  The Darwin center is never suspended. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetSuspended(HERALD_CF_CENTER center,
                                                                                   bool suspended);
__attribute__((visibility("default"))) bool HeraldCFNotificationCenterIsSuspended(HERALD_CF_CENTER center);

/** Sets the run loop on which observers of the Darwin and the distributed center are called, in its common modes,
 *  instead of the main one. NULL: the main one again. The run loop is retained. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetRunLoop(HERALD_CF_RUN_LOOP loop);

#ifdef CF_IMPLICIT_BRIDGING_DISABLED
CF_IMPLICIT_BRIDGING_DISABLED
#endif

#ifdef __cplusplus
}
#endif
#endif
