/* Centers whose posts reach other processes or machines.
 *
 * A transport carries posts beyond this process. Its center is a HeraldCenterRef like any other, and keeps the
 * observers of this process in its own table. The transport learns which names have observers here, takes over posting,
 * and hands in what arrives from outside.
 *
 * Threads. For one center, firstObserver and lastObserver are called one at a time, in the order in which names gain
 * and lose observers. They are called on the thread that adds or removes, under no lock of Herald's. Another thread
 * that adds or removes on this center waits until the hook has returned. So a hook must not wait for a callback of this
 * center to return, nor for a lock that is held around HeraldCenterDeliver. A hook may itself add to and remove from
 * this center and other centers. If the hooks of two centers, on two threads, add to each other's center, each waits
 * for the other's hook. The later of these adds then fails with HeraldTransportFailed. A removal never fails for this
 * reason; its lastObserver follows later.
 * post may be called on any number of threads at once. destroy is the last hook that is called.
 *
 * Fork. In the child of a fork a hook that was running in another thread of the parent counts as returned. The
 * transport's threads do not exist in the child. So firstObserver is called again for the child's next registration of
 * each name, even if the child has inherited observers of the name. lastObserver is called also for a name whose last
 * observer was inherited.
 */
#ifndef HERALD_TRANSPORT_H
#define HERALD_TRANSPORT_H

#include <herald/message.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t size; /**< sizeof(HeraldTransport); the struct only ever grows */

    /** The transport's own pointer; passed to every hook. */
    void *context;

    /** A name (NULL: any name) is about to get its first observer, whatever the observer's object is. No post finds the
     *  registration before the hook has returned. If the hook returns anything but HeraldOK, the add fails with that
     *  status, and nothing has changed. After lastObserver for a name, the next observer of the name causes another
     *  firstObserver. May be NULL. */
    HeraldStatus (*firstObserver)(void *context, HeraldCenterRef center, HeraldNameRef name);

    /** A name (NULL: any name) has lost its last observer, or the center is being closed. May be NULL. */
    void (*lastObserver)(void *context, HeraldCenterRef center, HeraldNameRef name);

    /** A post on the center. Returns how many callbacks ran here: 0 if the post comes back later, on another thread, by
     *  HeraldCenterDeliver. NULL: posts go to the center's own table, as on a center without a transport. */
    size_t (*post)(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                   const void *tag, unsigned options);

    /** The center has ended, and no other hook is running or will run. May be NULL. */
    void (*destroy)(void *context);

    /** The transport carries no objects. In calls that add or remove, the object counts as NULL and is not retained. So
     *  an observer of one object is called for every post of the name. */
    bool ignoresObjects;

    /** The center never ends: retaining and releasing it does nothing, as with the local center, and posting on it
     *  costs less. */
    bool livesForever;

    /** A message on the center (message.h). Its size, bytes and texts have been checked, and `name` is not NULL.
     *  HeraldCenterPostMessage returns the hook's status, or HeraldInvalidArgument if there is no hook. */
    HeraldStatus (*postMessage)(void *context, HeraldCenterRef center, HeraldNameRef name,
                                const HeraldMessage *message);

    /** Whether a post of the name could be heard, here or where the transport reaches. NULL: the transport cannot
     *  know. */
    bool (*isHeard)(void *context, HeraldCenterRef center, HeraldNameRef name);
} HeraldTransport;

/** Makes a center over a transport; the hooks are copied. `options` may be NULL. On failure `*center` is NULL and
 *  destroy has not been called. */
HERALD_EXPORT HeraldStatus HeraldCenterCreateWithTransport(const HeraldCenterOptions *options,
                                                           const HeraldTransport *transport, HeraldCenterRef *center);

/** Hands in a post that has arrived. It is delivered on the calling thread, to the center's observers in this process,
 *  by the rules of a post, suspension included. Returns how many callbacks ran. The caller holds a reference to the
 *  center, or knows by other means that the center lives. */
HERALD_EXPORT size_t HeraldCenterDeliver(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                         const void *userInfo, const void *tag, unsigned options);

/** Hands in a message that has arrived, by the same rules. The message, and what it points to, stay the caller's. Its
 *  options decide whether it is delivered immediately. Observers see all of its fields. */
HERALD_EXPORT size_t HeraldCenterDeliverMessage(HeraldCenterRef center, HeraldNameRef name,
                                                const HeraldMessage *message);

/** Adds a reference to a transport's center, for the transport's threads. Another thread may be releasing the center at
 *  the same time. False if the last reference is gone. Call it only before destroy has returned; to be sure of that,
 *  call it under a lock that destroy takes as well. */
HERALD_EXPORT bool HeraldCenterTryRetain(HeraldCenterRef center);

/** Observes the names that begin with a prefix and a dot, not the prefix itself. It is meant for a transport that
 *  offers such a function to its users. HeraldInvalidArgument for a prefix that is empty or ends with a dot. In all
 *  else the call is like HeraldCenterAddObserverWithOptions with name NULL. Only its token removes the registration.
 *
 *  `ended` is called with `context` when the registration has ended, after its release hook. If `ended` is not NULL,
 *  firstObserver and lastObserver are not called for the registration: the transport has made sure by itself that these
 *  names come in. If `ended` is NULL, they are called as for an observer of any name. */
HERALD_ADDS HeraldStatus HeraldCenterAddObserverUnder(HeraldCenterRef center, const void *observer,
                                                      HeraldCallback callback, const char *prefix,
                                                      const HeraldObserverOptions *options,
                                                      void (*ended)(void *context), void *context, HeraldToken *token);

/** Whether HeraldCenterPostMessage would accept the message; for transports that get messages from outside. */
HERALD_EXPORT bool HeraldMessageIsPossible(const HeraldMessage *message);

/** Whether this process has an observer that a HeraldCenterDeliver of this name could call. */
HERALD_EXPORT bool HeraldCenterHasObservers(HeraldCenterRef center, HeraldNameRef name);

#ifdef __cplusplus
}
#endif
#endif
