/* A registration: what an observer has asked of a center. */
#ifndef HERALD_CF_REGISTRATION_H
#define HERALD_CF_REGISTRATION_H

#include "cf_center.h"
#include <sys/queue.h>

struct herald_cf_registration;

/* A call that waits for the run loop. The queue's lock, once it is in there. */
struct herald_cf_waiting {
    TAILQ_ENTRY(herald_cf_waiting) in_queue, of_registration;
    struct herald_cf_registration *registration; /* a reference */
    size_t size;                                 /* what it counts for; 0: the registration's own */
    bool is_held;                                /* until the distributed center is resumed */

    /* Of a post of the distributed center, and its own: */
    HeraldNameRef native;
    CFStringRef name, object; /* NULL: the registration's string; none */
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
    const void *object; /* NULL: any; of the distributed center HeraldObjectForString of it */
    CFNotificationSuspensionBehavior behavior;
    _Atomic uint32_t references; /* the core's, the queue's, and that of the thread which adds it */
    _Atomic bool is_over;        /* it has been removed, though the core may not know yet */

    /* The center's lock: */
    struct herald_cf_registration *next, **link; /* of those in the same chain */
    bool is_being_added;                         /* the adding thread ends it, if it is removed meanwhile */
    HeraldToken token;                           /* after that */

    /* Of the centers that are heard on the run loop: */
    CFStringRef string;                    /* the name, for the callback; NULL: any */
    struct herald_cf_waiting_list waiting; /* the oldest first; this and the following by the queue's lock */
    long waiting_count;
    struct herald_cf_waiting own; /* the Darwin center's: its posts coalesce */
};

#pragma GCC visibility push(hidden)
/* Gives up a reference; the last one frees it. */
void herald_cf_registration_release(struct herald_cf_registration *registration);
#pragma GCC visibility pop

#endif
