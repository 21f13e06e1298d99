/* The watcher: the thread that sleeps until a watched name has changed, and calls observers and feeds descriptors. */
#ifndef HERALD_HOST_WATCHER_H
#define HERALD_HOST_WATCHER_H

#include "move.h"
#include <signal.h>

HERALD_BEGIN
/* Whose observers are called. */
void herald_host_watcher_serve(HeraldCenterRef host);
/* Enters a name and watches it, on a thread that is begun when there is none. Under the session's lock. */
HeraldStatus herald_host_watcher_watch(HeraldNameRef ref, struct herald_host_name **name);

/* The same for any name; and no more. */
HeraldStatus herald_host_watcher_watch_any(void);
void herald_host_watcher_leave_any(void);

void herald_host_watcher_after_fork(void);

/* All signals but synchronous faults, for a thread that is just begun: it inherits that. */
void herald_host_watcher_block_signals(sigset_t *before);
HERALD_END
#endif
