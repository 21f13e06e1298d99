/* The queue: calls of observers of the Darwin and the distributed center that wait for the run loop, in the order of
 * the posts.
 *
 * Due calls are made as soon as the run loop turns, held calls when the distributed center is resumed (R16). At most
 * 1024 calls wait for a registration of the distributed center, and 16 MiB of messages for all, each counted once for
 * each of its observers. Beyond that the oldest are dropped. For a registration of the Darwin center at most one call
 * waits.
 */
#ifndef HERALD_CF_QUEUE_H
#define HERALD_CF_QUEUE_H

#include "registration.h"

/* A call to be made. It owns its strings and its userInfo. */
struct herald_cf_call {
    struct herald_cf_registration *registration; /* a reference */
    CFStringRef name, object;                    /* name NULL: the registration's string; object NULL: none */
    CFDictionaryRef userInfo;
};

#pragma GCC visibility push(hidden)
/* Adds the one call of a registration of the Darwin center, unless that call waits already. */
void herald_cf_queue_add_own(struct herald_cf_registration *registration);
/* Adds a call. Its memory (malloc), strings and userInfo belong to the queue from then on. The queue takes a reference
 * to its registration. */
void herald_cf_queue_add(struct herald_cf_waiting *waiting);
/* Takes the oldest call that is due; false: none is. */
bool herald_cf_queue_take(struct herald_cf_call *call);
/* How many calls are due. */
long herald_cf_queue_due(void);
/* Drops the calls that wait for a registration that is over. */
void herald_cf_queue_forget(struct herald_cf_registration *registration);

/* The distributed center's suspension. */
void herald_cf_queue_suspend(bool suspended);
bool herald_cf_queue_is_suspended(void);

/* Around a fork. */
void herald_cf_lock_queue(void);
void herald_cf_unlock_queue(void);
#pragma GCC visibility pop

#endif
