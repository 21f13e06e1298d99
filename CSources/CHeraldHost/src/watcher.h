/* The watcher: the thread that sleeps until a watched name has changed, and then calls observers and writes to the
 * descriptors of feeds.
 */
#ifndef HERALD_HOST_WATCHER_H
#define HERALD_HOST_WATCHER_H

#include "move.h"
#include <signal.h>

HERALD_BEGIN
/* Sets the center whose observers are called. */
void herald_host_watcher_serve(HeraldCenterRef host);
/* Enters a name and watches it. Begins the thread if there is none. Under the session's lock. */
HeraldStatus herald_host_watcher_watch(HeraldNameRef ref, struct herald_host_name **name);

/* Begins to watch any name (watch_any), and ends this (leave_any). Under the session's lock. */
HeraldStatus herald_host_watcher_watch_any(void);
void herald_host_watcher_leave_any(void);

void herald_host_watcher_after_fork(void);

/* Blocks all signals except synchronous faults, for a thread that is about to be begun and inherits the mask. `before`
 * gets the caller's mask. */
void herald_host_watcher_block_signals(sigset_t *before);
HERALD_END
#endif
