/* Moving: taking this process to the user's new file when the old one is replaced or removed, and entering names in the
 * user's file. */
#ifndef HERALD_HOST_MOVE_H
#define HERALD_HOST_MOVE_H

#include "host_name.h"
#include "session.h"

HERALD_BEGIN
/* Looks whether the segment is still the user's file. If not, opens the user's file and moves to it. Returns the
 * segment to use; or NULL, with a complaint, if no file can be had. Without `insist`, a segment that is not superseded
 * is looked at only once a second. Under the session's lock. */
struct herald_host_segment *herald_host_move_look(bool insist);
/* The same look for a poster, which does not have the lock. If another thread has the lock, this call returns the
 * present segment without a look; the other thread makes the look once it has unlocked. Waits for the lock only if
 * there is no segment yet. */
struct herald_host_segment *herald_host_move_try_to_look(void);

/* Returns the segment for a poster, without the lock. If the poster reads an entry from a name after this, the entry
 * belongs to this segment or to a newer one. */
static inline struct herald_host_segment *herald_host_move_segment(void) {
    struct herald_host_segment *segment = herald_host_session.segment;
    if (herald_likely(segment && herald_host_session.looked == time(NULL) &&
                      !(HERALD_HOST_STEP(SUPERSEDED) && segment->header->superseded)))
        return segment;
    return herald_host_move_try_to_look();
}

/* Finds or makes a name that is to be observed or checked, and enters the name in the user's file. Opens the file if
 * necessary, and replaces a full file. Under the session's lock, which is released while this process waits for another
 * process that is replacing the file. */
HeraldStatus herald_host_move_enter(HeraldNameRef ref, struct herald_host_name **name);

/* Whether a call that failed with this status should be made again, because the session's segment is no longer the
 * user's file. `tried` counts the attempts so far. */
bool herald_host_move_has_overtaken(HeraldStatus status, int tried);

/* Opens the segment's file. Returns the segment, and in `file` the descriptor, which the caller closes; or NULL, with a
 * complaint. Not under the session's lock. */
struct herald_host_segment *herald_host_move_open(int *file);

/* Replaces the user's file by a new one. If `number` is not 0, replaces only a file with this inode number. Another
 * number means that the file has been replaced already: the result is HeraldOK. Under the session's lock, which is
 * released while this process waits for another process that is replacing the file. */
HeraldStatus herald_host_move_renew(ino_t number);

/* The watcher calls this once a second or less often, to look at the file. Returns a description if something is wrong
 * now and nothing was wrong at the previous call. Otherwise returns NULL. The watcher has no caller that could read a
 * complaint, so the watcher prints the description after unlocking. Under the session's lock. */
const char *herald_host_move_tick(void);
HERALD_END
#endif
