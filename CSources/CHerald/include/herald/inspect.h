/* Seeing what a center does: who observes, who posts, and what each call costs.
 *
 *      static void note(void *context, const HeraldTraceEvent *event) { ... }
 *
 *      HeraldToken trace;
 *      HeraldStatus status = HeraldTraceStart(NULL, NULL, note, NULL, NULL, &trace);      -- all centers, all names
 *      ...
 *      HeraldTraceStop(trace);                                      -- after this: never called again
 *
 * WHAT IT COSTS. Nothing while there is no trace: a post executes no additional instruction. A traced post takes some
 * 200 nanoseconds longer, plus the time of its hooks.
 *
 * WHAT IS REPORTED. A post is a span: PostBegin, PostEnd. Each call of a callback is a span, too: CallBegin, CallEnd. A
 * call's parent is its post; the parent of a post inside a callback is that call. A callback may put messages into a
 * *mailbox*, from which another thread takes them; HeraldTraceCarry reports both steps. A hook is registered as an
 * observer in a hidden center of the library: for the traced name, with the traced center as the object (R1). So a
 * trace ends as a registration does (R5 to R11), and a hook may post, add and remove. A hook's own posts are not
 * traced. Hooks run on the posting thread. A trace that starts in the middle of a span gets at most the span's end
 * event.
 *
 * Threads. All functions may be called on any thread, but not from signal handlers.
 */
#ifndef HERALD_INSPECT_H
#define HERALD_INSPECT_H

#include <herald/herald.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of an event. */
typedef enum {
    HeraldTracePostBegin = 1,
    HeraldTraceCallBegin,
    HeraldTraceCallEnd,
    HeraldTracePostEnd,
    HeraldTraceQueued, /**< a callback has put a message into a mailbox */
    HeraldTraceHeard   /**< the message was heard, or was lost: see the outcome */
} HeraldTracePhase;

/** How a post, a call or a message ended. */
typedef enum {
    HeraldTraceReturned = 0,
    HeraldTraceUnwound, /**< a callback threw, or ended its thread (R17) */
    HeraldTraceHeld,    /**< a post: kept by a suspended center for at least some registrations (R16) */
    HeraldTraceCarried, /**< a post: handed to a transport */
    HeraldTraceDropped, /**< a message: lost, because there was no room; a post: lost for some of its registrations */
    HeraldTraceMerged,  /**< a message: another waiting message has taken its place */
    HeraldTraceEnded    /**< a call or a message: the registration had ended, so nobody was called */
} HeraldTraceOutcome;

/** An event. Borrowed for the call. `center` and `observer` may have ended by now: only compare their addresses. */
typedef struct {
    size_t size; /**< sizeof(HeraldTraceEvent); the struct only ever grows */
    HeraldTracePhase phase;
    HeraldTraceOutcome outcome;
    uint64_t begin, end;   /**< nanoseconds of CLOCK_MONOTONIC; `end` is 0 in Begin and Queued events */
    uint64_t span, parent; /**< numbers that this process gives; `parent` is the span around this one, or 0 */
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object, *tag;
    HeraldToken token;    /**< names the center, and the registration of the call or mailbox (0: none) */
    const void *observer; /**< set for a call, as is `callback`; else NULL */
    HeraldCallback callback;
    size_t calls;       /**< PostEnd: how many callbacks ran */
    uint32_t thread;    /**< the kernel's number of the thread */
    unsigned options;   /**< of a post */
    const void *caller; /**< of a post: the return address of the posting call; NULL if a transport delivers the post */
    const void *carrier;
    uint64_t message;          /**< Queued, Heard: the message's number in the mailbox `carrier` */
    uint64_t sender, sequence; /**< of a post that a transport carries: its message's numbers, which are the same in all
                                    processes. 0: the post has no message, or the transport does not know the numbers
                                    yet */
} HeraldTraceEvent;

typedef void (*HeraldTraceHook)(void *context, const HeraldTraceEvent *event);

/** Traces a center (NULL: all, also those that are made later) and a name (NULL: any). `release` (or NULL) runs once,
 *  after the last call of the hook has returned (R10). `trace` (or NULL) gets a token for HeraldTraceStop.
 *  HeraldInvalidArgument without a hook, HeraldOutOfMemory if memory is out; `release` does not run in these cases. A
 *  traced center is not retained: when it has ended, its trace gets no more events. */
HERALD_ADDS HeraldStatus HeraldTraceStart(HeraldCenterRef center, HeraldNameRef name, HeraldTraceHook hook,
                                          void *context, void (*release)(void *context), HeraldToken *trace);

/** Ends a trace, and waits until the hook is running on no thread. Inside a hook or callback it does not wait (R11).
 *  Returns false if the token names no trace. */
HERALD_EXPORT bool HeraldTraceStop(HeraldToken trace);

/** How many traces there are, for HeraldTraceIsOn. Atomic. */
HERALD_EXPORT extern uint32_t HeraldTraceCount;

/** Whether anything is traced. If not, code that carries messages on to other threads need not report them. */
static inline bool HeraldTraceIsOn(void) { return __atomic_load_n(&HeraldTraceCount, __ATOMIC_RELAXED) != 0; }

/** Nanoseconds of CLOCK_MONOTONIC. */
HERALD_EXPORT uint64_t HeraldTraceNow(void);

/** For code that carries messages on to other threads. `carrier` is the address of a mailbox, `message` the number of
 *  a message in it. If `end` is 0, this call reports that the message has been put into the mailbox; make this call
 *  inside the callback that has put it there. Otherwise this call reports that the message was heard, from `begin` to
 *  `end`, in nanoseconds of HeraldTraceNow. The call does nothing if nothing is traced. For each of the
 *  4,096 newest mailboxes, Herald remembers the registration whose callback last put a message into it. The events of
 *  messages that are heard have the number of this registration. */
HERALD_EXPORT void HeraldTraceCarry(const void *carrier, uint64_t message, uint64_t begin, uint64_t end);

/** Reports that a message of a mailbox will not be heard: it was dropped or merged, or the mailbox's registration has
 *  ended. */
HERALD_EXPORT void HeraldTraceLose(const void *carrier, uint64_t message, HeraldTraceOutcome outcome);

/** For transports, in `post` and `postMessage`: reports the sender and sequence that the post's HeraldMessage has when
 *  observers get it. Does nothing if the post is not traced. */
HERALD_EXPORT void HeraldTraceSend(uint64_t sender, uint64_t sequence);

/* ---- Centers, registrations, calls ------------------------------------------------------------------------------ */

/** What a describer (HeraldSetDescriber) knows of an observer. Texts that are too long are cut. */
typedef struct {
    size_t size;
    char text[64];       /**< what the observer observes or is, such as a message's type */
    char owner[64];      /**< the type of its owner; empty: it has none */
    char site[128];      /**< file:line of its registration */
    char delivery[16];   /**< how messages reach it: direct, main, actor, queue, sequence */
    bool alive;          /**< false: the owner is gone */
    uint64_t waiting;    /**< messages in its mailbox */
    uint64_t dropped;    /**< messages lost from it */
    const void *carrier; /**< the mailbox; NULL: none */
    const void *tag;     /**< the only tag whose posts the observer reads, or NULL; see HeraldSetTagDescriber */
} HeraldDescription;

/** A registration. Borrowed for the call, like `description`, which is NULL if the callback has no describer. */
typedef struct {
    size_t size;
    HeraldToken token;
    uint64_t order; /**< its place in the order of registration (R2) */
    HeraldNameRef name;
    const void *object, *observer;
    HeraldCallback callback;
    HeraldSuspensionBehavior behavior;
    size_t queued; /**< posts that the center holds for it (R16) */
    const HeraldDescription *description;
    bool isBlocked; /**< HeraldCenterSetTokenBlocked: posts do not call it */
} HeraldRegistrationInfo;

/** A callback that is running now. */
typedef struct {
    size_t size;
    HeraldCenterRef center;
    HeraldToken token;
    uint32_t thread; /**< the kernel's number of the thread; 0: not known */
    uint64_t since;  /**< when it began, in nanoseconds of CLOCK_MONOTONIC; 0: not known, because its post was not
                          traced */
} HeraldRunningInfo;

/** Calls `visit` for each center, except those that the library hides for its own use, until `visit` returns false. A
 *  center's memory is not freed during its visit. To keep a center for longer, call HeraldCenterTryRetain
 *  (transport.h), which returns false if the center is ending. */
HERALD_EXPORT void HeraldVisitCenters(bool (*visit)(void *context, HeraldCenterRef center), void *context);

/** Calls `visit`, under no lock, for each registration of a center until `visit` returns false. Returns how many
 *  registrations were visited. A registration that lasts for the whole visit is visited once, even if others are added
 *  and removed in the meantime. Posts never wait for a visit; adding and removing wait only while registrations are
 *  copied, up to 128 at a time. */
HERALD_EXPORT size_t HeraldCenterVisitRegistrations(HeraldCenterRef center,
                                                    bool (*visit)(void *context, const HeraldRegistrationInfo *info),
                                                    void *context);

/** How many registrations a center has. `held` (or NULL) gets the number of posts that the center holds for its
 *  registrations (R16). */
HERALD_EXPORT size_t HeraldCenterGetRegistrationCount(HeraldCenterRef center, size_t *held);

/** How many posts a center keeps (R25). The pointers may be NULL. `*limit`: how many it may keep. `*messageBytes`: how
 *  many bytes all kept messages of the process have, of at most 16 MiB. */
HERALD_EXPORT size_t HeraldCenterGetKeptCount(HeraldCenterRef center, size_t *limit, uint64_t *messageBytes);

/** Calls `visit` for each callback that was running a moment ago, on any thread, until `visit` returns false. */
HERALD_EXPORT void HeraldVisitRunning(bool (*visit)(void *context, const HeraldRunningInfo *info), void *context);

/** Sets a text for people who look at the center. At most 63 bytes are copied. NULL: none. */
HERALD_EXPORT void HeraldCenterSetLabel(HeraldCenterRef center, const char *utf8);

/** Copies the label, or "" if the center has none. Returns the label's length. */
HERALD_EXPORT size_t HeraldCenterGetLabel(HeraldCenterRef center, char *buffer, size_t size);

/** The number that stands for the center in tokens (HeraldToken.center). It is never used again. 0 for NULL. */
HERALD_EXPORT uint64_t HeraldCenterGetNumber(HeraldCenterRef center);

/** Sets how many observers of one name are expected at most (0: any number). If a name gets more, Herald reports the
 *  name on stderr, once, with what it knows of the observer that was added last. Such a line points to a place where
 *  observers are added and never removed. */
HERALD_EXPORT void HeraldCenterSetObserverLimit(HeraldCenterRef center, size_t limit);

/** Sets the function that describes the observers with this callback; NULL: none. `describe` gets a description in
 *  which only `size` and `alive` (true) are set, and fills in what it knows. The observer is not released during the
 *  call (R10). At most 64 callbacks have a describer; a call for one more does nothing. */
HERALD_EXPORT void HeraldSetDescriber(HeraldCallback callback,
                                      void (*describe)(const void *observer, HeraldDescription *description));

/** Sets the function that writes texts for names that are addresses (HeraldNameForAddress). A language whose names are
 *  the addresses of its types can show the types' names in this way. All copies of the library share one such function
 * (R22): the last that was set. It writes at most `size` bytes, a NUL included, and returns the text's length, or 0 if
 * it does not know the name. */
HERALD_EXPORT void HeraldSetNameDescriber(size_t (*describe)(HeraldNameRef name, char *buffer, size_t size));

/** Sets the function that writes texts for names that are addresses, in posts with this tag (R21). What such a name
 *  stands for may depend on the tag. At most 32 tags have such a function. */
HERALD_EXPORT void HeraldSetTagDescriber(const void *tag,
                                         size_t (*describe)(HeraldNameRef name, char *buffer, size_t size));

/** Writes a text for a name: the name's own text if it has one. If the name is an address, the describer of the tag
 *  writes the text; if the tag is NULL or has no describer, that of HeraldSetNameDescriber does. If there is no
 *  describer, or if the describer does not know the name, the text is the address. Returns the text's length. */
HERALD_EXPORT size_t HeraldNameDescribe(HeraldNameRef name, const void *tag, char *buffer, size_t size);

/* ---- Copies of the library (R22) -------------------------------------------------------------------------------- */

/** A copy of the library in this process. Borrowed for the call. */
typedef struct {
    size_t size;
    const char *path; /**< of the file that contains the copy, at most 255 bytes; "" for the program */
    const char *version;
    bool isAsked;         /**< it is the copy whose HeraldVisitCopies was called */
    bool isFirst;         /**< it has centers and names of its own, which other copies may use */
    bool isShared;        /**< it uses the same centers and names as the copy whose HeraldVisitCopies was called */
    long namespaceNumber; /**< the dynamic linker's number of the copy's namespace. 0: the program's own; else dlmopen
                             has loaded the copy */
} HeraldCopyInfo;

/** Calls `visit` for each copy of the library that the dynamic linker knows, this one included, until `visit` returns
 *  false. At most 32 copies are visited. Returns how many copies were visited. A copy whose version does not fit stays
 *  apart, with centers of its own: its `isShared` is false. Copies in other namespaces stay apart, too; they cannot be
 *  seen from here and are not visited. If such a copy calls this function, `namespaceNumber` is not 0. */
HERALD_EXPORT size_t HeraldVisitCopies(bool (*visit)(void *context, const HeraldCopyInfo *info), void *context);

/* ---- From outside ----------------------------------------------------------------------------------------------- */

/** Lets the user's own tools (`herald inspect`) look into this process, through a socket in a folder that only the user
 *  may open. A thread of the inspector's own serves that socket. The inspector starts only by this call, or at the
 *  first center if HERALD_INSPECT=1 is in the environment. HeraldTransportFailed if the socket cannot be made, or if
 *  the host center is not part of the program. HeraldOK if the inspector runs already. The inspector does not run in
 *  the child of a fork. */
HERALD_EXPORT HeraldStatus HeraldInspectorStart(void);

/** Stops the inspector: closes the socket and all its connections, and waits until the inspector's thread has ended. */
HERALD_EXPORT void HeraldInspectorStop(void);

/** The functions behind HeraldInspectorStart and HeraldInspectorStop. The part of the library that contains them calls
 *  HeraldInspectorSetService when it is loaded. The first such call counts; later ones do nothing. */
typedef struct {
    HeraldStatus (*start)(void);
    void (*stop)(void);
} HeraldInspectorService;
HERALD_EXPORT void HeraldInspectorSetService(const HeraldInspectorService *service);

#ifdef __cplusplus
}
#endif
#endif
