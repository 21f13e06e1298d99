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
    bool is_being_added;               /* whoever adds it sees to its end, if it is removed meanwhile */
    HeraldToken token;                 /* after that */

    /* The Darwin center's: */
    CFStringRef string; /* the name, for the callback */
    bool is_waiting;    /* for the run loop; this and the following by the list's lock */
    struct registration *next_waiting, **link_waiting;
};

#pragma GCC visibility push(hidden)
void herald_cf_let_go(struct registration *registration);

/* The Darwin center's callback: hands it to the run loop. */
void herald_cf_hand_over(HeraldCenterRef native, void *registration, HeraldNameRef name, const void *object,
                         const void *userInfo);
/* It has been removed: takes it off the run loop's list. */
void herald_cf_forget(struct registration *registration);
/* Posts to all processes. `native` NULL: no HeraldNameRef has been made of the name. */
void herald_cf_post_to_host(HeraldNameRef native, CFStringRef name);
/* Why the core or the host center has refused an observer. */
const char *herald_cf_reason(CFNotificationCenterRef center, HeraldStatus status);
/* Makes sure that somebody looks after what is handed over. */
bool herald_cf_run_loop_is_there(void);
#pragma GCC visibility pop

#endif
