/* Moving: following the user's file when it is replaced or removed, and entering names in it. */
#ifndef HERALD_HOST_MOVE_H
#define HERALD_HOST_MOVE_H

#include "host_name.h"
#include "session.h"

HERALD_BEGIN
/* Checks whether the segment is still the user's file, at most once a second unless `insist`. Opens the file, or moves
 * to the new one. Returns NULL, with a complaint, if no file can be had. Under the session's lock. */
struct herald_host_segment *herald_host_move_look(bool insist);
/* The same check for a poster, which does not have the lock. It waits for the lock only if there is no segment yet. */
struct herald_host_segment *herald_host_move_try_to_look(void);

/* Returns the segment for a poster, without the lock. An entry that the poster reads from a name afterwards belongs to
 * this segment or to a newer one. */
static inline struct herald_host_segment *herald_host_move_segment(void) {
    struct herald_host_segment *segment = herald_host_session.segment;
    if (herald_likely(segment && herald_host_session.looked == time(NULL) &&
                      !(HERALD_HOST_STEP(SUPERSEDED) && segment->header->superseded)))
        return segment;
    return herald_host_move_try_to_look();
}

/* Makes a name that is observed or checked, and enters it in the user's file. Opens the file if necessary, and replaces
 * a full file. Under the session's lock, which is released while the file is being replaced. */
HeraldStatus herald_host_move_enter(HeraldNameRef ref, struct herald_host_name **name);

/* Whether a call that failed with this status should be made again, because the user's file is no longer
 * the one that the call looked at. `tried` counts the attempts so far. */
bool herald_host_move_has_overtaken(HeraldStatus status, int tried);

/* Returns the segment, and its file open in `file`, which the caller closes; or NULL, with a complaint. Not under the
 * session's lock. */
struct herald_host_segment *herald_host_move_open(int *file);

/* Replaces the user's file by a new one, if its inode number is `number`, or if `number` is 0. HeraldOK also if the
 * file at the path has another inode number: it was replaced already. Not under the session's lock. */
HeraldStatus herald_host_move_renew(ino_t number);

/* The watcher calls this once a second or less often. If something is wrong with the file, returns a description, once
 * per outage; otherwise NULL. The watcher prints the description after unlocking, because it has no caller to pass it
 * to. Under the session's lock. */
const char *herald_host_move_tick(void);
HERALD_END
#endif
