/* The user's file: found, made, and put in the place of another. */
#ifndef HERALD_HOST_USERFILE_H
#define HERALD_HOST_USERFILE_H

#include "segment.h"

HERALD_BEGIN
/* Opens the user's file, or makes it. Under the session's lock. `generation`: of the file before, if it is known. */
HeraldStatus herald_user_file_open(uint32_t generation, struct herald_segment **segment);

/* Whether a segment is the user's file. */
bool herald_user_file_is(const struct herald_segment *segment);

/* Where it is, or would be. */
HeraldStatus herald_user_file_path(char path[HERALD_PATH_LIMIT]);

/* Puts a new file in its place, whatever lies there. Not under the session's lock, for it may wait for who has a lock
 * on the file. `*busy`: another process is at it. */
HeraldStatus herald_user_file_replace(const char *path, bool *busy);
HERALD_END
#endif
