/* The queue: calls that are due. They wait here for the run loop, which makes them in the order in which they were
 * added.
 *
 * For each registration of the distributed center at most 1024 calls wait. All these calls together have at most 16
 * MiB; a message counts once for each call that carries it. Beyond these limits the oldest calls are dropped. For a
 * registration of the Darwin center at most one call waits; it counts for nothing, so other calls do not push it out.
 */
#ifndef HERALD_CF_QUEUE_H
#define HERALD_CF_QUEUE_H

#include "registration.h"
#include <pthread.h>

/* A call to be made. It owns its object and its userInfo. */
struct herald_cf_call {
    TAILQ_ENTRY(herald_cf_call) in_queue, of_registration;
    struct herald_cf_registration *to; /* a reference */
    HeraldNameRef name;
    CFStringRef object;
    CFDictionaryRef userInfo;
    size_t size; /* how many bytes it counts for; 0: a call of the Darwin center */
};

#pragma GCC visibility push(hidden)
/* The lock of this library. A thread that has it never waits for a lock of the core, and calls no observer. */
extern pthread_mutex_t herald_cf_lock;

/* Makes sure that there is a run loop, and that it has the source that makes the calls. False: memory is out. */
bool herald_cf_queue_is_ready(void);
/* Makes a call without an object and userInfo. NULL: memory is out. */
struct herald_cf_call *herald_cf_call_create(struct herald_cf_registration *to, HeraldNameRef name, size_t size);
/* Ends a call that has been made, or that was never added. */
void herald_cf_call_end(struct herald_cf_call *call);
/* Adds a call, and wakes the run loop. The call belongs to the queue from then on. */
void herald_cf_queue_add(struct herald_cf_call *call);
/* Drops all calls of a registration that is over. */
void herald_cf_queue_forget(struct herald_cf_registration *registration);
#pragma GCC visibility pop

#endif
