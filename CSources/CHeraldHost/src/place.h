/* The place: where the user's file is. */
#ifndef HERALD_HOST_PLACE_H
#define HERALD_HOST_PLACE_H

#include "folder.h"
#include <sys/types.h>

struct herald_host_place {
    char folder[HERALD_HOST_PATH_LIMIT];
    uid_t user;
    unsigned names; /* how many names the file may have there; more than one if others can write to the folder and take
                       a name */
};

HERALD_BEGIN
/* Whether the process is still the user that it was at the first call; false, with a complaint. */
bool herald_host_place_is_users(void);
/* The folders in which the file may be, in their order; false: there are no more. `source` is where the folder comes
 * from. Whether the folder is good is not checked. */
bool herald_host_place_candidate(unsigned number, struct herald_host_place *place, const char **source);
/* Whether the file can be there; if not, `reason` gets the reason. */
bool herald_host_place_is_good(const struct herald_host_place *place, char reason[HERALD_HOST_REASON_LIMIT]);

/* Finds the folder. Fails while the process is another user than at the first call. */
HeraldStatus herald_host_place_find(struct herald_host_place *place);

/* Calls `visit` with each other folder that may hold a file of the user's: a process that sees other folders, or came
 * earlier or later, may have chosen it. */
void herald_host_place_visit_others(const struct herald_host_place *place,
                                    void (*visit)(const struct herald_host_place *other));

/* Writes the path of one of the file's names; the first is preferred. */
void herald_host_place_name(const struct herald_host_place *place, unsigned number, char path[HERALD_HOST_PATH_LIMIT]);
HERALD_END
#endif
