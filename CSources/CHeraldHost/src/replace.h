/* Replacing the user's file by a new one. */
#ifndef HERALD_HOST_REPLACE_H
#define HERALD_HOST_REPLACE_H

#include "segment.h"

enum herald_host_replaced {
    HERALD_HOST_REPLACED, /* the old file is no longer at the path, whoever replaced or removed it */
    HERALD_HOST_BUSY,     /* another process is replacing the file, which the thread's complaint says: try again */
    HERALD_HOST_NOT_REPLACED
};

HERALD_BEGIN
/* Replaces the file at `path` by a new one, and copies the names' states. The old file may be any file of the user's,
 * even one that is not Herald's. If `number` is not 0, replaces only a file with this inode number. While another
 * process has the file's move lock (layout.h), the result is HERALD_HOST_BUSY. But that process may be stopped. So 30
 * to 240 milliseconds after the first such result, a call replaces the file all the same. `new_line`: begins a new line
 * (layout.h). Sequence numbers and counts start again, and a process that comes from an older file reads the new file
 * from its beginning. Such a call does not heed the move lock. Under the session's lock. */
enum herald_host_replaced herald_host_replace(const struct herald_host_place *place, const char *path, ino_t number,
                                              bool new_line);
HERALD_END
#endif
