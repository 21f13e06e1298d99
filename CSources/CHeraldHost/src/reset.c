/* The file as a whole: where it is, and making it anew.
 *
 * Ordering. None of its own. Progress. Making it anew waits for other processes that do, half a second at most.
 * Ownership. Nothing is kept.
 */
#include "complaint.h"
#include "move.h"
#include "userfile.h"
#include <string.h>

const char *HeraldHostGetPath(void) {
    static _Thread_local char path[HERALD_PATH_LIMIT];
    const struct herald_segment *segment = herald_session.segment;
    if (segment && !segment->header->retired) return strcpy(path, segment->path);
    return herald_user_file_path(path) == HeraldOK ? path : NULL;
}

HeraldStatus HeraldHostReset(void) {
    herald_session_lock();
    herald_move_look(true); /* so that those who use it are told; whether it can be used does not matter */
    herald_session_unlock();
    return herald_move_renew();
}
