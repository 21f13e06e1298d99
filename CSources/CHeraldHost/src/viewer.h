/* A viewer: one client of the inspector, with a thread of its own. */
#ifndef HERALD_HOST_VIEWER_H
#define HERALD_HOST_VIEWER_H

#include "file.h"
#include <herald/inspect.h>

/* A client's thread alone uses all of this except the socket. It is not in the thread's memory, because the child of a
 * fork, in which the thread does not exist, ends the traces. */
struct herald_host_client {
    struct herald_host_file socket; /* number -1: there is no client */
    HeraldToken trace, counting;    /* the traces that write to the tape and to the counts */
    struct herald_host_tape *tape;
    struct herald_host_counts *counts;
};

HERALD_BEGIN
/* Answers a client's requests until the client is gone, and ends its traces. The socket stays the caller's. */
void herald_host_viewer_serve(struct herald_host_client *client);
/* In the child of a fork: ends the traces of a client of the parent's. `is_own`: the calling thread serves the client.
 * Called under no lock. */
void herald_host_viewer_in_child(struct herald_host_client *client, bool is_own);
HERALD_END
#endif
