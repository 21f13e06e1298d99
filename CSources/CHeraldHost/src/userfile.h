/* The user's file: finding it, or making it. */
#ifndef HERALD_HOST_USERFILE_H
#define HERALD_HOST_USERFILE_H

#include "segment.h"

HERALD_BEGIN
/* Opens the user's file, or makes it. `current` may be NULL. `segment` gets `current` again if that is the user's file,
 * or if the file that was found is one that processes have moved from and that cannot be replaced now. Under the
 * session's lock. */
HeraldStatus herald_host_user_file_open(struct herald_host_segment *current, struct herald_host_segment **segment);

/* Whether a segment is the user's file. */
enum herald_host_whereabouts {
    HERALD_HOST_THERE,
    HERALD_HOST_REPLACED_BY_NOW, /* for all processes that use it: another file or none is at its path, or it is
                                    superseded or damaged */
    HERALD_HOST_ELSEWHERE        /* this process cannot see it any more; others may see it */
};
enum herald_host_whereabouts herald_host_user_file_find(const struct herald_host_segment *segment);

/* The path where the file is, or would be. */
HeraldStatus herald_host_user_file_path(char path[HERALD_HOST_PATH_LIMIT]);
HERALD_END
#endif
