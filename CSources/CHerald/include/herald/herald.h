/* Herald: a notification center for Swift and C on Linux.
 *
 * A post to many observers costs about as much as a loop that calls them, on any number of threads. Observers are weak,
 * ordered, and never called after they are gone. The calls keep the shape of CFNotificationCenter: read HeraldCenter
 * for CFNotificationCenter and HeraldNameRef for CFStringRef. Rule numbers (R1 to R30) refer to the
 * contract, CONTRACT.md in the sources and in share/doc/herald. This header summarises the contract.
 *
 *      static void saved(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
 *                        const void *userInfo) { ... }
 *
 *      HeraldNameRef name = HeraldNameCreate("document.saved");
 *      HeraldToken token;
 *      HeraldStatus status =
 *          HeraldCenterAddObserverWithOptions(HeraldCenterGetLocalCenter(), me, saved, name, NULL, NULL, &token);
 *      HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), name, document, "a.txt", false);
 *      HeraldCenterRemoveTokenAndWait(HeraldCenterGetLocalCenter(), token);      -- after this: never called again
 *
 * The rules stand at the end: WHO IS CALLED, IN WHICH ORDER, WHERE AND WHEN, WHICH CALLS MAY RACE, WHO OWNS WHAT,
 * REMOVAL, WHAT POSTING PROMISES, LEAVING A CALLBACK IN OTHER WAYS, FORK, COPIES and KERNEL.
 */
#ifndef HERALD_HERALD_H
#define HERALD_HERALD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HERALD_EXPORT __attribute__((visibility("default")))
/* Marks a function that adds a registration: the compiler warns if the status is not used. In C++ this is
 * [[nodiscard]], because a cast to void then silences the warning. */
#if defined(__cplusplus) && __cplusplus >= 201703L
#define HERALD_ADDS [[nodiscard]] HERALD_EXPORT
#else
#define HERALD_ADDS __attribute__((visibility("default"), warn_unused_result))
#endif
#else
#define HERALD_EXPORT
#define HERALD_ADDS
#endif

/** The version of this header, "major.minor.patch". */
#define HERALD_VERSION "0.3.0"

/** A notification center: reference-counted, usable from every thread. */
typedef struct HeraldCenter *HeraldCenterRef;

/** A name: interned, so equal names are equal pointers, for the life of the process (R13). */
typedef const struct HeraldName *HeraldNameRef;

/** A prepared (center, name, object): the fastest way to post. */
typedef struct HeraldTopic *HeraldTopicRef;

/** Names one registration. {0, 0} names nothing; numbers are never reused (R9). */
typedef struct {
    uint64_t center;
    uint64_t registration;
} HeraldToken;

/** Called for a post, on the posting thread. `object` and `userInfo` are the poster's and borrowed for the call. */
typedef void (*HeraldCallback)(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                               const void *userInfo);

/** A callback that also gets the post's tag (R21), and so need not call HeraldGetCurrentTag. */
typedef void (*HeraldTaggedCallback)(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                     const void *userInfo, const void *tag);

/** The result of a call that can fail. Values are frozen; new ones are added at the end. */
typedef enum {
    HeraldOK = 0,
    HeraldInvalidArgument = 1, /**< an argument that the call does not accept; nothing has changed */
    HeraldOutOfMemory = 2,     /**< nothing has changed (R15); for a message on a suspended center see message.h */
    HeraldTransportFailed = 3, /**< the center's transport could not begin to carry the name; nothing has changed */
    HeraldTooLarge = 4,        /**< a message is larger than the center carries; nothing was posted */
    HeraldQueueFull = 5,       /**< no room for a message now; nothing was posted (suspended centers: see message.h) */
    HeraldNotStored = 6        /**< a message is not known to be stored (R28) */
} HeraldStatus;

/** How a registration gets the posts that come while its center is suspended (R16). */
typedef enum {
    HeraldSuspensionDrop = 1,     /**< not at all */
    HeraldSuspensionCoalesce = 2, /**< on resume, the last post of each name and object, up to the center's limit */
    HeraldSuspensionHold = 3,     /**< on resume, every post, up to the center's limit; the oldest are dropped first */
    HeraldSuspensionDeliverImmediately = 4 /**< at once; posts that are queued already are delivered first */
} HeraldSuspensionBehavior;

/** Options of a post. Unknown bits are ignored. */
enum {
    HeraldPostDeliverImmediately = 1u << 0, /**< call every observer at once, even in a suspended center */
    HeraldPostToAllSessions = 1u << 1,      /**< for transports (transport.h); Herald's own centers ignore it */
    HeraldPostKeep = 1u << 2 /**< R25, for messages alone: the center keeps the message. Other posts ignore this bit:
                                  see HeraldCenterPostKept */
};

/** What a registration hears first (R25). */
typedef enum {
    HeraldStartNext = 0, /**< the next post */
    HeraldStartKept = 1  /**< what is kept, then the next post; for a name, without a prefix */
} HeraldStart;

/** The options of a registration. Set `size`; a field that is zero has its default. */
typedef struct {
    size_t size;                                 /**< sizeof(HeraldObserverOptions); the struct only ever grows */
    HeraldSuspensionBehavior suspensionBehavior; /**< 0 means HeraldSuspensionDeliverImmediately */
    void (*release)(void *observer);             /**< R10: runs exactly once, after the last call; may call Herald */
    const void *(*retainObject)(const void *object); /**< R12: called by the add; objects of posts are compared with
                                                        what it returns */
    void (*releaseObject)(const void *object);       /**< called after `release`, with the result of retainObject */
    HeraldTaggedCallback taggedCallback; /**< R21, for bindings of other languages: called in place of `callback`, which
                                            must then be NULL. Only its token removes such a registration */
    const char *prefix; /**< R26: observes the names that begin with this text and a dot, on any center; the add's name
                             must then be NULL. UTF-8 of 1 to 511 bytes that does not end with a dot; it is copied.
                             Only its token removes such a registration. The result of a post counts such a registration
                             as one call, even if the post's name does not begin with the prefix */
    HeraldStart start;  /**< R25; HeraldStartKept: the add calls the observer with what is kept, on its thread. Over a
                             transport the transport's thread does so, later */
    void (*began)(void *observer, size_t kept, HeraldStatus status); /**< R25: with HeraldStartKept, called once, after
                             the observer has heard what was kept, and before it hears anything later. `kept`: how many
                             kept posts it has heard; 0: nothing is kept. `status`: HeraldOK; over a transport perhaps
                             another status, with `kept` 0, and then `began` may be called again. Counts as a call of
                             the observer. May be NULL */
} HeraldObserverOptions;

/** How a center holds posts while it is suspended. Set `size`; a field that is zero has its default. */
typedef struct {
    size_t size;                                         /**< sizeof(HeraldCenterOptions) */
    const void *(*retainUserInfo)(const void *userInfo); /**< R16; NULL: held posts are delivered with userInfo NULL */
    void (*releaseUserInfo)(const void *userInfo);
    const void *(*retainObject)(const void *object); /**< NULL: held posts are delivered with object NULL */
    void (*releaseObject)(const void *object);
    size_t heldPostLimit; /**< the most posts that are held for one registration; 0: 1024 */
    size_t keptPostLimit; /**< R25: the most posts that the center keeps; 0: 65536 */
    bool staysQuiet; /**< the center is never suspended and has no observers of any name or a prefix: suspending it does
                          nothing, and adding such an observer returns HeraldInvalidArgument. So neither can slow down
                          the posts of its topics, or keep what they carry */
} HeraldCenterOptions;

/** How the posts of a tag are held while a center is suspended (R16). Set `size`. If a retain hook is NULL, held posts
 *  are delivered with NULL in place of that pointer. */
typedef struct {
    size_t size;   /**< sizeof(HeraldTagOptions); the struct only ever grows */
    bool borrowed; /**< userInfo lives only as long as the post. So registrations with
                      HeraldSuspensionDeliverImmediately are called at once: the post overtakes what is queued for
                      them */
    const void *(*retainUserInfo)(const void *userInfo); /**< its result is delivered later, then released */
    void (*releaseUserInfo)(const void *userInfo);
    const void *(*retainObject)(const void *object);
    void (*releaseObject)(const void *object);
} HeraldTagOptions;

/** A sentence about a status, for a log. Never NULL; valid for the life of the process. HeraldGetErrorDescription says
 *  more. */
HERALD_EXPORT const char *HeraldStatusGetDescription(HeraldStatus status);

/** The sentence of this thread's last call that failed, on any center: what was wrong, and what would be right. "" if
 *  none has failed. Never NULL; valid until this thread's next call that fails, or its end. */
HERALD_EXPORT const char *HeraldGetErrorDescription(void);

/** The version of the library, "major.minor.patch". HERALD_VERSION is the version that the program was compiled
 *  with. */
HERALD_EXPORT const char *HeraldGetVersion(void);

/* ---- Names (R13) ------------------------------------------------------------------------------------------------ */

/** Returns the name with this text, and makes the name if it does not exist yet. Returns NULL if `utf8` is NULL, empty
 *  or not UTF-8, or if memory is out. A name is its bytes, here and between processes: nothing is normalised. Names
 *  that Swift makes of its texts are in Unicode's normalization form C. */
HERALD_EXPORT HeraldNameRef HeraldNameCreate(const char *utf8);

/** Returns the name with this text if the name exists, otherwise NULL. Use this function to post names that come from
 *  outside the program: a look-up never makes a name, and a name that does not exist has no observers. (A post with
 *  name NULL calls no observer at all.) */
HERALD_EXPORT HeraldNameRef HeraldNameFind(const char *utf8);

/** Turns an address into a name, for keys that are types or variables. Such a name never leaves the process. The
 *  address must be even, and stays the caller's. NULL for NULL or an odd address. Never allocates. */
HERALD_EXPORT HeraldNameRef HeraldNameForAddress(const void *address);

/** The text of a name, valid for the life of the process. NULL for NULL and for a name that is an address. */
HERALD_EXPORT const char *HeraldNameGetUTF8String(HeraldNameRef name);

/* ---- Centers (R19) ---------------------------------------------------------------------------------------------- */

/** The center of this process. It never ends: HeraldCenterRetain and HeraldCenterRelease do nothing to it. */
HERALD_EXPORT HeraldCenterRef HeraldCenterGetLocalCenter(void);

/** A new center, separate from all others; release it with HeraldCenterRelease. `options` may be NULL. NULL if memory
 *  is out or the options have an impossible size. */
HERALD_EXPORT HeraldCenterRef HeraldCenterCreate(const HeraldCenterOptions *options);

/** Adds a reference; returns its argument. */
HERALD_EXPORT HeraldCenterRef HeraldCenterRetain(HeraldCenterRef center);

/** Releases a reference; NULL does nothing. When the last reference is released, every registration ends, and its
 *  release hook runs (R10). A center may be released inside one of its own callbacks: observers that have not been
 *  called yet are skipped. */
HERALD_EXPORT void HeraldCenterRelease(HeraldCenterRef center);

/* ---- Observers -------------------------------------------------------------------------------------------------- */

/** Registers `callback`: posts of `name` (NULL: any) with `object` (NULL: any) call it with `observer`.
 *  `suspensionBehavior` 0 means HeraldSuspensionDeliverImmediately, as in the options. HeraldInvalidArgument for a NULL
 *  center or callback, and for a behavior that is neither 0 nor one of the four. */
HERALD_ADDS HeraldStatus HeraldCenterAddObserver(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                                 HeraldNameRef name, const void *object,
                                                 HeraldSuspensionBehavior suspensionBehavior);

/** Adds an observer with hooks and a token. `options` and `token` may be NULL. The token is written before any post can
 *  see the registration (R9). If the add fails, the token is {0, 0}, `release` is not run, and the caller still owns
 *  the observer. If retainObject returns NULL for an object, the add fails with HeraldInvalidArgument. */
HERALD_ADDS HeraldStatus HeraldCenterAddObserverWithOptions(HeraldCenterRef center, const void *observer,
                                                            HeraldCallback callback, HeraldNameRef name,
                                                            const void *object, const HeraldObserverOptions *options,
                                                            HeraldToken *token);

/** Removes the observer's registrations that match (R8). Name NULL matches any name, object NULL any object. A `name`
 *  that is not NULL does not match a registration that was added with name NULL; the same goes for `object`. Observer
 *  NULL removes nothing. A call that another thread has already decided to make may still begin after this function has
 *  returned (R6). The release hook runs after that call. */
HERALD_EXPORT void HeraldCenterRemoveObserver(HeraldCenterRef center, const void *observer, HeraldNameRef name,
                                              const void *object);

/** Removes every registration of this observer, and of no other. */
HERALD_EXPORT void HeraldCenterRemoveEveryObserver(HeraldCenterRef center, const void *observer);

/** Removes every registration of this observer, and waits for their calls. Inside a callback it does not wait (R11).
 *  After the wait no call with this observer is running anywhere. This holds also for registrations that another thread
 *  has removed, but their release hooks may still be running on that thread. */
HERALD_EXPORT void HeraldCenterRemoveEveryObserverAndWait(HeraldCenterRef center, const void *observer);

/** Removes one registration. For a stale token, a token of another center, or {0, 0} it returns false and changes
 *  nothing (R9). */
HERALD_EXPORT bool HeraldCenterRemoveToken(HeraldCenterRef center, HeraldToken token);

/** Removes one registration, and waits for its calls. Inside a callback it does not wait (R11). If another thread has
 *  removed the registration, this function waits for the release hook and returns false. The wait is not a cancellation
 *  point. */
HERALD_EXPORT bool HeraldCenterRemoveTokenAndWait(HeraldCenterRef center, HeraldToken token);

/** Removes one registration without waiting, and calls `then(context)` once, after the registration's last call has
 *  returned on every thread and its release hook has run (R11). So `then` may free what the callback has used, also
 *  inside a callback, where AndWait does not wait. If no call is running, `then` is called before this function
 *  returns; otherwise the thread whose call returns last calls it. If the registration is over, or the token names
 *  nothing, `then` is called at once. If several threads end the same registration, each `then` is called. `then`
 *  counts as a hook. In the child of a fork, `then` is not called if another thread was in the registration's release
 *  hook: that release counts as over (R18). Returns HeraldInvalidArgument if `center` or `then` is NULL, and
 *  HeraldOutOfMemory; after either, nothing has changed and `then` is not called. */
HERALD_EXPORT HeraldStatus HeraldCenterRemoveTokenThen(HeraldCenterRef center, HeraldToken token,
                                                       void (*then)(void *context), void *context);

/** Whether the token names a registration that has not been removed. A registration that is blocked counts. */
HERALD_EXPORT bool HeraldCenterHasToken(HeraldCenterRef center, HeraldToken token);

/** Blocks a registration, or ends that. A post that begins after this call has returned does not call a registration
 *  that is blocked, and a suspended center holds nothing for it: it misses what is posted until it is no longer
 *  blocked. A post that is running may still call it (R6). A post costs what it costs among registrations of which one
 *  has been removed. Blocking twice is ended by one call. A registration that begins with what is kept (R25) hears
 *  in the call that unblocks it what it has still to hear from before it was blocked. In the child of a fork it stays
 *  blocked. Returns false if the token names no registration of this center. */
HERALD_EXPORT bool HeraldCenterSetTokenBlocked(HeraldCenterRef center, HeraldToken token, bool blocked);

/** Whether the token names a registration that is blocked. */
HERALD_EXPORT bool HeraldCenterIsTokenBlocked(HeraldCenterRef center, HeraldToken token);

/** HeraldCenterRemoveToken and HeraldCenterRemoveTokenAndWait for a caller that has the token alone. Return false, too,
 *  if the center has been released. */
HERALD_EXPORT bool HeraldTokenRemove(HeraldToken token);
HERALD_EXPORT bool HeraldTokenRemoveAndWait(HeraldToken token);

/** The center of the token's registration, with a reference that the caller releases. NULL if the center has been
 *  released, or if there is none. The registration may be over. */
HERALD_EXPORT HeraldCenterRef HeraldTokenRetainCenter(HeraldToken token);

/** Inside a callback, and in HeraldObserverOptions.began: the token of the registration that is being called on this
 *  thread. {0, 0} elsewhere, also in a hook. So a callback can remove its own registration, even if the add has not
 * returned yet. */
HERALD_EXPORT HeraldToken HeraldGetCurrentToken(void);

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

/** Posts; returns how many callbacks ran. A NULL center or name calls no observer. */
HERALD_EXPORT size_t HeraldCenterPostNotification(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                                  const void *userInfo, bool deliverImmediately);

/** Posts with option bits (HeraldPostDeliverImmediately, HeraldPostToAllSessions). */
HERALD_EXPORT size_t HeraldCenterPostNotificationWithOptions(HeraldCenterRef center, HeraldNameRef name,
                                                             const void *object, const void *userInfo,
                                                             unsigned options);

/** Posts with a tag, a pointer that identifies what userInfo is (R21). Posts without a tag carry NULL. */
HERALD_EXPORT size_t HeraldCenterPostTagged(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                            const void *userInfo, const void *tag, unsigned options);

/** Inside a callback: the tag of the post that is being delivered on this thread. NULL elsewhere. */
HERALD_EXPORT const void *HeraldGetCurrentTag(void);

/* ---- Kept posts (R25) ------------------------------------------------------------------------------------------- */

/** Posts, and keeps the post for observers that come later: those that are added with HeraldStartKept hear the last
 *  kept post of each (name, object) first. State is kept, events are not: keep what is still true when somebody comes
 *  late, such as settings or the state of a connection. Herald retains userInfo and object by the hooks of the tag, or
 *  of the center (an object needs none: then its address is kept), until a newer post of the name and object takes the
 *  place of this one, or HeraldCenterForget forgets it. `*called` (may be NULL) becomes the number of callbacks that
 *  ran. When the call returns HeraldOK, HeraldCenterTakeKept gives this post or a newer one. Otherwise nothing was
 *  posted or kept. HeraldInvalidArgument: a NULL center or name; a userInfo that no hook retains, or a hook that has
 *  returned NULL; a center over a transport, where messages are kept (HeraldPostKeep). HeraldQueueFull: the center
 *  keeps as many posts as it may, or the messages that the process keeps take 16 MiB. HeraldOutOfMemory. A kept post
 *  takes the center's lock, and allocates (R14). */
HERALD_EXPORT HeraldStatus HeraldCenterPostKept(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                                const void *userInfo, const void *tag, unsigned options,
                                                size_t *called);

/** The same for the topic's center, name and object. HeraldInvalidArgument for a NULL topic. */
HERALD_EXPORT HeraldStatus HeraldTopicPostKept(HeraldTopicRef topic, const void *userInfo, const void *tag,
                                               size_t *called);

/** Inside a callback: whether a registration that begins with what is kept is being given it. False in all other
 *  calls, also in those of kept posts that were made after the registration. */
HERALD_EXPORT bool HeraldPostIsKept(void);

/** Calls `take` once with what is kept for exactly this name and object, and returns true. Object NULL: the last post
 *  that was kept without an object. False: nothing is kept, or an argument but `object` or `context` is NULL. userInfo
 *  is borrowed for the call of `take`. For a message userInfo is a const HeraldMessage *, and its object is
 *  HeraldObjectForString of the message's text. */
HERALD_EXPORT bool HeraldCenterTakeKept(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                        void (*take)(void *context, const void *userInfo, const void *tag),
                                        void *context);

/** Forgets what is kept for exactly this name and object; later observers begin without it. No observer is called.
 *  Returns whether something was kept. Object NULL: as in HeraldCenterTakeKept. */
HERALD_EXPORT bool HeraldCenterForget(HeraldCenterRef center, HeraldNameRef name, const void *object);

/** Calls `visit` once for each post that the center keeps when this function is called. The posts have no particular
 *  order. No lock is held during a call of `visit`. Its arguments are borrowed for this call. If memory is out, this
 *  function calls `visit` for no post. */
HERALD_EXPORT void HeraldCenterVisitKept(HeraldCenterRef center,
                                         void (*visit)(void *context, HeraldNameRef name, const void *object,
                                                       const void *userInfo, const void *tag),
                                         void *context);

/** Sets how suspended centers hold posts with this tag (R16). The tag's hooks are used in place of the center's,
 *  because the owner of a tag knows what userInfo is and how to keep it. Call this function before the first post with
 *  the tag. The options are copied, for the life of the process. HeraldInvalidArgument for a NULL tag or options, an
 *  impossible size, or a tag that has options already. HeraldOutOfMemory if memory is out. */
HERALD_EXPORT HeraldStatus HeraldTagSetOptions(const void *tag, const HeraldTagOptions *options);

/** Prepares posts of (center, name, object). The topic retains the center. It stores only the address of `object`: the
 *  caller makes sure that no other object gets this address while the topic lasts. Returns NULL for a NULL center or
 *  name, if memory is out, or if the center has been released. (Callbacks and hooks may still run in a released center:
 *  R19.) */
HERALD_EXPORT HeraldTopicRef HeraldTopicCreate(HeraldCenterRef center, HeraldNameRef name, const void *object);

/** Posts through a topic; returns how many callbacks ran. A NULL topic calls no observer. */
HERALD_EXPORT size_t HeraldTopicPost(HeraldTopicRef topic, const void *userInfo);
HERALD_EXPORT size_t HeraldTopicPostTagged(HeraldTopicRef topic, const void *userInfo, const void *tag);

/** A topic without a name: a signal. It is posted as any topic. Only HeraldTopicAddObserver adds its observers; in a
 *  callback the name is one that no other topic of the center has. Observers of any name hear it, too. It keeps no
 *  posts (R25). Its registrations end with the topic, as in HeraldTopicRemoveEveryObserver. Returns NULL for a NULL
 *  center, if memory is out, if the center has been released, or if the center has a transport. */
HERALD_EXPORT HeraldTopicRef HeraldTopicCreateUnnamed(HeraldCenterRef center);

/** Adds an observer of the topic's center, name and object, as HeraldCenterAddObserverWithOptions does with these two
 *  options. Finds the observers' list without a look-up. `release` and `token` may be NULL. The registration outlives a
 *  topic that has a name. HeraldInvalidArgument for a NULL topic or callback. */
HERALD_ADDS HeraldStatus HeraldTopicAddObserver(HeraldTopicRef topic, const void *observer,
                                                HeraldTaggedCallback taggedCallback, void (*release)(void *observer),
                                                HeraldToken *token);

/** Removes the registrations for exactly the topic's name and object, whoever has added them. Does not wait (R6). NULL
 *  does nothing. */
HERALD_EXPORT void HeraldTopicRemoveEveryObserver(HeraldTopicRef topic);

/** How many registrations there are for exactly the topic's name and object, those that are blocked included. */
HERALD_EXPORT size_t HeraldTopicGetObserverCount(HeraldTopicRef topic);

/** Ends a topic; NULL does nothing. A topic may be released inside its own post, on the thread that posts. */
HERALD_EXPORT void HeraldTopicRelease(HeraldTopicRef topic);

/* ---- Suspension (R16) ------------------------------------------------------------------------------------------- */

/** Suspends or resumes a center. A resume delivers the held posts in posting order, on the calling thread, before this
 *  function returns. (It returns earlier if another thread is delivering them already, or takes over.) New posts do not
 *  overtake held ones (R16). A post from outside of callbacks waits until the held posts have been delivered. A post
 *  from inside a callback is queued behind them, up to a limit. Then followers hear what was kept meanwhile (R25). */
HERALD_EXPORT void HeraldCenterSetSuspended(HeraldCenterRef center, bool suspended);
HERALD_EXPORT bool HeraldCenterIsSuspended(HeraldCenterRef center);

/** How many posts the center has dropped since it was made, because a limit was reached or because there was no memory
 *  to hold a post. A post counts once for each registration that should have got it. */
HERALD_EXPORT uint64_t HeraldCenterGetDroppedPostCount(HeraldCenterRef center);

#ifdef __cplusplus
}
#endif

/* The rules.
 *
 * WHO IS CALLED (R1). A post of (name, object) calls the registrations for (name, object), (name, any object),
 * (any name, object) and (any name, any object); NULL in a registration means any. A post without an object does not
 * reach a registration for a particular object. A post with name NULL calls no observer.
 *
 * IN WHICH ORDER (R2, R4). In one post, callbacks run in the order of registration, no matter for which of these four
 * pairs they were registered. Registering the same thing twice means two calls.
 *
 * WHERE AND WHEN (R3, R5, R6, R7). Callbacks run synchronously, on the posting thread, before the post returns. A post
 * does not call a registration that is added during the post. Nor does it call a registration that is removed before
 * the post reaches it. A callback may post, add, remove, suspend, and release the center, to any depth.
 *
 * WHICH CALLS MAY RACE. All of them, on one center or on several, from any number of threads, except
 *      HeraldCenterRelease    with any other call that relies on the same reference
 *      HeraldTopicRelease     with a post through the same topic on another thread
 * Nothing here is async-signal-safe: a signal handler writes to a pipe, and a thread posts. Callbacks and hooks never
 * run under a lock of Herald's, except what an older fork handler of the program calls (R18).
 *
 * WHO OWNS WHAT (R10, R12, R13).
 *      observer    the caller's. The center keeps the address. With a release hook the registration owns the observer:
 *                  the hook runs exactly once, after all calls of the registration have returned, on every thread.
 *      object      the caller's; compared by address, never dereferenced. With retainObject the registration keeps
 *                  what the hook returns, so that the address cannot be reused while the registration lasts.
 *      userInfo    the poster's; borrowed for the call. A suspended center holds it only if the tag or the center has
 *                  hooks that retain it.
 *      name        Herald's, for the life of the process.
 *      token       a value; it owns nothing. A stale token never names anything again (R9).
 *      kept posts  the center's, by the hooks that retain userInfo, until a newer kept post of the name and object,
 *                  HeraldCenterForget, or the center's end (R25).
 *      center      reference-counted; the caller of Create releases it with Release.
 *      topic       has one owner, the caller of Create, who ends it with Release.
 *
 * REMOVAL (R6, R10, R11). After a Remove function has returned, no thread decides to call the registration any more. A
 * call that another thread had already decided to make may still begin, and running calls may go on. The AndWait
 * functions return when all these calls are over and the release hook has run.
 *      >>> INSIDE a callback or hook of any center, the AndWait functions do NOT wait.              <<<
 *      >>> When they return there, calls on other threads may still be running. So free nothing     <<<
 *      >>> that a running call may use: give the registration a release hook instead, or remove it  <<<
 *      >>> with HeraldCenterRemoveTokenThen, which calls a function after the last call.            <<<
 * (If they waited, two callbacks that remove each other could wait for each other for ever.)
 *
 * WHAT POSTING PROMISES (R14). After a thread's first post, a post takes no lock, makes no system call, allocates
 * nothing and writes no memory that another posting thread reads. It costs O(observers that match). A plain post on a
 * center without a transport never fails (R15). A post does take a lock in six cases. If a registration is removed
 * while it is being called, a post that returns from its callback may take a lock, and the last such post runs the
 * release hook. A post works under a lock if it is nested more than eight deep, if there is no memory for its thread's
 * record, or if it is made in a destructor of thread-specific data that runs after Herald's. A thread that has not
 * posted for a while may take a lock in its next post. A post to a suspended center takes the lock of the center's
 * queue. A kept post takes its center's lock, and allocates. On a center with a transport a post does what the
 * transport does.
 *
 * LEAVING A CALLBACK IN OTHER WAYS (R17). A callback may throw a C++ exception through the post, and may end its
 * thread (pthread_exit, deferred cancellation). The center stays usable, and everything that was due when the callback
 * was left, such as a release, is still done. A hook may do either, too. But of all hooks that run in one call, at most
 * one may throw: in clang builds, such as the Swift package's, a second exception during unwinding ends the process.
 * Undefined: longjmp out of a callback, switching stacks in it, asynchronous cancellation.
 *
 * FORK (R18). The child may go on using every center. Calls and releases that were running in the parent's other
 * threads count as over. Releases that were due run with the child's next call that changes a center.
 *
 * COPIES (R22). Several copies of the library in one process - a plugin that links libherald.so inside a program that
 * carries a static copy - share one local center, with the same names and tokens. Two kinds of copies stay apart: those
 * whose versions do not fit together, and those that dlmopen has loaded. HeraldVisitCopies (inspect.h) lists the
 * copies.
 *
 * KERNEL. A removal needs a memory barrier in all other threads of the process, so that posting needs none. A thread
 * that posts executes this barrier in its next post. For the other threads the removal calls membarrier(2). Where the
 * kernel refuses that call, or the environment has HERALD_BARRIER=fence, posts carry a fence for every observer
 * instead. If a seccomp filter forbids membarrier after Herald has begun to use it, Herald ends the process with a
 * message, because posts already rely on membarrier.
 */
#endif
