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
/* Whether the process still runs as the user that it had at the first call; if not, false with a complaint. */
bool herald_host_place_is_users(void);
/* Gives the folders in which the file may be, numbered from 0 in order of preference. False: there are no more.
 * `source` gets a text that says where the folder comes from. Whether the folder is good is not checked. */
bool herald_host_place_candidate(unsigned number, struct herald_host_place *place, const char **source);
/* Whether the file can be in this folder; if not, `reason` gets the reason. */
bool herald_host_place_is_good(const struct herald_host_place *place, char reason[HERALD_HOST_REASON_LIMIT]);

/* Finds the folder. Fails while the process runs as another user than at the first call. */
HeraldStatus herald_host_place_find(struct herald_host_place *place);

/* Calls `visit` with each other folder that may hold a file of the user's: a process that sees other folders, or
 * started earlier or later, may have chosen that one. */
void herald_host_place_visit_others(const struct herald_host_place *place,
                                    void (*visit)(const struct herald_host_place *other));

/* Writes to `path` where the file is under its name number `number`; name 0 is preferred. */
void herald_host_place_name(const struct herald_host_place *place, unsigned number, char path[HERALD_HOST_PATH_LIMIT]);
HERALD_END
#endif
