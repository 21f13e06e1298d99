/* Replacing the user's file by a new one. */
#ifndef HERALD_HOST_REPLACE_H
#define HERALD_HOST_REPLACE_H

#include "segment.h"

enum herald_host_replaced {
    HERALD_REPLACED,  /* or it was another file by then */
    HERALD_HOST_BUSY, /* another process is at it; with a complaint */
    HERALD_HOST_NOT_REPLACED
};

HERALD_BEGIN
enum {
    HERALD_HOST_LOCKED = 1,  /* under the session's lock; else it takes that meanwhile */
    HERALD_HOST_INSISTS = 2, /* also while another process has the lock of the move, which may be stopped; else that is
                           HERALD_HOST_BUSY */
    HERALD_HOST_NEW_LINE = 4 /* numbers and counts do not go on: whoever comes from any other file reads all of it */
};
/* Puts a new file in the place of the one at the path, whatever that is, unless it has another number; 0 is any. States
 * go along. */
enum herald_host_replaced herald_host_replace(const struct herald_host_place *place, const char *path, ino_t number,
                                              int how);

/* A process that finds another one at it waits so many milliseconds before it insists. */
enum { HERALD_HOST_REPLACE_PATIENCE = 30 };
HERALD_END
#endif
