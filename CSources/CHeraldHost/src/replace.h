/* Replacing the user's file by a new one. */
#ifndef HERALD_HOST_REPLACE_H
#define HERALD_HOST_REPLACE_H

#include "segment.h"

enum herald_host_replaced {
    HERALD_HOST_REPLACED, /* the old file is no longer at the path, whoever replaced or removed it */
    HERALD_HOST_BUSY,     /* another process is replacing the file; the thread's complaint says so */
    HERALD_HOST_NOT_REPLACED
};

HERALD_BEGIN
enum {
    HERALD_HOST_INSISTS = 1, /* goes on even if another process has the file's move lock (layout.h), because that
                                process may be stopped; without this flag, the result is then HERALD_HOST_BUSY */
    HERALD_HOST_NEW_LINE = 2 /* begins a new line (layout.h): sequence numbers and counts start again, and a process
                                that comes from an older file reads the new file from its beginning */
};
/* Replaces the file at `path` by a new one, and copies the names' states. The old file may be any file of the user's,
 * even one that is not Herald's. If `number` is not 0, replaces only a file with this inode number. `how` is a set of
 * the flags above. */
enum herald_host_replaced herald_host_replace(const struct herald_host_place *place, const char *path, ino_t number,
                                              int how);

/* How many milliseconds, at least, a process waits while another process is replacing the file. After that the waiting
 * process insists. */
enum { HERALD_HOST_REPLACE_PATIENCE = 30 };
HERALD_END
#endif
