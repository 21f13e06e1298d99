/* Seeing what a center does: who observes what, who posts, what each call costs.
 *
 *      static void note(void *context, const HeraldTraceEvent *event) { ... }
 *
 *      HeraldToken trace;
 *      HeraldStatus status = HeraldTraceStart(NULL, NULL, note, NULL, NULL, &trace);      -- all centers, all names
 *      ...
 *      HeraldTraceStop(trace);                                      -- after this: never called again
 *
 * WHAT IT COSTS. Nothing while nobody looks: a post is the same instructions. A traced post is some 200 nanoseconds
 * longer, and its hooks.
 *
 * WHAT IS TOLD. A post is a span: PostBegin, PostEnd. Each callback in it is one, too: CallBegin, CallEnd, whose parent
 * is the post; a post inside a callback has that call as its parent. Hooks are observers of a center of the library's
 * own: the traced name and center are what they observe (R1), so a trace ends as a registration does (R5 to R11), and a
 * hook may post, add and remove; what it posts is not traced. Hooks run on the posting thread. What begins before a
 * trace and ends in it comes as an end without its begin.
 *
 * Threads. All functions may be called on any thread, but not from signal handlers.
 */
#ifndef HERALD_INSPECT_H
#define HERALD_INSPECT_H

#include <herald/herald.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an event is about. */
typedef enum {
    HeraldTracePostBegin = 1,
    HeraldTraceCallBegin,
    HeraldTraceCallEnd,
    HeraldTracePostEnd,
    HeraldTraceQueued, /**< a callback has put a message into a mailbox, to be heard later */
    HeraldTraceHeard   /**< it was heard, or never will be: see the outcome */
} HeraldTracePhase;

/** How it ended. */
typedef enum {
    HeraldTraceReturned = 0,
    HeraldTraceUnwound, /**< a callback has thrown, or ended its thread (R17) */
    HeraldTraceHeld,    /**< a post: kept by a suspended center, at least for some (R16) */
    HeraldTraceCarried, /**< a post: handed to a transport */
    HeraldTraceDropped, /**< lost for want of room: a post for some, a message */
    HeraldTraceMerged,  /**< a message: one that waited stands for it */
    HeraldTraceEnded    /**< a call, a message: the registration had ended, so nobody was called */
} HeraldTraceOutcome;

/** An event. Borrowed for the call. `center` and `observer` may have ended by now: compare them, and no more. */
typedef struct {
    size_t size; /**< sizeof(HeraldTraceEvent); the struct only ever grows */
    HeraldTracePhase phase;
    HeraldTraceOutcome outcome;
    uint64_t begin, end;   /**< nanoseconds of CLOCK_MONOTONIC; end is 0 at a begin */
    uint64_t span, parent; /**< numbers of this process; parent: what this is in, or 0 */
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object, *tag;
    HeraldToken token; /**< its center is that of the event; its registration, and what follows, are of calls */
    const void *observer;
    HeraldCallback callback;
    size_t calls;       /**< PostEnd: how many callbacks ran */
    uint32_t thread;    /**< the kernel's number of it */
    unsigned options;   /**< of a post */
    const void *caller; /**< of a post: where the call returns to; NULL for what a transport delivers */
    const void *carrier;
    uint64_t message;          /**< Queued, Heard: the k-th message of that mailbox */
    uint64_t sender, sequence; /**< of a post that goes to other processes, or has come: those of its HeraldMessage, the
                                    same in all of them; 0: it is none, or the transport does not know at the post */
} HeraldTraceEvent;

typedef void (*HeraldTraceHook)(void *context, const HeraldTraceEvent *event);

/** Traces a center (NULL: all, those that are made later, too) and a name (NULL: any). `release` (or NULL) runs once,
 *  when no call of the hook runs any more, as R10 says. `trace` names it for HeraldTraceStop, and may be NULL.
 *  HeraldInvalidArgument without a hook, HeraldOutOfMemory; then `release` does not run. A traced center is not
 *  retained: the trace of one that has ended hears nothing. */
HERALD_ADDS HeraldStatus HeraldTraceStart(HeraldCenterRef center, HeraldNameRef name, HeraldTraceHook hook,
                                          void *context, void (*release)(void *context), HeraldToken *trace);

/** Ends a trace, and waits (R11; not inside a hook or callback) until its hook runs nowhere. False: there is none. */
HERALD_EXPORT bool HeraldTraceStop(HeraldToken trace);

/** How many traces there are: for HeraldTraceIsOn. Atomic. */
HERALD_EXPORT extern uint32_t HeraldTraceCount;

/** Whether anything is traced: what carries messages on need say nothing when it is not. */
static inline bool HeraldTraceIsOn(void) { return __atomic_load_n(&HeraldTraceCount, __ATOMIC_RELAXED) != 0; }

/** Nanoseconds of CLOCK_MONOTONIC. */
HERALD_EXPORT uint64_t HeraldTraceNow(void);

/** For what carries messages on to other threads: message k of a mailbox (its address) was put in (`end` 0, inside the
 *  callback that does it), or was heard from `begin` to `end`. Nothing happens when nothing is traced. What is heard is
 *  told as its registration's: of the last 4,096 mailboxes that came, and not before it is told to have been put in. */
HERALD_EXPORT void HeraldTraceCarry(const void *carrier, uint64_t message, uint64_t begin, uint64_t end);

/** Likewise: the message will not be heard. Dropped, merged or ended. */
HERALD_EXPORT void HeraldTraceLose(const void *carrier, uint64_t message, HeraldTraceOutcome outcome);

/** For transports, in `post` and `postMessage`: what the post becomes, as the HeraldMessage of who hears it will say.
 *  Nothing happens when it is not traced. */
HERALD_EXPORT void HeraldTraceSend(uint64_t sender, uint64_t sequence);

/* ---- What there is ---------------------------------------------------------------------------------------------- */

/** What is known of an observer beyond its address, by its describer. Texts are cut where there is no more room. */
typedef struct {
    size_t size;
    char text[64];       /**< what it observes or is, such as a message's type */
    char owner[64];      /**< the type of its owner; empty: it has none */
    char site[128];      /**< file:line of its registration */
    char delivery[16];   /**< direct, main, actor, queue, sequence */
    bool alive;          /**< false: the owner is gone */
    uint64_t waiting;    /**< messages in its mailbox */
    uint64_t dropped;    /**< and lost from it */
    const void *carrier; /**< the mailbox; NULL: none */
    const void *tag;     /**< of the posts that it reads, if it reads no others; see HeraldSetTagDescriber */
} HeraldDescription;

/** A registration. Borrowed for the call, `description` too, which is NULL where nobody describes the callback. */
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
} HeraldRegistrationInfo;

/** A callback that is running now. */
typedef struct {
    size_t size;
    HeraldCenterRef center;
    HeraldToken token;
    uint32_t thread; /**< the kernel's number; 0: not known */
    uint64_t since;  /**< CLOCK_MONOTONIC, ns; 0: not known, for its post was not traced */
} HeraldRunningInfo;

/** Calls `visit` for each center that there is, the library's own excepted, until it says false. The center's memory
 *  stays for the call; HeraldCenterTryRetain (transport.h) keeps it for longer, unless it is ending. */
HERALD_EXPORT void HeraldVisitCenters(bool (*visit)(void *context, HeraldCenterRef center), void *context);

/** Calls `visit` for each registration of a center, until it says false, without a lock: each that is there all the
 *  time comes once, whatever is added and removed meanwhile. Returns how many came. Posts are never held up; adding and
 *  removing wait for 128 registrations at a time. */
HERALD_EXPORT size_t HeraldCenterVisitRegistrations(HeraldCenterRef center,
                                                    bool (*visit)(void *context, const HeraldRegistrationInfo *info),
                                                    void *context);

/** How many registrations a center has; `held` (or NULL) gets how many posts it holds for them (R16). */
HERALD_EXPORT size_t HeraldCenterGetRegistrationCount(HeraldCenterRef center, size_t *held);

/** Calls `visit` for each callback that was running a moment ago, on whatever thread, until it says false. */
HERALD_EXPORT void HeraldVisitRunning(bool (*visit)(void *context, const HeraldRunningInfo *info), void *context);

/** A text for people who look at the center, at most 63 bytes of it; copied. NULL: none. */
HERALD_EXPORT void HeraldCenterSetLabel(HeraldCenterRef center, const char *utf8);

/** Copies the label, "" if there is none, and returns its length. */
HERALD_EXPORT size_t HeraldCenterGetLabel(HeraldCenterRef center, char *buffer, size_t size);

/** The number by which tokens name the center (HeraldToken.center); never used again. 0 for NULL. */
HERALD_EXPORT uint64_t HeraldCenterGetNumber(HeraldCenterRef center);

/** How many observers of one name are expected at most (0: any number). Beyond it a line on stderr says so, once for
 *  each name, with what is known of the last one: a place where observers are added and never removed. */
HERALD_EXPORT void HeraldCenterSetObserverLimit(HeraldCenterRef center, size_t limit);

/** Who knows more of the observers with this callback. `describe` fills in what it knows of a description that is all
 *  zero but for `size` and `alive`, which is true; the observer is not released meanwhile (R10). NULL: nobody any more.
 *  At most 64 callbacks have one; beyond that nothing happens. */
HERALD_EXPORT void HeraldSetDescriber(HeraldCallback callback,
                                      void (*describe)(const void *observer, HeraldDescription *description));

/** Who has texts for names that are addresses, such as a language's types: one for all copies of the library (R22), the
 *  last that was set. Writes at most `size` bytes with a NUL, and returns the text's length; 0: it does not know the
 *  name either. */
HERALD_EXPORT void HeraldSetNameDescriber(size_t (*describe)(HeraldNameRef name, char *buffer, size_t size));

/** The same for the names of posts with a tag (R21), which says what they stand for. At most 32 tags. */
HERALD_EXPORT void HeraldSetTagDescriber(const void *tag,
                                         size_t (*describe)(HeraldNameRef name, char *buffer, size_t size));

/** A text for a name: its own, or a describer's (of the tag, if it is not NULL), or its address. Returns its length. */
HERALD_EXPORT size_t HeraldNameDescribe(HeraldNameRef name, const void *tag, char *buffer, size_t size);

/* ---- Copies of the library (R22) -------------------------------------------------------------------------------- */

/** A copy of the library in this process. Borrowed for the call. */
typedef struct {
    size_t size;
    const char *path; /**< of the object that carries it, 255 bytes of it; "" for the program */
    const char *version;
    bool isAsked;         /**< its HeraldVisitCopies was called */
    bool isFirst;         /**< it has centers and names; others may use them */
    bool isShared;        /**< it uses the same centers and names as the copy that was asked */
    long namespaceNumber; /**< the dynamic linker's; 0: the program's; else it was loaded by dlmopen */
} HeraldCopyInfo;

/** Calls `visit` for each copy of the library that the dynamic linker has beside this one, and for this one, at most
 *  32, until it says false; returns how many came. Copies whose versions do not fit stay apart, with centers of their
 *  own: `isShared` says so. So do those of other namespaces, which are not seen from here and do not come; a copy in
 *  one has a `namespaceNumber`. */
HERALD_EXPORT size_t HeraldVisitCopies(bool (*visit)(void *context, const HeraldCopyInfo *info), void *context);

/* ---- From outside ----------------------------------------------------------------------------------------------- */

/** Lets the user's own tools (`herald inspect`) look into this process, by a socket in a folder that only the user may
 *  open, from a thread of its own. It is never so by itself, but for a process that was begun with HERALD_INSPECT=1.
 *  HeraldTransportFailed when the socket cannot be made, or the host center is not part of the program; HeraldOK when
 *  it runs already. A fork's child is not looked into. */
HERALD_EXPORT HeraldStatus HeraldInspectorStart(void);

/** Ends that: closes the socket and what is connected, and waits for the thread. */
HERALD_EXPORT void HeraldInspectorStop(void);

/** What does that: set by the part of the library that has it, when it is loaded. The first that is set stays. */
typedef struct {
    HeraldStatus (*start)(void);
    void (*stop)(void);
} HeraldInspectorService;
HERALD_EXPORT void HeraldInspectorSetService(const HeraldInspectorService *service);

#ifdef __cplusplus
}
#endif
#endif
