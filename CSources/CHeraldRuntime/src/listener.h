/* Listeners (herald_runtime.h). A listener is made from a struct herald_swift_wish, which says what to observe. It is
 * disposed of when its registration ends. */
#ifndef HERALD_SWIFT_LISTENER_H
#define HERALD_SWIFT_LISTENER_H

#include "ground.h"
#include "herald_runtime.h"

/* Makes a listener of `size` bytes from the wish's body, file and line, and from the wish's extra, if `size` has room
 * for an extra. Returns NULL when memory is out. */
struct herald_swift_listener *herald_swift_listener_create(const struct herald_swift_wish *wish, size_t size);

/* The listener's instance of Observation.Extra, or NULL. */
static inline const void *herald_swift_listener_extra(const struct herald_swift_listener *listener) {
    return listener->has_extra ? ((const struct herald_swift_extra_listener *)listener)->extra : NULL;
}

/* Releases the body and the extra. This may run deinitializers of what the body has captured. */
void herald_swift_listener_dispose(struct herald_swift_listener *listener);

/* Gives up one reference. The memory is freed with the last reference. */
void herald_swift_listener_free(struct herald_swift_ending_listener *listener);

/* Gives back the body and the extra of a wish that no listener has taken. */
void herald_swift_wish_dispose(const struct herald_swift_wish *wish);

/* Registers the listener with the core. The core writes `token` before any post can see the registration. If the
 * registration begins in this process with what is kept, and was made, `prepare` (which may be NULL) is called once,
 * before the listener is called. Otherwise it is not called. */
HeraldStatus herald_swift_listener_register(struct herald_swift_listener *listener,
                                            const struct herald_swift_wish *wish, void (*release)(void *listener),
                                            void (*prepare)(void *listener), HeraldToken *token);

/* Whether the core calls the listener with what is kept while it adds it. */
bool herald_swift_begins_here(const struct herald_swift_wish *wish);

/* The tags of messages, of messages that are in a box, and of calls of a protocol (receive.c). */
HERALD_HIDDEN
extern const void *herald_swift_message_tag, *herald_swift_kept_tag, *herald_swift_call_tag;
HERALD_HIDDEN_END

/* The callback that calls the body of a listener of this kind and form. */
HeraldTaggedCallback herald_swift_receiver(enum herald_swift_kind kind, enum herald_swift_form form);

/* The callback of a listener of messages that begins with what is kept. */
HeraldTaggedCallback herald_swift_beginner(enum herald_swift_form form);

#endif
