/* CFNotificationCenter on Linux: what the toolchain's CFNotificationCenter.h does not declare.
 *
 * This library also has the functions of that header. A program includes or imports CoreFoundation, and links this
 * library.
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

/** The distributed center, for posts between programs. Its posts go through Herald's host center, which all processes
 *  of the user share. On Linux CFNotificationCenter.h hides this function.
 *      Objects are CFStrings, compared by their text. An observer with an object hears the posts with an equal object.
 *  An observer without an object hears all posts of the name. These include plain posts, which have neither object nor
 *  userInfo: those of the Darwin center, of C programs (herald/host.h) and of the command `herald`. userInfo is a
 *  dictionary that is a property list, at most 65,536 bytes in its binary form and 512 levels deep. Object and name are
 *  limited, too: see herald/host.h. If a post cannot be made, nothing is posted, and a line on stderr says why. A
 *  message of another program (herald/message.h) is heard only if it has no bytes, or if it has the type
 *  "application/x-plist" and such a dictionary in its bytes.
 *      Observers are called on the main run loop, in its common modes. In a program that is run by dispatchMain() or an
 *  `async` main, they are called on the main queue. The arguments of a callback are valid during the call. Until the
 *  run loop turns, at most 1024 posts wait for each observer, and at most 16 MiB of posts for all observers together.
 *  (A post counts once for each observer.) Beyond these limits the oldest posts are dropped. For the limits of a
 *  suspended center, see HeraldCFNotificationCenterSetSuspended. A name that was posted or observed stays in memory as
 *  long as the process. kCFNotificationPostToAllSessions changes nothing: all of the user's processes hear each post
 *  anyway. */
__attribute__((visibility("default"))) HERALD_CF_CENTER CFNotificationCenterGetDistributedCenter(void);

/** Sets the center that carries the posts of the distributed center from now on. `center` is a network center
 *  (herald/network.h), which takes posts to other machines, or any other center that carries messages. If `center` is
 *  NULL, the host center carries the posts again. The center is retained until the process ends. Existing observers
 *  stay with the center that they were added to, so call this function before observers are added. If `center` refuses
 *  a post, nothing is posted, and a line on stderr says so. */
__attribute__((visibility("default"))) void HeraldCFSetDistributedCenter(HeraldCenterRef center);

/** Suspends or resumes the local or the distributed center, for this process. AppKit does this on macOS when an
 *  application becomes inactive or active. Each observer's suspension behavior decides what becomes of posts during the
 *  suspension. On resume, held posts are delivered. The local center delivers them before this function returns, the
 *  distributed center on the run loop. The Darwin center is never suspended.
 *      Both centers hold posts by the rules of Herald's centers (R16). At most 1024 posts are held for each observer;
 *  beyond that the oldest are dropped. The distributed center holds copies of messages (R23): at most 16 MiB, together
 *  with all other suspended centers of the process. A copy is made for each observer, as if each observer's post were a
 *  post of its own: so a post to observers that deliver immediately is heard after all that was held before it. An
 *  observer for which there is no room does not hear the post. Property lists are decoded on the thread that resumes.
 *  If more than 4096 of these posts arrive during that, further ones are lost. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetSuspended(HERALD_CF_CENTER center,
                                                                                   bool suspended);
__attribute__((visibility("default"))) bool HeraldCFNotificationCenterIsSuspended(HERALD_CF_CENTER center);

/** Sets the run loop on which observers of the Darwin and the distributed center are called, in its common modes. If
 *  `loop` is NULL, and before the first call of this function, the main run loop is used. The run loop is retained. */
__attribute__((visibility("default"))) void HeraldCFNotificationCenterSetRunLoop(HERALD_CF_RUN_LOOP loop);

#ifdef CF_IMPLICIT_BRIDGING_DISABLED
CF_IMPLICIT_BRIDGING_DISABLED
#endif

#ifdef __cplusplus
}
#endif
#endif
