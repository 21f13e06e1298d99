/* A registration: an observer, and which posts of a center it hears. */
#ifndef HERALD_CF_REGISTRATION_H
#define HERALD_CF_REGISTRATION_H

#include "cf_center.h"
#include <stdlib.h>
#include <sys/queue.h>

TAILQ_HEAD(herald_cf_calls, herald_cf_call);

struct herald_cf_registration {
    CFNotificationCenterRef center;
    HeraldCenterRef native; /* the center's `native` when the registration was made */
    CFNotificationCallback callback;
    void *observer;
    HeraldNameRef name; /* NULL: any */
    const void *object; /* NULL: any; in the distributed center, an address from HeraldObjectForString */
    HeraldSuspensionBehavior behavior;
    HeraldToken token, held_token; /* in `native`, and in the center's `holding` if that is another; else {0, 0} */
    _Atomic uint32_t references;   /* of the core, of calls, and of threads that add or remove it */
    _Atomic bool is_over;          /* it has been removed; the core may not know this yet */

    /* Protected by the library's lock: */
    struct herald_cf_registration *next, **link; /* in a chain, or in a list of those to remove */
    bool is_added; /* the tokens are valid; before that a removal leaves its end to the thread that adds it */
    struct herald_cf_calls waiting; /* for the run loop, the oldest first */
    long waiting_count;
};

/* Gives up a reference. With the last reference the registration is freed. Also the release hook (R10). */
static inline void herald_cf_registration_release(void *given) {
    struct herald_cf_registration *registration = given;
    if (!--registration->references) free(registration);
}

#endif
