/* The place: the folder of the user's file, and the names that the file may have there. */
#ifndef HERALD_HOST_PLACE_H
#define HERALD_HOST_PLACE_H

#include "folder.h"
#include <sys/types.h>

struct herald_host_place {
    char folder[HERALD_HOST_PATH_LIMIT];
    uid_t user;
    unsigned names; /* how many names the file may have there; more than one if other users can write to the folder, and
                       so can take a name */
};

HERALD_BEGIN
/* Whether the process still runs as the same user as at the first call. If not, false with a complaint. */
bool herald_host_place_is_users(void);
/* Gives candidate `number` of the folders that may hold the file; candidate 0 is preferred. `*source` gets a text that
 * says where the folder's path comes from. False: there are no more candidates. The caller checks whether the folder is
 * good. */
bool herald_host_place_candidate(unsigned number, struct herald_host_place *place, const char **source);
/* Whether the file can be in this folder; if not, `reason` gets the reason. */
bool herald_host_place_is_good(const struct herald_host_place *place, char reason[HERALD_HOST_REASON_LIMIT]);

/* Finds the first candidate that is good. Fails while the process runs as another user than at the first call. */
HeraldStatus herald_host_place_find(struct herald_host_place *place);

/* Finds the user's own file in the folder, and writes its path to `path`. False: the user has no file there. Then
 * `path` gets the path at which one would be made. */
bool herald_host_place_find_file(const struct herald_host_place *place, char path[HERALD_HOST_PATH_LIMIT]);

/* Writes to `path` the path of the file under name `number`. Name 0 is preferred. */
void herald_host_place_name(const struct herald_host_place *place, unsigned number, char path[HERALD_HOST_PATH_LIMIT]);
HERALD_END
#endif
