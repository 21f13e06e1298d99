/* Moving: keeping to the user's file, and entering names in it. */
#ifndef HERALD_HOST_MOVE_H
#define HERALD_HOST_MOVE_H

#include "host_name.h"
#include "session.h"

HERALD_BEGIN
/* Looks whether the segment is still the user's file, at most once a second unless `insist`; opens it, or moves to the
 * new one. NULL, with a complaint, when there is none. Under the session's lock. */
struct herald_host_segment *herald_host_move_look(bool insist);
/* A poster's: without the lock, and it does not wait for it if it has a segment. */
struct herald_host_segment *herald_host_move_try_to_look(void);

/* The segment for a poster, without the lock. What the poster reads of the process's names afterwards belongs to this
 * segment or to a newer one. */
static inline struct herald_host_segment *herald_host_move_segment(void) {
    struct herald_host_segment *segment = herald_host_session.segment;
    if (herald_likely(segment && herald_host_session.looked == time(NULL) &&
                      !(HERALD_HOST_STEP(SUPERSEDED) && segment->header->superseded)))
        return segment;
    return herald_host_move_try_to_look();
}

/* Makes and enters a name that is observed or checked, in the user's file, which is opened if need be, and made anew
 * when it is full. Under the session's lock, which is released meanwhile. */
HeraldStatus herald_host_move_enter(HeraldNameRef ref, struct herald_host_name **name);

/* Whether a call that has failed so is to be made again: since it looked, the file has become another. `tried`: times.
 */
bool herald_host_move_has_overtaken(HeraldStatus status, int tried);

/* The segment, and its file, which the caller closes. NULL, with a complaint. Not under the session's lock. */
struct herald_host_segment *herald_host_move_open(int *file);

/* Puts a new file in the place of the user's, unless that has another number; 0 is any. Not under the session's lock.
 */
HeraldStatus herald_host_move_renew(ino_t number);

/* Once a second or less often, from the watcher. Returns what is wrong with the file, to be printed after unlocking,
 * once per outage, because no caller is there to receive it; or NULL. Under the session's lock. */
const char *herald_host_move_tick(void);
HERALD_END
#endif
