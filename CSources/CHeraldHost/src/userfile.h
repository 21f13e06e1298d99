/* The user's file: found, or made. */
#ifndef HERALD_HOST_USERFILE_H
#define HERALD_HOST_USERFILE_H

#include "segment.h"

HERALD_BEGIN
/* Opens the user's file, or makes it. `current`, or NULL, when the file is superseded and another process replaces it,
 * and the caller is as well off where it is. Under the session's lock. */
HeraldStatus herald_host_user_file_open(struct herald_host_segment *current, struct herald_host_segment **segment);

/* Whether a segment is the user's file. */
enum herald_host_whereabouts {
    HERALD_HOST_THERE,
    HERALD_HOST_REPLACED_BY_NOW, /* by another file, or by none; for all who use it */
    HERALD_HOST_ELSEWHERE        /* this process cannot see it any more: others may well */
};
enum herald_host_whereabouts herald_host_user_file_find(const struct herald_host_segment *segment);

/* Where it is, or would be. */
HeraldStatus herald_host_user_file_path(char path[HERALD_HOST_PATH_LIMIT]);
HERALD_END
#endif
