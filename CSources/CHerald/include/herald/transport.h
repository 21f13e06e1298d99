/* Centers whose posts reach other processes or machines.
 *
 * A transport carries posts beyond this process. Its center is a HeraldCenterRef like any other, and keeps the
 * observers of this process in its own table. The transport learns which names have observers here, takes over posting,
 * and hands in what arrives from outside.
 *
 * Observers. For each name, `observed` tells the transport whether the name has observers here. Each change has a
 * version; later changes have higher versions. When two threads change a name at once, their two calls of `observed`
 * may overlap, and may arrive in either order. So the transport keeps, for each name, the version of the newest call
 * that it has accepted, and ignores older calls:
 *
 *     static HeraldStatus observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool isObserved,
 *                                  uint64_t version) {
 *         struct subscription *mine = find_or_make(context, name);
 *         if (!mine) return HeraldOutOfMemory;
 *         lock(mine);
 *         HeraldStatus status = HeraldOK;
 *         if (version > mine->version) {
 *             status = isObserved == mine->isOn ? HeraldOK : isObserved ? turn_on(mine) : turn_off(mine);
 *             if (status == HeraldOK) mine->version = version, mine->isOn = isObserved;
 *         }
 *         unlock(mine);
 *         return status;
 *     }
 *
 * Versions are never 0, and all centers of the process draw them from one counter. The transport may forget a name that
 * has no observers. If an add for that name is still under way, it calls `observed` again. An observer of all names is
 * told with name NULL, and not once more for each name.
 *
 * Threads. The thread that adds or removes calls `observed`, and holds no lock of Herald's. The hook may itself add to
 * and remove from any center. While one thread is in the hook, other threads add and remove without waiting for it.
 * Any number of threads may call `post` at once. Hooks may be called as soon as the center exists, before
 * HeraldCenterCreateWithTransport has returned. `destroy` is the last hook that is called.
 * A callback may throw, or end its thread (R17). Then HeraldCenterDeliver does not return.
 *
 * Fork. The transport's threads do not exist in the child of a fork. So the child's first add of each name calls
 * `observed` again, even if the child has inherited observers of the name. The child also calls `observed` when the
 * last inherited observer of a name is removed. A hook that was running in another thread of the parent counts as
 * returned. The transport's own locks are the transport's to care for (pthread_atfork).
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

    /** Deprecated: a hook of version 0.2. The next release removes it. Herald ignores it if `observed` is set. It is
     *  called before a name (NULL: any name) gets its first observer. If it does not return HeraldOK, the add fails.
     *  A center calls its two old hooks one at a time, in the order in which names gain and lose observers. If a hook
     *  adds to another center while another thread calls that center's old hooks, the add fails with
     *  HeraldTransportFailed; a removal does not fail, but lastObserver may follow later. May be NULL. */
    HeraldStatus (*firstObserver)(void *context, HeraldCenterRef center, HeraldNameRef name);
    /** Deprecated, too: a name has lost its last observer, or the center ends. May be NULL. */
    void (*lastObserver)(void *context, HeraldCenterRef center, HeraldNameRef name);

    /** A post on the center; `name` is not NULL. Returns how many callbacks ran here: 0 if the post comes back later,
     * on another thread, by HeraldCenterDeliver. NULL: posts go to the center's own table, as on a center without a
     * transport. */
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

    /** Whether the name (NULL: any name) has observers here, whatever their objects are. May be NULL.
     *
     *  With `isObserved`, an observer of the name is about to be added. Posts cannot find the observer before the hook
     *  has returned. If the hook does not return HeraldOK, the add fails with that status and nothing has changed; a
     *  transport does not keep the version of such a call. It may set the sentence of the failure
     *  (HeraldSetErrorDescription). The hook may be called again, with a higher version, although the name is observed.
     *
     *  Without `isObserved`, the name's last observer has been removed, or an add has failed after the hook accepted
     * it. The status is ignored. When the center ends, the hook is called without `isObserved` for each name that
     * has observers, before the last HeraldCenterRelease returns.
     *
     *  If `version` is lower than that of the newest call that the transport has accepted for the name, the call is
     * late: ignore it, and return HeraldOK. */
    HeraldStatus (*observed)(void *context, HeraldCenterRef center, HeraldNameRef name, bool isObserved,
                             uint64_t version);

    /** Like `observed`, for a prefix: whether the names that begin with the prefix and a dot have observers. The text
     * is without that dot, and lives as long as the process. If this hook is NULL, Herald calls `observed` with name
     * NULL for an observer of a prefix. */
    HeraldStatus (*observedUnder)(void *context, HeraldCenterRef center, const char *prefix, bool isObserved,
                                  uint64_t version);

    /** A registration of the name that starts with what is kept (R25) has been added; posts already find it. The
     *  transport finds what is kept, and hands it in by HeraldCenterBegin, later and on a thread on which it delivers,
     *  also when it fails. Until then kept posts wait for the registration. `object`: the text of the registration's
     *  object (HeraldObjectForString), valid during the call; NULL: any object. `token` names the registration, which
     *  another thread may have removed by now. The thread that adds calls this hook, under no lock of Herald's.
     *  NULL: the transport keeps nothing. Then HeraldPostKeep and HeraldStartKept are refused. If `begin` is set,
     *  `postMessage` gets messages with HeraldPostKeep in their options. */
    void (*begin)(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object, HeraldToken token);

    /** HeraldCenterTakeKept: calls `take` with the message that is kept for exactly this name and object (NULL: the
     *  one without an object), and returns true. The message is valid during the call. May be NULL. */
    bool (*takeKept)(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                     void (*take)(void *taken, const HeraldMessage *message), void *taken);

    /** HeraldCenterForget. May be NULL. */
    bool (*forget)(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object);

    /** HeraldCenterVisitKept. `visit` is called under no lock. May be NULL. */
    void (*visitKept)(void *context, HeraldCenterRef center,
                      void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message), void *visited);
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

/** A kept post that a transport hands in. `number`, from 1, is its place in the order of the transport's kept posts. */
typedef struct {
    const HeraldMessage *message; /**< NULL: a plain post of the name */
    uint64_t number;
} HeraldKeptPost;

/** Hands in a kept post that has arrived: like HeraldCenterDeliverMessage, and registrations that started with what is
 *  kept hear it once, in the order of the numbers (R25). Of each name, numbers rise from call to call; so two threads
 * do not call this function for one name at once. */
HERALD_EXPORT size_t HeraldCenterDeliverKept(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message,
                                             uint64_t number);

/** Hands in what a registration starts with, after the hook `begin`: the newest kept post of each object, the oldest
 *  first. Delivers them to the registration on the calling thread, then calls its `began` with their count and
 *  `status`, then delivers the kept posts that have waited and are newer. `delivered`: the transport has handed in all
 *  kept posts of the name up to this number, by calls that have returned, and will not hand in one of them again; 0:
 *  that is not known. With a `status` other than HeraldOK, `count` is 0; the transport may then call this function
 * again later. If the posts cannot be held, `began` gets 0 and HeraldOutOfMemory or HeraldQueueFull, as if that were
 * the status. Does nothing if the registration has been removed, or has begun with HeraldOK. The posts, and what they
 * point to, stay the caller's. */
HERALD_EXPORT void HeraldCenterBegin(HeraldCenterRef center, HeraldNameRef name, HeraldToken token,
                                     const HeraldKeptPost *kept, size_t count, uint64_t delivered, HeraldStatus status);

/** Adds a reference to a transport's center, for the transport's threads. Another thread may be releasing the center at
 *  the same time. False if the last reference is gone. While the transport has this reference, the center does not end.
 *  Call this function only before destroy has returned. To be sure of that, call it under a lock that destroy takes as
 *  well; but do not release the reference under that lock. */
HERALD_EXPORT bool HeraldCenterTryRetain(HeraldCenterRef center);

/** For transports written for 0.2. Adds an observer of the names below a prefix, like
 *  HeraldCenterAddObserverWithOptions with HeraldObserverOptions.prefix. If `ended` is not NULL, the transport's hooks
 *  are not called for the registration, and `ended` is called with `context` after the registration's release hook. */
HERALD_ADDS HeraldStatus HeraldCenterAddObserverUnder(HeraldCenterRef center, const void *observer,
                                                      HeraldCallback callback, const char *prefix,
                                                      const HeraldObserverOptions *options,
                                                      void (*ended)(void *context), void *context, HeraldToken *token);

/** Keeps a copy of the sentence for HeraldGetErrorDescription, and returns the status. For transports whose hooks or
 *  functions fail; at most 767 bytes are kept. */
HERALD_EXPORT HeraldStatus HeraldSetErrorDescription(HeraldStatus status, const char *description);

/** Whether HeraldCenterPostMessage would accept the message; if not, HeraldGetErrorDescription says why. */
HERALD_EXPORT bool HeraldMessageIsPossible(const HeraldMessage *message);

/** Whether this process has an observer that a HeraldCenterDeliver of this name could call. */
HERALD_EXPORT bool HeraldCenterHasObservers(HeraldCenterRef center, HeraldNameRef name);

#ifdef __cplusplus
}
#endif
#endif
