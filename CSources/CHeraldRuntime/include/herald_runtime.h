/* The parts of the Swift layer that cannot be written in Swift: calls of Swift closures without a box around them, what
 * Swift's runtime knows about an instance, the registrations of each owner, and names of literals.
 *
 * If a Swift function is generic over the types in a closure's signature, the closure has a form that does not depend
 * on these types: the closure gets a value by the value's address, an instance of a class by a reference, and the
 * captured context in a register of its own. clang's `swiftcall` follows that convention, so C can call a closure that
 * takes a message of any type. When the first center is made, `checkLayouts` checks the layouts that this relies on.
 * Tests/Shapes checks the calls.
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

/* Whether an instance is being deinitialized, or has been. The caller's unowned reference keeps the instance's memory.
 * No strong reference is taken here, because releasing it could deinitialize the instance on an unrelated thread. */
bool herald_swift_is_dying(const void *instance);

/* Looks once how Swift's runtime counts references, with an instance of a class that has no properties, and whose
 * deinitializer calls the second function. If it is as strong.h says, owners are retained and released faster. */
void herald_swift_look_at_counts(const void *metadata);
void herald_swift_counted_is_dying(const void *instance);
bool herald_swift_knows_counts(void);

/* These two report a lock to the thread sanitizer, which does not see Swift's own Mutex. Without the sanitizer they do
 * nothing. `lock` is an address that stands for the lock. */
void herald_swift_lock_taken(const void *lock);
void herald_swift_lock_left(const void *lock);

/* Called by a task that has waited for a continuation. Reports to the thread sanitizer that the task was resumed. If it
 * was resumed before it began to wait, Swift's runtime (as of Swift 6.3) does not report it. */
void herald_swift_task_resumed(void);

/* ---- Listeners: observers in Swift as the core sees them --------------------------------------------------------- */

/* A Swift closure: its function, and the context that the closure has captured. In a listener or a wish (both below),
 * `context` is one counted reference. */
struct herald_swift_closure {
    const void *function;
    const void *context;
};

enum { HERALD_SWIFT_LINE_MOST = (1 << 15) - 1 };

/* What the core gets as the observer of a registration in Swift: this struct, or a struct below that begins with it. */
struct herald_swift_listener {
    struct herald_swift_closure body;
    uint64_t file : 48; /* the source file of the registration: the address of a literal's text, or 0 */
    uint64_t line : 15; /* the line; HERALD_SWIFT_LINE_MOST stands for that line and all later ones */
    uint64_t has_extra : 1;
};

/* A listener with an `extra`: the parts that few registrations have (Observation.swift). */
struct herald_swift_extra_listener {
    struct herald_swift_listener base;
    const void *extra; /* one reference to an instance of Observation.Extra, or NULL */
};

/* A listener whose registration may end by itself, because its owner or its mailbox has ended. */
struct herald_swift_ending_listener {
    struct herald_swift_extra_listener base;
    HeraldToken token;
    uint32_t references; /* atomic: one for the registration, one for each thread that adds or ends it */
    bool has_owner : 1;  /* this struct begins a herald_swift_owned_listener */
    /* Valid only with an owner: */
    bool has_instance : 1;  /* `subject` is an instance of Swift, not a text's object, which lives for ever */
    uint8_t kind;           /* enum herald_swift_kind */
    bool is_noted, is_over; /* under the lock in `owners`: the listener is in the tables; the registration has ended */
};

struct herald_swift_owners;

/* A listener with an owner. */
struct herald_swift_owned_listener {
    struct herald_swift_ending_listener base;
    const void *owner;                  /* an unowned reference, which keeps the owner's memory */
    struct herald_swift_owners *owners; /* one reference */
    /* Under the lock in `owners`: */
    HeraldNameRef key;
    const void *subject; /* `extra` keeps an instance's memory, by an unowned reference */
    /* The same owner's next older and next newer listener. In a list of registrations to be ended, `next` is the next
     * in that list, and needs no lock. */
    struct herald_swift_owned_listener *next, *previous;
    /* If the owner was added as an observer of a protocol, a value of the protocol's type follows this struct: a
     * bitwise copy, which retains nothing. */
};

/* The kind of posts that an observer gets: messages, calls of a protocol, or all posts of a name, as notices. */
enum herald_swift_kind { HERALD_SWIFT_MESSAGES, HERALD_SWIFT_CALLS, HERALD_SWIFT_NOTICES };
/* How the body of a listener is called: with which parameters, and whether it returns a result. */
enum herald_swift_form {
    HERALD_SWIFT_PLAIN, /* (message) or (notice) */
    HERALD_SWIFT_OWNED, /* (owner, message) or (owner, notice) */
    HERALD_SWIFT_WHILE  /* (name, object, payload, tag) -> long: 0 ends the registration */
};

/* A registration to be made. The callee takes over `body` and `extra`. */
struct herald_swift_wish {
    HeraldCenterRef center;
    HeraldNameRef name;
    /* Tells an owner's registrations apart, and is only compared. Usually this is `name`. But messages of several types
     * can be posted to other processes under one `name`. For such a type, `key` is a name that stands for the type. */
    HeraldNameRef key;
    const void *subject;
    bool has_instance;  /* `subject` is an instance of Swift; false: there is none, or it is a text's object */
    const char *prefix; /* a prefix whose names are observed, with `name` NULL; or NULL */
    HeraldSuspensionBehavior behavior;
    enum herald_swift_kind kind;
    enum herald_swift_form form;
    struct herald_swift_closure body;
    const void *extra;
    const void *file; /* the source file of the registration: a literal with a NUL at its end, never freed; or NULL */
    size_t line;
    /* HeraldStartKept: the functions that end with `_from_kept` set it, for messages in this process. For a center over
     * a transport the wish has it, without `began`: there the beginning comes later, on another thread. */
    HeraldStart start;
    struct herald_swift_closure began; /* of a beginning in this process: lent until the registration has been made */
};

/* Makes the registration. After a failure the wish's body and extra have been released, and the token is {0, 0} or has
 * not been written. */
HeraldStatus herald_swift_observe(const struct herald_swift_wish *wish, HeraldToken *token);

/* Ends a registration, and does not wait. Returns whether no call of the registration is running and its listener has
 * been released. A later call with the same token only reports. While a call is running, each takes a little memory,
 * until that call has returned. */
bool herald_swift_end(HeraldCenterRef center, HeraldToken token);

/* Sets the tags that mark posts from Swift. Called once, before a center is handed out. */
void herald_swift_tags_are(const void *message, const void *kept, const void *call, const void *userInfo);

/* ---- Inspection -------------------------------------------------------------------------------------------------- */

/* Swift's functions that describe observers in Swift. herald_swift_insight_is sets them once, after the tags. */
struct herald_swift_insight {
    void (*owner)(const void *type, HeraldDescription *description);  /* describes an owner, by its type's metadata */
    void (*extra)(const void *extra, HeraldDescription *description); /* describes how messages are delivered */
    size_t (*name)(HeraldNameRef name, char *buffer, size_t size);    /* writes the name of the type behind `name` */
};
void herald_swift_insight_is(const struct herald_swift_insight *insight);

/* ---- Notices ----------------------------------------------------------------------------------------------------- */

/* HeraldCenter.Notice, in Swift's layout. It is lent to the observer; to keep it, the observer must copy it. */
struct herald_swift_notice {
    HeraldNameRef name;
    const void *tag, *object, *payload;
    /* If the post is a message or a call of a protocol, this is the number of the call that hands the notice to the
     * observer (receive.c). `payload` may be read only during that call. For other posts this is 0. */
    uint64_t call;
    const void *subject;   /* for a post from Swift: `object`, as a reference that is not counted; otherwise NULL */
    uintptr_t userInfo[4]; /* an Optional<any Sendable>; the last word is 0 for nil */
};

/* Another module of this package whose posts have a tag of their own. Observers in Swift get such a post as a notice,
 * as if it had been posted as an untyped post. */
struct herald_swift_lender {
    const void *tag;
    /* Writes what a post of this tag has: the subject, which is not retained, or NULL; and the userInfo, to an
     * Optional<any Sendable> that is nil. */
    void (*lend)(const void *payload, const void **subject, void *userInfo);
    void (*give_back)(void *userInfo); /* sets the optional to nil */
};

/* Called once, before the first post with the tag. The lender is not copied. */
void herald_swift_lender_is(const struct herald_swift_lender *lender);
bool herald_swift_is_lent(const void *tag);
void herald_swift_lend(const void *payload, const void **subject, void *userInfo);

/* Whether this thread is inside the call with this number. */
bool herald_swift_call_is_running(uint64_t call);

/* ---- Posts that wait (Ticket.swift) ------------------------------------------------------------------------------ */

/* How many tickets there are, for herald_swift_has_tickets. Atomic. */
extern uint32_t herald_swift_ticket_count;

/* Whether anybody waits for a post. If not, mailboxes need not look for a ticket. Relaxed: a ticket is counted before
 * its element comes into a mailbox, and the mailbox's lock orders the two for the thread that takes the element. */
static inline bool herald_swift_has_tickets(void) {
    return __atomic_load_n(&herald_swift_ticket_count, __ATOMIC_RELAXED) != 0;
}

/* Counts a ticket that was made, or is gone. */
void herald_swift_ticket_made(void);
void herald_swift_ticket_gone(void);

/* Posts with a ticket, which is borrowed. The mailboxes that this post reaches find the ticket by
 * herald_swift_ticket. With `keeps` the post is kept, and the result is that of HeraldCenterPostKept. */
HeraldStatus herald_swift_post_with_ticket(const void *ticket, HeraldCenterRef center, HeraldNameRef name,
                                           const void *object, const void *payload, const void *tag, bool keeps);

/* Inside the callback by which a post fills a mailbox: the ticket of this post. NULL if the post has no ticket. */
const void *herald_swift_ticket(void);

/* Calls `visit` for the extra of each registration of the center that has one. The extra is not released during its
 * call, which may be made on this thread only. No lock is held. */
void herald_swift_visit_extras(HeraldCenterRef center, void (*visit)(void *context, const void *extra), void *context);

/* The task that runs on this thread, to be compared only; 0 outside of tasks. */
uintptr_t herald_swift_task(void);

/* ---- Messages between processes ---------------------------------------------------------------------------------- */

/* Whether this thread reads this message for the first time. With `isUndecodable`: whether this thread finds the
 * message undecodable for the first time. */
bool herald_swift_wire_is_new(HeraldNameRef name, const HeraldMessage *message, bool isUndecodable);

/* ---- Owners ------------------------------------------------------------------------------------------------------ */

/* Returns the tables in which a center's registrations are found by their owners (owners.c). The caller gets a
 * reference. Returns NULL when memory is out. */
struct herald_swift_owners *herald_swift_owners_of(HeraldCenterRef center);
void herald_swift_owners_release(struct herald_swift_owners *owners);

/* Makes a registration for an owner. The new registration replaces the owner's registration with the same kind, key and
 * subject that was made in the same source file. So two modules that use one owner, or a class and its subclass, do not
 * replace each other's registrations. But if an observer of a protocol is registered already, the old registration is
 * kept, and no new one is made. For an observer of a protocol, `observer` points to the `size` bytes of its value;
 * otherwise `size` is 0. */
HeraldStatus herald_swift_observe_by(const struct herald_swift_wish *wish, struct herald_swift_owners *owners,
                                     const void *owner, const void *observer, size_t size);

/* Selects some of an owner's registrations. */
struct herald_swift_choice {
    /* If `by_key` is false: all registrations of the owner. If only `by_subject` is false: registrations with this
     * kind and key, for any subject. Registrations of all source files are chosen. */
    bool by_key, by_subject;
    enum herald_swift_kind kind;
    HeraldNameRef key;
    const void *subject;
};
void herald_swift_owners_remove(struct herald_swift_owners *owners, const void *owner,
                                const struct herald_swift_choice *choice);

/* How many messages the mailboxes of an owner's registrations have dropped in total. */
long herald_swift_owners_count_dropped(struct herald_swift_owners *owners, const void *owner);

/* Sets two functions in Swift: `end` ends the mailbox of an extra, and `count_dropped` counts the messages that the
 * mailbox has dropped. If the extra has no mailbox, `end` does nothing, and `count_dropped` returns 0. */
void herald_swift_extras_are(void (*end)(const void *extra), long (*count_dropped)(const void *extra));

/* Sets a function in Swift. It is called after a listener on a center over a transport has heard what is kept, or with
 * a status if that cannot be had now. The listener has the extra. */
void herald_swift_begun_is(void (*begun)(const void *extra, HeraldStatus status));

/* ---- Names of literals ------------------------------------------------------------------------------------------- */

/* Finds a literal's name by the address of the literal's text, and compares the text, too. Returns NULL if the name is
 * not known. */
HeraldNameRef herald_swift_literal_find(const uint8_t *text, size_t length);
void herald_swift_literal_note(const uint8_t *text, HeraldNameRef name);

#endif
