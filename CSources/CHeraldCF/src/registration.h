/* A registration: an observer, and what it hears of a center. */
#ifndef HERALD_CF_REGISTRATION_H
#define HERALD_CF_REGISTRATION_H

#include "cf_center.h"
#include <sys/queue.h>

struct herald_cf_registration;

/* A call that waits for the run loop. Once it is in the queue, the queue's lock protects it. */
struct herald_cf_waiting {
    TAILQ_ENTRY(herald_cf_waiting) in_queue, of_registration;
    struct herald_cf_registration *registration; /* a reference */
    size_t size;                                 /* how many bytes it counts for; 0: it is the registration's `own` */
    bool is_held;                                /* until the distributed center is resumed */

    /* For a post of the distributed center, and owned by the call: */
    HeraldNameRef native;
    CFStringRef name, object; /* name NULL: the registration's string; object NULL: none */
    CFDictionaryRef userInfo;
    bool is_immediate; /* the post says so */
};

TAILQ_HEAD(herald_cf_waiting_list, herald_cf_waiting);

struct herald_cf_registration {
    CFNotificationCenterRef center;
    HeraldCenterRef native; /* the center's when it was made */
    CFNotificationCallback callback;
    void *observer;
    HeraldNameRef name; /* NULL: any */
    const void *object; /* NULL: any; in the distributed center, HeraldObjectForString of it */
    CFNotificationSuspensionBehavior behavior;
    _Atomic uint32_t references; /* the core's, the queue's, and that of the thread which adds it */
    _Atomic bool is_over;        /* it has been removed, though the core may not know yet */

    /* Protected by the center's lock: */
    struct herald_cf_registration *next, **link; /* of those in the same chain */
    bool is_being_added;                         /* if it is removed while this is set, the adding thread ends it */
    HeraldToken token;                           /* valid once `is_being_added` is false */

    /* For the centers that are heard on the run loop: */
    CFStringRef string;                    /* the name, for the callback; NULL: any */
    struct herald_cf_waiting_list waiting; /* the oldest first; the queue's lock protects this and all below */
    long waiting_count;
    struct herald_cf_waiting own; /* in the Darwin center, the only call: posts of that center coalesce */
};

#pragma GCC visibility push(hidden)
/* Gives up a reference; the last one frees it. */
void herald_cf_registration_release(struct herald_cf_registration *registration);
#pragma GCC visibility pop

#endif
