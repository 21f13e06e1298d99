/* The place: where the user's file is. */
#ifndef HERALD_HOST_PLACE_H
#define HERALD_HOST_PLACE_H

#include "folder.h"
#include <sys/types.h>

struct herald_host_place {
    char folder[HERALD_HOST_PATH_LIMIT];
    uid_t user;
    unsigned names; /* how many names the file may have there: others can take one, where the folder is not private */
};

HERALD_BEGIN
/* Whether the process is still the user that it was when it asked first; false with a complaint. */
bool herald_host_place_is_users(void);
/* The folders in which the file may be, in their order; false: there are no more. `source` says why it is one. Whether
 * it is good is not asked. */
bool herald_host_place_candidate(unsigned number, struct herald_host_place *place, const char **source);
/* Whether the file can be there; else `reason` says why not. */
bool herald_host_place_is_good(const struct herald_host_place *place, char reason[HERALD_HOST_REASON_LIMIT]);

/* Finds the folder. Fails while the process is another user than when it asked first. */
HeraldStatus herald_host_place_find(struct herald_host_place *place);

/* Calls with each other folder in which processes of the user may be that see less, or came earlier or later. */
void herald_host_place_visit_others(const struct herald_host_place *place,
                                    void (*visit)(const struct herald_host_place *other));

/* The path of one of the file's names, the first being the best. */
void herald_host_place_name(const struct herald_host_place *place, unsigned number, char path[HERALD_HOST_PATH_LIMIT]);
HERALD_END
#endif
