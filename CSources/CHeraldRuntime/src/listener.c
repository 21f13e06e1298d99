/* Listeners (herald_runtime.h). Ordering, progress: The core's. Ownership: A registered listener belongs to its
 * registration. The release hook disposes of the listener after the last call (R10). */
#include "listener.h"
#include "beginning.h"
#include "swift.h"
#include <herald/transport.h>

#include <stdlib.h>

struct herald_swift_listener *herald_swift_listener_create(const struct herald_swift_wish *wish, size_t size) {
    struct herald_swift_listener *listener = malloc(size);
    if (!listener) return NULL;
    listener->body = wish->body;
    listener->file = (uintptr_t)wish->file;
    listener->line = wish->line < HERALD_SWIFT_LINE_MOST ? wish->line : HERALD_SWIFT_LINE_MOST;
    listener->has_extra = size >= sizeof(struct herald_swift_extra_listener);
    if (listener->has_extra) ((struct herald_swift_extra_listener *)listener)->extra = wish->extra;
    return listener;
}

static void dispose(const void *context, const void *extra) {
    if (extra) swift_release((void *)extra); /* before the context: the extra's deinitializer ends the mailbox */
    if (context) swift_release((void *)context);
}

void herald_swift_listener_dispose(struct herald_swift_listener *listener) {
    dispose(listener->body.context, herald_swift_listener_extra(listener));
}

void herald_swift_wish_dispose(const struct herald_swift_wish *wish) { dispose(wish->body.context, wish->extra); }

static void (*begun)(const void *extra, HeraldStatus status); /* set once, before a center is handed out */

void herald_swift_begun_is(void (*function)(const void *extra, HeraldStatus status)) { begun = function; }

/* The core's `began`, on a center over a transport. The extra counts what was heard: not all that is kept may be. */
static void begin_later(void *listener, size_t kept, HeraldStatus status) {
    (void)kept;
    begun(herald_swift_listener_extra(listener), status);
}

bool herald_swift_begins_here(const struct herald_swift_wish *wish) {
    return wish->start == HeraldStartKept && wish->began.function;
}

HeraldStatus herald_swift_listener_register(struct herald_swift_listener *listener,
                                            const struct herald_swift_wish *wish, void (*release)(void *listener),
                                            void (*prepare)(void *listener), HeraldToken *token) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = wish->behavior,
                                     .release = release,
                                     .taggedCallback = herald_swift_receiver(wish->kind, wish->form),
                                     .prefix = wish->prefix};
    options.start = wish->start;
    if (wish->start == HeraldStartKept) options.began = begin_later;
    if (!herald_swift_begins_here(wish))
        return HeraldCenterAddObserverWithOptions(wish->center, listener, NULL, wish->name, wish->subject, &options,
                                                  token);
    options.began = herald_swift_beginning_over;
    options.taggedCallback = herald_swift_beginner(wish->form);
    struct herald_swift_beginning beginning __attribute__((cleanup(herald_swift_beginning_leave))) = {
        .listener = listener, .began = wish->began, .prepare = prepare};
    herald_swift_beginning_enter(&beginning);
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(wish->center, listener, NULL, wish->name, wish->subject, &options, token);
    if (status == HeraldOK) herald_swift_beginning_prepare(listener);
    return status;
}

void herald_swift_listener_free(struct herald_swift_ending_listener *listener) {
    if (__atomic_sub_fetch(&listener->references, 1, __ATOMIC_ACQ_REL) == 0) free(listener);
}

static void release_plain(void *listener) {
    herald_swift_listener_dispose(listener);
    free(listener);
}

static void release_ending(void *listener) {
    herald_swift_listener_dispose(listener);
    herald_swift_listener_free(listener);
}

static HeraldStatus observe_plainly(const struct herald_swift_wish *wish, struct herald_swift_listener *listener,
                                    HeraldToken *token) {
    HeraldStatus status = herald_swift_listener_register(listener, wish, release_plain, NULL, token);
    if (status != HeraldOK) release_plain(listener);
    return status;
}

/* A call of the listener may end the registration on another thread before this function returns. So this thread has a
 * reference of its own to the listener. */
static HeraldStatus observe_while(const struct herald_swift_wish *wish, struct herald_swift_ending_listener *listener,
                                  HeraldToken *token) {
    listener->references = 2;
    listener->has_owner = false;
    HeraldStatus status =
        herald_swift_listener_register(&listener->base.base, wish, release_ending, NULL, &listener->token);
    *token = listener->token;
    if (status != HeraldOK) release_ending(listener);
    herald_swift_listener_free(listener);
    return status;
}

/* A call of herald_swift_end that is running on this thread. Such calls nest: a release may end other registrations. */
struct end_call {
    uint64_t ticket;
    bool is_over;
    struct end_call *outer;
};
static __thread struct end_call *end_calls;

/* `ticket` belongs to one call of herald_swift_end, which has perhaps returned. */
static void note_over(void *ticket) {
    for (struct end_call *call = end_calls; call; call = call->outer)
        if (call->ticket == (uintptr_t)ticket) call->is_over = true;
}

static void leave(struct end_call *call) { end_calls = call->outer; }

bool herald_swift_end(HeraldCenterRef center, HeraldToken token) {
    static uint64_t tickets; /* atomic */
    struct end_call call __attribute__((cleanup(leave))) = {.ticket = __atomic_add_fetch(&tickets, 1, __ATOMIC_RELAXED),
                                                            .outer = end_calls};
    end_calls = &call;
    HeraldStatus status = HeraldCenterRemoveTokenThen(center, token, note_over, (void *)(uintptr_t)call.ticket);
    if (status != HeraldOK) HeraldCenterRemoveToken(center, token); /* memory is out */
    return call.is_over;
}

HeraldStatus herald_swift_observe(const struct herald_swift_wish *wish, HeraldToken *token) {
    bool ends = wish->form == HERALD_SWIFT_WHILE;
    struct herald_swift_listener *listener =
        herald_swift_listener_create(wish, ends          ? sizeof(struct herald_swift_ending_listener)
                                           : wish->extra ? sizeof(struct herald_swift_extra_listener)
                                                         : sizeof *listener);
    if (!listener) {
        herald_swift_wish_dispose(wish);
        return HeraldOutOfMemory;
    }
    return ends ? observe_while(wish, (struct herald_swift_ending_listener *)listener, token)
                : observe_plainly(wish, listener, token);
}

/* `function` and `context` are a Swift closure that does not escape. */
SWIFT HeraldStatus herald_swift_observe_from_kept(struct herald_swift_wish *wish, HeraldToken *token,
                                                  const void *function, const void *context);
SWIFT HeraldStatus herald_swift_observe_from_kept(struct herald_swift_wish *wish, HeraldToken *token,
                                                  const void *function, const void *context) {
    wish->start = HeraldStartKept;
    wish->began = (struct herald_swift_closure){function, context};
    return herald_swift_observe(wish, token);
}
