/* What the Swift layer needs and the language has no word for: calls of Swift closures without a box around them, what
 * Swift's runtime knows about an instance, the registrations of each owner, and names of literals.
 *
 * Swift passes a value of a generic type by address, an instance of a generic class by its reference, and what a
 * closure has captured in a register of its own. clang's `swiftcall` speaks that convention, so C can call a closure
 * that takes a message, whatever its type. The sizes that this relies on
 * are checked in each process, by `checkLayouts`; the calls by Tests/Shapes.
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

/* Whether an instance, whose memory an unowned reference keeps, is being deinitialised or has been. Makes no reference
 * strong: giving one back could be the end of the instance, on a thread that has nothing to do with it. */
bool herald_swift_is_dying(const void *instance);

/* Swift's own Mutex is invisible to the thread sanitizer; nothing without it. The address stands for the lock. */
void herald_swift_lock_taken(const void *lock);
void herald_swift_lock_left(const void *lock);

/* ---- What observers in Swift are to the core --------------------------------------------------------------------- */

/* A Swift closure: what is called, and what it has captured, of which this counts one reference. */
struct herald_swift_closure {
    const void *function;
    const void *context;
};

enum { HERALD_SWIFT_LINE_MOST = (1 << 15) - 1 };

/* The observer of a registration that has no owner. */
struct herald_swift_listener {
    struct herald_swift_closure body;
    uint64_t file : 48; /* where it was made: the address of a literal's text, or 0 */
    uint64_t line : 15; /* HERALD_SWIFT_LINE_MOST: that one, or a later one */
    uint64_t has_extra : 1;
};

/* Of one that has more. */
struct herald_swift_extra_listener {
    struct herald_swift_listener base;
    const void *extra; /* an instance of Observation.Extra, one reference; or NULL */
};

/* The observer of one that may end by itself: its owner, or its mailbox, has ended. */
struct herald_swift_ending_listener {
    struct herald_swift_extra_listener base;
    HeraldToken token;
    uint32_t references; /* atomic: the registration's, and that of the thread which adds it */
    bool has_owner;      /* it is a herald_swift_owned_listener */
    /* Of one that has: */
    uint8_t kind;           /* enum herald_swift_kind */
    bool is_noted, is_over; /* the owners' lock: in the tables; and its registration has ended */
};

struct herald_swift_owners;

/* The observer of one that has an owner. */
struct herald_swift_owned_listener {
    struct herald_swift_ending_listener base;
    const void *owner;                  /* pinned: the memory stays, so that it can be asked whether it is dying */
    struct herald_swift_owners *owners; /* one reference */
    /* The owners' lock: */
    HeraldNameRef key;
    const void *subject;                                 /* pinned by `extra` */
    struct herald_swift_owned_listener *next, *previous; /* of the same owner */
    /* An observer of a protocol follows: its value without a reference counted. */
};

/* What an observer reads. */
enum herald_swift_kind { HERALD_SWIFT_MESSAGES, HERALD_SWIFT_CALLS, HERALD_SWIFT_NOTICES };
/* How its body is called. */
enum herald_swift_form {
    HERALD_SWIFT_PLAIN, /* (message) or (notice) */
    HERALD_SWIFT_OWNED, /* (owner, message) or (owner, notice) */
    HERALD_SWIFT_WHILE  /* (name, object, payload, tag) -> long: whether the registration goes on */
};

/* As HeraldNetworkAddObserverUnder is. */
typedef HeraldStatus (*herald_under)(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                     const char *prefix, const HeraldObserverOptions *options, HeraldToken *token);

/* What is to be registered. `body` and `extra` belong to the callee. */
struct herald_swift_wish {
    HeraldCenterRef center;
    HeraldNameRef name;
    HeraldNameRef key; /* what tells an owner's registrations apart: the name, or a type's that is heard under it */
    const void *subject;
    const char *prefix; /* of the names; then there is no name, and no subject */
    herald_under under; /* what registers under a prefix; NULL: HeraldCenterAddObserverUnder does */
    HeraldSuspensionBehavior behavior;
    enum herald_swift_kind kind;
    enum herald_swift_form form;
    struct herald_swift_closure body;
    const void *extra;
    const void *file; /* where it was wished: the text of a literal with a NUL, which stays; or NULL */
    size_t line;
};

/* The token is {0, 0} where the center's transport has refused the name, and all has been given back. */
HeraldStatus herald_swift_observe(const struct herald_swift_wish *wish, HeraldToken *token);

/* The payloads of posts from Swift. Set once, before a center is handed out. */
void herald_swift_tags_are(const void *message, const void *call, const void *userInfo);

/* ---- Looking on ---------------------------------------------------------------------------------------------------
 */

/* What only Swift knows of its observers; set once, with the tags. */
struct herald_swift_insight {
    void (*owner)(const void *type, HeraldDescription *description);  /* by its metadata */
    void (*extra)(const void *extra, HeraldDescription *description); /* how it is delivered */
    size_t (*name)(HeraldNameRef name, char *buffer, size_t size);    /* of a message or a protocol: its type's */
};
void herald_swift_insight_is(const struct herald_swift_insight *insight, const void *message, const void *call);

/* ---- Notices ----------------------------------------------------------------------------------------------------- */

/* HeraldCenter.Notice, as Swift lays it out: lent to the observer, who copies it to keep it. */
struct herald_swift_notice {
    HeraldNameRef name;
    const void *tag, *object, *payload;
    uint64_t call;         /* the call in which `payload` is a message, or 0 */
    const void *subject;   /* `object` of a post from Swift: a reference that is not counted */
    uintptr_t userInfo[4]; /* an Optional<any Sendable>; the last word is 0 for nil */
};

/* Whether this thread is in that very call. */
bool herald_swift_call_is_running(uint64_t call);

/* ---- Messages between processes ---------------------------------------------------------------------------------- */

/* Whether no observer has read this message on this thread before, or found it undecodable. */
bool herald_swift_wire_is_new(HeraldNameRef name, const HeraldMessage *message, bool isUndecodable);

/* ---- Owners ------------------------------------------------------------------------------------------------------ */

/* The registrations of each owner with one center, for replacing and removing them; see owners.c. */
struct herald_swift_owners *herald_swift_owners_of(HeraldCenterRef center);
void herald_swift_owners_release(struct herald_swift_owners *owners);

/* Registers for an owner in place of what it has registered under the same kind, name and subject. `observer`: of a
 * protocol, `size` bytes; then a registration that the owner has stays, and the new one is given back. */
HeraldStatus herald_swift_observe_by(const struct herald_swift_wish *wish, struct herald_swift_owners *owners,
                                     const void *owner, const void *observer, size_t size);

/* Which of an owner's registrations. */
struct herald_swift_choice {
    bool by_key, by_subject; /* else all; else of any subject */
    enum herald_swift_kind kind;
    HeraldNameRef key;
    const void *subject;
};
void herald_swift_owners_remove(struct herald_swift_owners *owners, HeraldCenterRef center, const void *owner,
                                const struct herald_swift_choice *choice);

/* What the owner's registrations have dropped together. */
long herald_swift_owners_count_dropped(struct herald_swift_owners *owners, const void *owner);

/* Of the mailbox of a registration, if it has one: how it is ended, and how many messages it has dropped; Swift's. */
void herald_swift_extras_are(void (*end)(const void *extra), long (*count_dropped)(const void *extra));

/* ---- Names of literals ------------------------------------------------------------------------------------------- */

/* A literal's name, found by the address of the text, which is compared too; NULL: it is not known there. */
HeraldNameRef herald_swift_literal_find(const uint8_t *text, size_t length);
void herald_swift_literal_note(const uint8_t *text, HeraldNameRef name);

#endif
