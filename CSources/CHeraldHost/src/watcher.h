/* The watcher: the thread that sleeps until a name has changed, and tells observers and file descriptors. Everything
 * here is called under the host's lock. */
#ifndef HERALD_HOST_WATCHER_H
#define HERALD_HOST_WATCHER_H

#include "host.h"

HERALD_BEGIN
/* From now on the name, which has an entry, is watched. Begins the thread when there is none. */
HeraldStatus herald_watcher_watch(struct herald_host_name *name, struct herald_segment *segment);
/* The name has neither observers nor descriptors any more. */
void herald_watcher_forget(struct herald_host_name *name);

/* When the process moves to another segment: gives up its channel; and, for each name that has an entry again, watches
 * that and counts it as posted. */
void herald_watcher_leave(void);
void herald_watcher_moved(struct herald_host_name *name);
/* If anything is watched, sees to it that there is a channel. */
void herald_watcher_sit(struct herald_segment *segment);

/* The process's channel, for a look at others'. */
const struct herald_seat *herald_watcher_seat(void);

void herald_watcher_after_fork(void);
HERALD_END
#endif
