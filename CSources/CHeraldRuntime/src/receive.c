/* The callbacks of observers in Swift. A callback calls the closure in its listener. An observer of a Swift protocol
 * has no closure: the post has one, which calls a method of the observer.
 *
 * Ordering: The core's.
 * Progress: A callback returns when the body does.
 * Ownership: The core keeps the listener until the last call is over (R10). A callback retains the owner for the call.
 * The listener has an unowned reference to the owner, which keeps the owner's memory. So its counts may be read
 * even after the owner is gone.
 */
#include "beginning.h"
#include "strong.h"
#include "listener.h"
#include "swift.h"
#include "ticket.h"

#include <string.h>

const void *herald_swift_message_tag, *herald_swift_kept_tag, *herald_swift_call_tag;
static const void *user_info_tag;

void herald_swift_tags_are(const void *message, const void *kept, const void *call, const void *userInfo) {
    herald_swift_message_tag = message;
    herald_swift_kept_tag = kept;
    herald_swift_call_tag = call;
    user_info_tag = userInfo;
}

#define CALLBACK(name)                                                                                                 \
    static void name(HeraldCenterRef center, void *observer, HeraldNameRef posted, const void *object,                 \
                     const void *payload, const void *tag)

/* ---- Owners ------------------------------------------------------------------------------------------------------ */

/* Retains the owner for a call. If the owner is gone, ends the registration and returns NULL. Callers read the closure
 * before they retain the owner: retaining executes a locked instruction. If an indirect call through memory comes
 * right after that instruction, it costs 5 to 15 ns in most runs of a program (measured on an AMD EPYC with observers
 * of protocols). */
static inline void *retain_owner(HeraldCenterRef center, const struct herald_swift_owned_listener *listener,
                                 uint64_t **count) {
    void *owner = herald_swift_try_retain(listener->owner, count);
    if (herald_unlikely(!owner)) HeraldCenterRemoveToken(center, listener->base.token);
    return owner;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Whether a post brings a message. A post of the same name from C has another tag. A post that was held has lost its
 * message, if this is not in a box: `payload` is NULL. */
static inline bool is_message(const void *payload, const void *tag) {
    return herald_likely(tag == herald_swift_message_tag && payload) || (tag == herald_swift_kept_tag && payload);
}

CALLBACK(receive_message) {
    (void)center, (void)posted, (void)object;
    typedef SWIFT void body(const void *message, CAPTURED const void *context);
    const struct herald_swift_listener *listener = observer;
    if (is_message(payload, tag)) ((body *)listener->body.function)(payload, listener->body.context);
}

CALLBACK(receive_owned_message) {
    (void)posted, (void)object;
    typedef SWIFT void body(void *owner, const void *message, CAPTURED const void *context);
    const struct herald_swift_owned_listener *listener = observer;
    if (!is_message(payload, tag)) return;
    const struct herald_swift_closure closure = listener->base.base.base.body; /* see retain_owner */
    uint64_t *count;
    void *owner = retain_owner(center, listener, &count);
    if (herald_unlikely(!owner)) return;
    ((body *)closure.function)(owner, payload, closure.context);
    herald_swift_release(owner, count);
}

CALLBACK(begin_with_owned_message) {
    herald_swift_beginning_prepare(observer);
    receive_owned_message(center, observer, posted, object, payload, tag);
}

/* ---- Calls of protocols ------------------------------------------------------------------------------------------ */

CALLBACK(receive_call) {
    (void)posted, (void)object;
    typedef SWIFT void body(const void *value, CAPTURED const void *context);
    const struct herald_swift_owned_listener *listener = observer;
    if (herald_unlikely(tag != herald_swift_call_tag || !payload)) return;
    const struct herald_swift_closure call = *(const struct herald_swift_closure *)payload; /* see retain_owner */
    uint64_t *count;
    void *owner = retain_owner(center, listener, &count);
    if (herald_unlikely(!owner)) return;
    ((body *)call.function)(listener + 1, call.context);
    herald_swift_release(owner, count);
}

/* Calls the observers of a protocol. `function` and `context` are a Swift closure that does not escape. */
SWIFT void herald_swift_notify(HeraldCenterRef center, HeraldNameRef name, const void *function, const void *context);
SWIFT void herald_swift_notify(HeraldCenterRef center, HeraldNameRef name, const void *function, const void *context) {
    const struct herald_swift_closure call = {function, context};
    HeraldCenterPostTagged(center, name, NULL, &call, herald_swift_call_tag, 0);
}

/* ---- Notices ----------------------------------------------------------------------------------------------------- */

/* An observer may keep a notice, but the message in the notice is only lent until the call returns. So each call that
 * lends a message has a number, and each thread has a list of its running calls. A notice has the number of its call,
 * and may use the message only while this call is in the list. */
struct running_call {
    struct running_call *outer;
    uint64_t number;
    const struct herald_swift_lender *lender; /* who has lent what the notice has, or NULL */
};

static __thread struct running_call *innermost;
static __thread uint64_t last_number; /* the upper half is unique to the thread */

static uint64_t next_number(void) {
    static uint64_t threads; /* relaxed: it orders no other memory */
    if ((uint32_t)last_number == 0) last_number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) << 32;
    return ++last_number;
}

bool herald_swift_call_is_running(uint64_t call) {
    const struct running_call *running = innermost;
    while (running && running->number != call) running = running->outer;
    return running != NULL;
}

/* Release and acquire: the lender is complete before another thread can find it. */
static const struct herald_swift_lender *lender;

void herald_swift_lender_is(const struct herald_swift_lender *the_lender) {
    __atomic_store_n(&lender, the_lender, __ATOMIC_RELEASE);
}

/* The lender, if the tag is its own. */
static const struct herald_swift_lender *lender_of(const void *tag) {
    const struct herald_swift_lender *the_lender = __atomic_load_n(&lender, __ATOMIC_ACQUIRE);
    return the_lender && tag == the_lender->tag ? the_lender : NULL;
}

bool herald_swift_is_lent(const void *tag) { return lender_of(tag) != NULL; }

void herald_swift_lend(const void *payload, const void **subject, void *userInfo) {
    __atomic_load_n(&lender, __ATOMIC_ACQUIRE)->lend(payload, subject, userInfo);
}

/* For all posts but untyped ones of Swift, which come first below: they need no list, and nothing afterwards. */
static void begin(struct running_call *running, struct herald_swift_notice *notice, HeraldNameRef posted,
                  const void *object, const void *payload, const void *tag) {
    *notice = (struct herald_swift_notice){.name = posted, .tag = tag, .object = object, .payload = payload};
    running->number = 0;
    running->lender = payload ? lender_of(tag) : NULL;
    if (tag == herald_swift_message_tag || tag == herald_swift_call_tag || tag == herald_swift_kept_tag) {
        notice->subject = object;
        notice->call = running->number = next_number();
        running->outer = innermost;
        innermost = running;
    } else if (running->lender) {
        running->lender->lend(payload, &notice->subject, notice->userInfo);
    }
}

static void end(const struct running_call *running, struct herald_swift_notice *notice) {
    if (running->number) innermost = running->outer;
    if (running->lender) running->lender->give_back(notice->userInfo);
}

static inline void fill(struct herald_swift_notice *notice, HeraldNameRef posted, const void *object,
                        const void *payload, const void *tag) {
    *notice = (struct herald_swift_notice){posted, tag, object, payload, 0, object, {0}};
    if (payload) memcpy(notice->userInfo, payload, sizeof notice->userInfo);
}

typedef SWIFT void notice_body(const struct herald_swift_notice *notice, CAPTURED const void *context);
typedef SWIFT void owned_notice_body(void *owner, const struct herald_swift_notice *notice,
                                     CAPTURED const void *context);

/* Not inlined, so that the usual case needs no more registers than it uses. `owner`: NULL for an observer without. */
__attribute__((noinline)) static void receive_other(const struct herald_swift_closure *closure, void *owner,
                                                    HeraldNameRef posted, const void *object, const void *payload,
                                                    const void *tag) {
    struct running_call running;
    struct herald_swift_notice notice;
    begin(&running, &notice, posted, object, payload, tag);
    if (owner) {
        ((owned_notice_body *)closure->function)(owner, &notice, closure->context);
    } else {
        ((notice_body *)closure->function)(&notice, closure->context);
    }
    end(&running, &notice);
}

CALLBACK(receive_notice) {
    (void)center;
    const struct herald_swift_listener *listener = observer;
    if (herald_unlikely(tag != user_info_tag))
        return receive_other(&listener->body, NULL, posted, object, payload, tag);
    struct herald_swift_notice notice;
    fill(&notice, posted, object, payload, tag);
    ((notice_body *)listener->body.function)(&notice, listener->body.context);
}

CALLBACK(receive_owned_notice) {
    const struct herald_swift_owned_listener *listener = observer;
    const struct herald_swift_closure closure = listener->base.base.base.body; /* see retain_owner */
    uint64_t *count;
    void *owner = retain_owner(center, listener, &count);
    if (herald_unlikely(!owner)) return;
    if (herald_likely(tag == user_info_tag)) {
        struct herald_swift_notice notice;
        fill(&notice, posted, object, payload, tag);
        ((owned_notice_body *)closure.function)(owner, &notice, closure.context);
    } else {
        receive_other(&closure, owner, posted, object, payload, tag);
    }
    herald_swift_release(owner, count);
}

/* ---- Mailboxes --------------------------------------------------------------------------------------------------- */

CALLBACK(receive_notice_while) {
    typedef SWIFT long body(HeraldNameRef posted, const void *object, const void *payload, const void *tag,
                            CAPTURED const void *context);
    const struct herald_swift_ending_listener *listener = observer;
    const struct herald_swift_closure *closure = &listener->base.base.body;
    const bool has_tickets = herald_swift_has_tickets();
    const bool before = herald_unlikely(has_tickets) && herald_swift_ticket_reach(center, posted, object, payload);
    const long goes_on = ((body *)closure->function)(posted, object, payload, tag, closure->context);
    if (herald_unlikely(has_tickets)) herald_swift_ticket_leave(before);
    if (herald_unlikely(!goes_on)) HeraldCenterRemoveToken(center, listener->token);
}

CALLBACK(receive_message_while) {
    if (is_message(payload, tag)) receive_notice_while(center, observer, posted, object, payload, tag);
}

CALLBACK(begin_with_message_while) {
    herald_swift_beginning_prepare(observer);
    receive_message_while(center, observer, posted, object, payload, tag);
}

HeraldTaggedCallback herald_swift_receiver(enum herald_swift_kind kind, enum herald_swift_form form) {
    static const HeraldTaggedCallback receivers[][3] = {
        [HERALD_SWIFT_MESSAGES] = {receive_message, receive_owned_message, receive_message_while},
        [HERALD_SWIFT_CALLS] = {receive_call, receive_call, receive_call},
        [HERALD_SWIFT_NOTICES] = {receive_notice, receive_owned_notice, receive_notice_while},
    };
    return receivers[kind][form];
}

HeraldTaggedCallback herald_swift_beginner(enum herald_swift_form form) {
    static const HeraldTaggedCallback beginners[] = {receive_message, begin_with_owned_message,
                                                     begin_with_message_while};
    return beginners[form];
}
