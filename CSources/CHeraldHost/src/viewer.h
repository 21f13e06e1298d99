/* A viewer: one client of the inspector, with a thread of its own. */
#ifndef HERALD_HOST_VIEWER_H
#define HERALD_HOST_VIEWER_H

#include "file.h"

HERALD_BEGIN
/* Answers a client's requests until the client is gone. The socket stays the caller's. */
void herald_host_viewer_serve(const struct herald_host_file *socket);
/* In the child of a fork: releases the lock that before_fork has taken, and ends the traces of the parent's viewers.
 * Called under no other lock. */
void herald_host_viewers_in_child(void);
void herald_host_viewers_before_fork(void);
void herald_host_viewers_after_fork(void);
HERALD_END
#endif
