/* The run loop on which waiting calls are made. */
#ifndef HERALD_CF_LOOP_H
#define HERALD_CF_LOOP_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)
/* Makes sure that there is a run loop, and that it has the source that makes the calls. False: memory is out. */
bool herald_cf_loop_is_there(void);
/* Call this when a call is due. It wakes the run loop, which makes the call. */
void herald_cf_loop_signal(void);

/* For a fork. */
void herald_cf_lock_loop(void);
void herald_cf_unlock_loop(void);
#pragma GCC visibility pop

#endif
