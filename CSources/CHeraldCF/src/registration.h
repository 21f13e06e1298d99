/* A registration: what an observer has asked of a center. */
#ifndef HERALD_CF_REGISTRATION_H
#define HERALD_CF_REGISTRATION_H

#include "center.h"

struct registration {
    CFNotificationCenterRef center;
    CFNotificationCallback callback;
    void *observer;
    HeraldNameRef name;          /* NULL: any */
    const void *object;          /* NULL: any */
    _Atomic uint32_t references; /* the core's, the run loop's, and that of the thread which adds it */
    _Atomic bool is_over;        /* it has been removed, though the core may not know yet */

    /* The center's lock: */
    struct registration *next, **link; /* of those in the same chain */
    bool is_being_added;               /* the adding thread ends it, if it is removed meanwhile */
    HeraldToken token;                 /* after that */

    /* The Darwin center's: */
    CFStringRef string; /* the name, for the callback */
    bool is_waiting;    /* for the run loop; this and the following by the list's lock */
    struct registration *next_waiting, **link_waiting;
};

#pragma GCC visibility push(hidden)
/* Gives up a reference; the last one frees it. */
void herald_cf_registration_release(struct registration *registration);
#pragma GCC visibility pop

#endif
