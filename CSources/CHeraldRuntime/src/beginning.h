/* The beginning of a registration that hears first what is kept (R25). The core calls the listener while it adds it:
 * with each kept message, and then herald_swift_beginning_over. Posts may call the listener at the same time.
 *
 * Ordering: None. The list is of one thread.
 * Progress: That of an add.
 * Ownership: A beginning is on the stack of the thread that adds. It borrows the closure. */
#ifndef HERALD_SWIFT_BEGINNING_H
#define HERALD_SWIFT_BEGINNING_H

#include "herald_runtime.h"

struct herald_swift_beginning {
    const void *listener;
    struct herald_swift_closure began;
    void (*prepare)(void *listener); /* called before the first call of the listener; NULL: it has been, or need not */
    struct herald_swift_beginning *outer; /* a kept message may be heard by a body that adds an observer */
};

void herald_swift_beginning_enter(struct herald_swift_beginning *beginning);
void herald_swift_beginning_leave(struct herald_swift_beginning *beginning);

/* Called in each call of the listener. */
void herald_swift_beginning_prepare(void *listener);

/* The core's `began`: calls the closure. */
void herald_swift_beginning_over(void *listener, size_t kept, HeraldStatus status);

#endif
