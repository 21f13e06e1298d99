/* Replacing the user's file by a new one. */
#ifndef HERALD_HOST_REPLACE_H
#define HERALD_HOST_REPLACE_H

#include "segment.h"

enum herald_host_replaced {
    HERALD_HOST_REPLACED, /* or another file is there already */
    HERALD_HOST_BUSY,     /* another process is replacing it; with a complaint */
    HERALD_HOST_NOT_REPLACED
};

HERALD_BEGIN
enum {
    HERALD_HOST_LOCKED = 1,  /* the caller has the session's lock; otherwise it is taken here for parts of the work */
    HERALD_HOST_INSISTS = 2, /* goes on while another process has the file's move lock, because that may be stopped;
                                otherwise the result is HERALD_HOST_BUSY */
    HERALD_HOST_NEW_LINE = 4 /* numbers and counts start again: a process from any other file reads all of it */
};
/* Replaces what is at the path, of any kind, by a new file, unless its inode has another number; 0 is any number. The
 * states are copied. */
enum herald_host_replaced herald_host_replace(const struct herald_host_place *place, const char *path, ino_t number,
                                              int how);

/* Milliseconds that a process waits for another one that is replacing the file, before it insists. */
enum { HERALD_HOST_REPLACE_PATIENCE = 30 };
HERALD_END
#endif
