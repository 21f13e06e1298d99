/* The user's file: finding it, or making it. */
#ifndef HERALD_HOST_USERFILE_H
#define HERALD_HOST_USERFILE_H

#include "segment.h"

HERALD_BEGIN
/* Finds the user's file, or makes it, and maps it. `current` is the segment that the session has, or NULL. `*segment`
 * is set to `current` in two cases. In the first, `current` is the user's file already. In the second, the file that
 * this call finds is superseded and cannot be replaced now, and processes have already left it. Under the session's
 * lock. */
HeraldStatus herald_host_user_file_open(struct herald_host_segment *current, struct herald_host_segment **segment);

/* Whether a segment is the user's file. */
enum herald_host_whereabouts {
    HERALD_HOST_THERE,
    HERALD_HOST_REPLACED_BY_NOW, /* another file or no file is at the segment's path, or the segment is superseded or
                                    damaged; this is so for all processes that use the segment */
    HERALD_HOST_ELSEWHERE        /* this process no longer finds the segment's file, but other processes may */
};
enum herald_host_whereabouts herald_host_user_file_find(const struct herald_host_segment *segment);
HERALD_END
#endif
