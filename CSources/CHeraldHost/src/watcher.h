/* The watcher: the thread that sleeps until a watched name is posted. Then it calls observers, and writes to the
 * descriptors of feeds. */
#ifndef HERALD_HOST_WATCHER_H
#define HERALD_HOST_WATCHER_H

#include "move.h"

HERALD_BEGIN
/* Sets the center whose observers are called. */
void herald_host_watcher_serve(HeraldCenterRef host);
/* Enters a name, and watches it. With `ref` NULL: from now on this process hears the posts of all names. Starts the
 * thread if there is none. Under the session's lock. */
HeraldStatus herald_host_watcher_watch(HeraldNameRef ref, struct herald_host_name **name);
/* From now on this process hears only the names that it watches. Under the session's lock. */
void herald_host_watcher_leave_any(void);
/* Inside a callback: adds a reference to the block of this message, for a caller that keeps the message longer than the
 * call. NULL: the message is not one that this thread, as the watcher, is delivering now. */
struct herald_host_received *herald_host_watcher_share(const HeraldMessage *message);

void herald_host_watcher_after_fork(void);
HERALD_END
#endif
