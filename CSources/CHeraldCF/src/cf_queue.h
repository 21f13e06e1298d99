/* What waits for the run loop: calls of observers of the Darwin and the distributed center, in the order of the posts.
 *
 * What is due is called as soon as the run loop turns, what is held when the distributed center is resumed (R16). At
 * most 1024 calls of a registration of the distributed center wait, and 16 MiB of messages, each counted once for each
 * of its observers: beyond that the oldest are dropped. Of one of the Darwin center one call waits.
 */
#ifndef HERALD_CF_QUEUE_H
#define HERALD_CF_QUEUE_H

#include "registration.h"

/* What is to be called; its strings and its userInfo are owned. */
struct herald_cf_call {
    struct herald_cf_registration *registration; /* a reference */
    CFStringRef name, object;                    /* NULL: the registration's string; none */
    CFDictionaryRef userInfo;
};

#pragma GCC visibility push(hidden)
/* Adds the call that a registration of the Darwin center has, unless it waits already. */
void herald_cf_queue_add_own(struct herald_cf_registration *registration);
/* Adds a call, whose memory (malloc), strings and userInfo are the queue's from then on; so is a reference to its
 * registration, which it takes. */
void herald_cf_queue_add(struct herald_cf_waiting *waiting);
/* Takes the oldest that is due; false: none is. */
bool herald_cf_queue_take(struct herald_cf_call *call);
/* How many are due. */
long herald_cf_queue_due(void);
/* Drops what waits for a registration that is over. */
void herald_cf_queue_forget(struct herald_cf_registration *registration);

/* The distributed center's suspension. */
void herald_cf_queue_suspend(bool suspended);
bool herald_cf_queue_is_suspended(void);

/* Around a fork. */
void herald_cf_lock_queue(void);
void herald_cf_unlock_queue(void);
#pragma GCC visibility pop

#endif
