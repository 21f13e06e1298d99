/* Centers of wider scope: another process, another machine.
 *
 * A transport carries posts beyond this process. Its center is a HeraldCenterRef like any other and keeps its
 * observers in the same local table; the transport is told which names have observers here, takes over posting,
 * and hands in what arrives from outside.
 *
 * Threads. firstObserver and lastObserver are called one at a time for one center, in the order in which the names
 * gained and lost observers, on the thread that adds or removes, with no lock of Herald's held. Another thread that
 * adds or removes on this center waits meanwhile, so the hooks must not wait for a callback of this center to return,
 * nor for a lock that is held around HeraldCenterDeliver. They may add to and remove from the center themselves, and
 * other centers. Where the hooks of two centers would wait for each other so, the later add is refused with
 * HeraldTransportFailed; a removal is not, and lastObserver follows.
 * post may be called on any number of threads at once. destroy is the last call of all.
 *
 * Fork. In the child of a fork a hook that was running in another thread of the parent counts as returned. The
 * transport's threads do not exist there, so the child's next registration of each name is announced again by
 * firstObserver, whether or not observers of it were inherited; lastObserver comes for the inherited ones as well.
 */
#ifndef HERALD_TRANSPORT_H
#define HERALD_TRANSPORT_H

#include <herald/message.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t size; /**< sizeof(HeraldTransport); the struct only ever grows */

    /** The transport's own; passed to every hook. */
    void *context;

    /** A name (NULL: any name) is about to get its first observer, whatever the object. Returns before the
     *  registration can be seen; any status but HeraldOK makes the add fail with that status, and nothing has changed.
     *  After lastObserver for a name, its next observer brings the next firstObserver. May be NULL. */
    HeraldStatus (*firstObserver)(void *context, HeraldCenterRef center, HeraldNameRef name);

    /** A name (NULL: any name) has lost its last observer, or the center is being closed. May be NULL. */
    void (*lastObserver)(void *context, HeraldCenterRef center, HeraldNameRef name);

    /** A post on the center. Returns how many callbacks ran here (0, when what it sends comes back by
     * HeraldCenterDeliver later on another thread). NULL: posts go to the local table as on any center. */
    size_t (*post)(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                   const void *tag, unsigned options);

    /** The center is gone and no other hook runs or will run. May be NULL. */
    void (*destroy)(void *context);

    /** Names are all that is carried: objects given to the center's adding and removing calls count as NULL (and are
     *  not retained), so that an observer of one object is called for every post of the name. */
    bool ignoresObjects;

    /** The center is never closed: retaining and releasing it does nothing, as with the local center, and posting on
     *  it costs less. */
    bool livesForever;

    /** A message on the center (message.h): its size, bytes and texts have been looked at, and `name` is not NULL. What
     *  it answers is the post's status. NULL: posting a message is HeraldInvalidArgument. */
    HeraldStatus (*postMessage)(void *context, HeraldCenterRef center, HeraldNameRef name,
                                const HeraldMessage *message);

    /** Whether anybody could hear a post of the name, here or where the transport reaches. NULL: it cannot know. */
    bool (*isHeard)(void *context, HeraldCenterRef center, HeraldNameRef name);
} HeraldTransport;

/** A new center over a transport; the hooks are copied. `options` may be NULL. On failure `*center` is NULL and
 *  destroy has not been called. */
HERALD_EXPORT HeraldStatus HeraldCenterCreateWithTransport(const HeraldCenterOptions *options,
                                                           const HeraldTransport *transport, HeraldCenterRef *center);

/** Hands in what arrived: delivers to the center's observers in this process by the rules of a post, suspension
 *  included, on the calling thread. Returns how many callbacks ran. The caller holds a reference to the center, or
 *  knows by other means that it lives. */
HERALD_EXPORT size_t HeraldCenterDeliver(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                         const void *userInfo, const void *tag, unsigned options);

/** The same for a message, which is the caller's, as what it points to. Its options say whether it is delivered
 *  immediately; observers see all of its fields. */
HERALD_EXPORT size_t HeraldCenterDeliverMessage(HeraldCenterRef center, HeraldNameRef name,
                                                const HeraldMessage *message);

/** Adds a reference to a transport's center for its threads, whoever may be releasing it: false when the last reference
 *  is gone. To be called only while destroy has not returned, so under a lock that destroy takes. */
HERALD_EXPORT bool HeraldCenterTryRetain(HeraldCenterRef center);

/** Observes the names that begin with a prefix and a dot, not the prefix itself, for the transport's own function of
 *  that kind. HeraldInvalidArgument for a prefix that is empty or ends with a dot; the rest is as with
 *  HeraldCenterAddObserverWithOptions and no name; the registration is removed by its token alone.
 *      `ended` is called with `context` when the registration has ended, after its release hook. The transport is not
 *  told of the registration then: it has seen to it that these names come in. NULL: it is told, as of an observer of
 * any name. */
HERALD_ADDS HeraldStatus HeraldCenterAddObserverUnder(HeraldCenterRef center, const void *observer,
                                                      HeraldCallback callback, const char *prefix,
                                                      const HeraldObserverOptions *options,
                                                      void (*ended)(void *context), void *context, HeraldToken *token);

/** Whether HeraldCenterPostMessage would take the message: for transports that read it from elsewhere. */
HERALD_EXPORT bool HeraldMessageIsPossible(const HeraldMessage *message);

/** Whether this process has an observer: true when a HeraldCenterDeliver of this name could call a callback. */
HERALD_EXPORT bool HeraldCenterHasObservers(HeraldCenterRef center, HeraldNameRef name);

#ifdef __cplusplus
}
#endif
#endif
