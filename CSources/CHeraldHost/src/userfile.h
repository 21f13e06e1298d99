/* The user's file: finding it, or making it. */
#ifndef HERALD_HOST_USERFILE_H
#define HERALD_HOST_USERFILE_H

#include "segment.h"

HERALD_BEGIN
/* Finds the user's file, or makes it, and maps it. `current` is the segment that the session has, or NULL. `*segment`
 * gets `current` again in two cases: it is the user's file already; or the file that was found cannot be replaced now,
 * and processes have moved from that file. Under the session's lock. */
HeraldStatus herald_host_user_file_open(struct herald_host_segment *current, struct herald_host_segment **segment);

/* Whether a segment is the user's file. */
enum herald_host_whereabouts {
    HERALD_HOST_THERE,
    HERALD_HOST_REPLACED_BY_NOW, /* another file or none is at its path, or it is superseded or damaged; this holds for
                                    all processes that use it */
    HERALD_HOST_ELSEWHERE        /* this process cannot see it any more, but others may */
};
enum herald_host_whereabouts herald_host_user_file_find(const struct herald_host_segment *segment);

/* The path where the file is, or would be. */
HeraldStatus herald_host_user_file_path(char path[HERALD_HOST_PATH_LIMIT]);
HERALD_END
#endif
