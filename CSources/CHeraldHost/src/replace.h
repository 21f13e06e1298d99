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
    HERALD_HOST_INSISTS = 2, /* goes on even if another process has the file's move lock, because that process may be
                                stopped; without this flag, the result is then HERALD_HOST_BUSY */
    HERALD_HOST_NEW_LINE = 4 /* sequence numbers and counts start again: a process that comes from any other file reads
                                the new one from its beginning */
};
/* Replaces whatever is at the path, even if it is no file of Herald's, by a new file, if its inode number is `number`,
 * or if `number` is 0. The names' states are copied. */
enum herald_host_replaced herald_host_replace(const struct herald_host_place *place, const char *path, ino_t number,
                                              int how);

/* Milliseconds that a process waits for another one that is replacing the file, before it insists. */
enum { HERALD_HOST_REPLACE_PATIENCE = 30 };
HERALD_END
#endif
