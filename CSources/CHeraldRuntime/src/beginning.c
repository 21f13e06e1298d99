#include "beginning.h"
#include "swift.h"

static __thread struct herald_swift_beginning *innermost;

void herald_swift_beginning_enter(struct herald_swift_beginning *beginning) {
    beginning->outer = innermost;
    innermost = beginning;
}

void herald_swift_beginning_leave(struct herald_swift_beginning *beginning) { innermost = beginning->outer; }

void herald_swift_beginning_prepare(void *listener) {
    struct herald_swift_beginning *beginning = innermost;
    if (herald_likely(!beginning || beginning->listener != listener || !beginning->prepare)) return;
    void (*prepare)(void *) = beginning->prepare;
    beginning->prepare = NULL;
    prepare(listener);
}

void herald_swift_beginning_over(void *listener, size_t kept, HeraldStatus status) {
    (void)status; /* HeraldOK, in a process */
    /* In the child of a fork another thread may go on with the beginning. The closure is gone with the thread that
     * adds. */
    if (!innermost || innermost->listener != listener) return;
    typedef SWIFT void body(long kept, CAPTURED const void *context);
    herald_swift_beginning_prepare(listener);
    const struct herald_swift_closure *began = &innermost->began;
    ((body *)began->function)((long)kept, began->context);
}
