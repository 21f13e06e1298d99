/* The queue: calls of observers of the Darwin and the distributed center. Here they wait for the run loop, in the order
 * of the posts.
 *
 * Due calls are made as soon as the run loop turns. Held calls are made when the distributed center is resumed (R16).
 * For each registration of the distributed center at most 1024 calls wait. All waiting calls together have at most 16
 * MiB; a message counts once for each call that carries it. Beyond these limits the oldest calls are dropped. For a
 * registration of the Darwin center at most one call waits.
 */
#ifndef HERALD_CF_QUEUE_H
#define HERALD_CF_QUEUE_H

#include "registration.h"

/* A call to be made. It owns its strings and its userInfo. */
struct herald_cf_call {
    struct herald_cf_registration *registration; /* a reference */
    CFStringRef name, object;                    /* if `name` is NULL, the callback gets the registration's `string` */
    CFDictionaryRef userInfo;
};

#pragma GCC visibility push(hidden)
/* Adds the one call of a Darwin center's registration, unless that call waits already. */
void herald_cf_queue_add_own(struct herald_cf_registration *registration);
/* Adds a call. From then on the call's memory (malloc), strings and userInfo belong to the queue. The queue takes a
 * reference to the call's registration. */
void herald_cf_queue_add(struct herald_cf_waiting *waiting);
/* Takes the oldest call that is due. Returns false if no call is due. */
bool herald_cf_queue_take(struct herald_cf_call *call);
/* How many calls are due. */
long herald_cf_queue_due(void);
/* Drops all waiting calls of a registration that is over. */
void herald_cf_queue_forget(struct herald_cf_registration *registration);

/* The distributed center's suspension. */
void herald_cf_queue_suspend(bool suspended);
bool herald_cf_queue_is_suspended(void);

/* For a fork. */
void herald_cf_lock_queue(void);
void herald_cf_unlock_queue(void);
#pragma GCC visibility pop

#endif
