/* A registration: an observer, and which posts of a center it hears. */
#ifndef HERALD_CF_REGISTRATION_H
#define HERALD_CF_REGISTRATION_H

#include "cf_center.h"
#include <sys/queue.h>

struct herald_cf_registration;

/* A call that waits for the run loop. Once it is in the queue, the queue's lock protects it. */
struct herald_cf_waiting {
    TAILQ_ENTRY(herald_cf_waiting) in_queue, of_registration;
    struct herald_cf_registration *registration; /* a reference */
    size_t size;                                 /* how many bytes it counts for; 0: it is a registration's `own` */
    bool is_held;                                /* until the distributed center is resumed */

    /* Only for a post of the distributed center. The call owns these: */
    HeraldNameRef native;
    CFStringRef name, object; /* if `name` is NULL, the callback gets the registration's `string` */
    CFDictionaryRef userInfo;
    bool is_immediate; /* the post has HeraldPostDeliverImmediately */
};

TAILQ_HEAD(herald_cf_waiting_list, herald_cf_waiting);

struct herald_cf_registration {
    CFNotificationCenterRef center;
    HeraldCenterRef native; /* the center's `native` when the registration was made */
    CFNotificationCallback callback;
    void *observer;
    HeraldNameRef name; /* NULL: any */
    const void *object; /* NULL: any; in the distributed center, an address from HeraldObjectForString */
    CFNotificationSuspensionBehavior behavior;
    _Atomic uint32_t references; /* of the core, of the queue, and of threads that add or remove it */
    _Atomic bool is_over;        /* it has been removed; the core may not know this yet */

    /* Protected by the center's lock: */
    struct herald_cf_registration *next, **link; /* in the center's chain, or in a list of those to remove */
    bool is_being_added; /* while true, a removal leaves the end of the registration to the thread that adds it */
    HeraldToken token;   /* valid once `is_being_added` is false */

    /* For the Darwin and the distributed center, which call on the run loop: */
    CFStringRef string;                    /* the name, for the callback; NULL: any */
    struct herald_cf_waiting_list waiting; /* the oldest first; the queue's lock protects it and all below */
    long waiting_count;
    struct herald_cf_waiting own; /* the registration's only call in the Darwin center, where posts coalesce */
};

#pragma GCC visibility push(hidden)
/* Gives up a reference. With the last reference the registration is freed. */
void herald_cf_registration_release(struct herald_cf_registration *registration);
#pragma GCC visibility pop

#endif
