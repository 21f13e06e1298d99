/* The parts of the Swift layer that cannot be written in Swift: calls of Swift closures without a box around them, what
 * Swift's runtime knows about an instance, the registrations of each owner, and names of literals.
 *
 * Swift passes a value of a generic type by address, an instance of a generic class by its reference, and a closure's
 * captured context in a register of its own. clang's `swiftcall` follows that convention, so C can call a closure that
 * takes a message of any type. `checkLayouts` checks in each process the sizes that this relies on. Tests/Shapes checks
 * the calls.
 */
#ifndef HERALD_RUNTIME_H
#define HERALD_RUNTIME_H

#include <herald/herald.h>
#include <herald/inspect.h>
#include <herald/message.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Instances --------------------------------------------------------------------------------------------------- */

/* Whether an instance is being deinitialised or has been. The caller's unowned reference keeps the instance's memory.
 * This takes no strong reference: if that became the last one, giving it up would deinitialise the instance on this
 * thread, which has nothing to do with it. */
bool herald_swift_is_dying(const void *instance);

/* These two report a lock to the thread sanitizer, which does not see Swift's own Mutex. Without the sanitizer they do
 * nothing. The address stands for the lock. */
void herald_swift_lock_taken(const void *lock);
void herald_swift_lock_left(const void *lock);

/* ---- Listeners: observers in Swift as the core sees them --------------------------------------------------------- */

/* A Swift closure: its function, and the context that it has captured. In a listener or a wish, `context` is one
 * counted reference. */
struct herald_swift_closure {
    const void *function;
    const void *context;
};

enum { HERALD_SWIFT_LINE_MOST = (1 << 15) - 1 };

/* The observer that the core gets for a registration in Swift: this struct, or one of those below that begin with it.
 */
struct herald_swift_listener {
    struct herald_swift_closure body;
    uint64_t file : 48; /* the source file that registers it: the address of a literal's text, or 0 */
    uint64_t line : 15; /* HERALD_SWIFT_LINE_MOST: that line, or a later one */
    uint64_t has_extra : 1;
};

/* A listener with an `extra`. */
struct herald_swift_extra_listener {
    struct herald_swift_listener base;
    const void *extra; /* an instance of Observation.Extra, one reference; or NULL */
};

/* A listener whose registration may end by itself, because its owner or its mailbox has ended. */
struct herald_swift_ending_listener {
    struct herald_swift_extra_listener base;
    HeraldToken token;
    uint32_t references; /* atomic: one for the registration, one for the thread that adds the listener */
    bool has_owner;      /* it is a herald_swift_owned_listener */
    /* Valid only with an owner: */
    uint8_t kind;           /* enum herald_swift_kind */
    bool is_noted, is_over; /* owners' lock. is_noted: it is in the tables; is_over: its registration has ended */
};

struct herald_swift_owners;

/* A listener with an owner. */
struct herald_swift_owned_listener {
    struct herald_swift_ending_listener base;
    const void *owner;                  /* an unowned reference: keeps the owner's memory, for herald_swift_is_dying */
    struct herald_swift_owners *owners; /* one reference */
    /* Owners' lock: */
    HeraldNameRef key;
    const void *subject; /* `extra` keeps the subject's memory, by an unowned reference */
    struct herald_swift_owned_listener *next, *previous; /* of the same owner */
    /* If the owner observes a protocol, the observer's value follows this struct, without a counted reference. */
};

/* The kind of posts that an observer gets. */
enum herald_swift_kind { HERALD_SWIFT_MESSAGES, HERALD_SWIFT_CALLS, HERALD_SWIFT_NOTICES };
/* How the body of a listener is called: its parameters, and perhaps a result. */
enum herald_swift_form {
    HERALD_SWIFT_PLAIN, /* (message) or (notice) */
    HERALD_SWIFT_OWNED, /* (owner, message) or (owner, notice) */
    HERALD_SWIFT_WHILE  /* (name, object, payload, tag) -> long: whether the registration goes on */
};

/* A function with the parameters of HeraldNetworkAddObserverUnder. */
typedef HeraldStatus (*herald_under)(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                     const char *prefix, const HeraldObserverOptions *options, HeraldToken *token);

/* A registration to be made. The callee takes over `body` and `extra`. */
struct herald_swift_wish {
    HeraldCenterRef center;
    HeraldNameRef name;
    HeraldNameRef key; /* tells an owner's registrations apart: `name`, or that of a type that is posted as `name` */
    const void *subject;
    const char *prefix; /* for the names under a prefix; `name` and `subject` are NULL then. Else NULL */
    herald_under under; /* the function that registers a prefix; NULL: HeraldCenterAddObserverUnder */
    HeraldSuspensionBehavior behavior;
    enum herald_swift_kind kind;
    enum herald_swift_form form;
    struct herald_swift_closure body;
    const void *extra;
    const void *file; /* the source file that registers it: a literal with a NUL at its end, never freed; or NULL */
    size_t line;
};

/* Registers a wish. If that fails, its body and extra have been given back. If the center's transport has refused the
 * name, the token is {0, 0}. */
HeraldStatus herald_swift_observe(const struct herald_swift_wish *wish, HeraldToken *token);

/* Sets the tags of posts from Swift. Called once, before a center is handed out. */
void herald_swift_tags_are(const void *message, const void *call, const void *userInfo);

/* ---- Inspection -------------------------------------------------------------------------------------------------- */

/* Swift's functions that describe observers in Swift. herald_swift_insight_is sets them once, with the tags. */
struct herald_swift_insight {
    void (*owner)(const void *type, HeraldDescription *description);  /* describes an owner, by its type's metadata */
    void (*extra)(const void *extra, HeraldDescription *description); /* describes how messages are delivered */
    size_t (*name)(HeraldNameRef name, char *buffer, size_t size);    /* writes the name of the type posted as `name` */
};
void herald_swift_insight_is(const struct herald_swift_insight *insight, const void *message, const void *call);

/* ---- Notices ----------------------------------------------------------------------------------------------------- */

/* HeraldCenter.Notice, in Swift's layout. It is lent to the observer, which must copy it in order to keep it. */
struct herald_swift_notice {
    HeraldNameRef name;
    const void *tag, *object, *payload;
    uint64_t call; /* the number of the call that lends `payload`, if that is a message or a protocol's call; else 0 */
    const void *subject;   /* `object` again, if the post is from Swift: a reference that is not counted; else NULL */
    uintptr_t userInfo[4]; /* an Optional<any Sendable>; the last word is 0 for nil */
};

/* Whether this thread is in the call with this number. */
bool herald_swift_call_is_running(uint64_t call);

/* ---- Messages between processes ---------------------------------------------------------------------------------- */

/* Whether this thread reads this message for the first time, or finds it undecodable for the first time. */
bool herald_swift_wire_is_new(HeraldNameRef name, const HeraldMessage *message, bool isUndecodable);

/* ---- Owners ------------------------------------------------------------------------------------------------------ */

/* The registrations of each owner with one center, for replacing and removing them; see owners.c. NULL when memory is
 * out. The caller gets a reference. */
struct herald_swift_owners *herald_swift_owners_of(HeraldCenterRef center);
void herald_swift_owners_release(struct herald_swift_owners *owners);

/* Registers for an owner, in place of its registration with the same kind, key and subject. For an observer of a
 * protocol, `observer` is its value, of `size` bytes; then a registration that exists stays, and no new one is made. */
HeraldStatus herald_swift_observe_by(const struct herald_swift_wish *wish, struct herald_swift_owners *owners,
                                     const void *owner, const void *observer, size_t size);

/* Selects some of an owner's registrations. */
struct herald_swift_choice {
    bool by_key, by_subject; /* by_key false: all registrations; by_subject false: any subject */
    enum herald_swift_kind kind;
    HeraldNameRef key;
    const void *subject;
};
void herald_swift_owners_remove(struct herald_swift_owners *owners, HeraldCenterRef center, const void *owner,
                                const struct herald_swift_choice *choice);

/* How many messages the mailboxes of an owner's registrations have dropped in sum. */
long herald_swift_owners_count_dropped(struct herald_swift_owners *owners, const void *owner);

/* Sets Swift's functions for the mailbox of a registration, if it has one: how to end it, and how many messages it has
 * dropped. */
void herald_swift_extras_are(void (*end)(const void *extra), long (*count_dropped)(const void *extra));

/* ---- Names of literals ------------------------------------------------------------------------------------------- */

/* A literal's name, found by the address of its text, which is compared too; NULL when it is not known. */
HeraldNameRef herald_swift_literal_find(const uint8_t *text, size_t length);
void herald_swift_literal_note(const uint8_t *text, HeraldNameRef name);

#endif
