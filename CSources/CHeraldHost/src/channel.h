/* A channel: where the watcher of one process sleeps, and how others wake it.
 *
 * The sleeper            s = sequence; arm; look at the names; wait while sequence == s
 * The poster             posts + 1; look at the watchers' bits; note the group; if armed: sequence + 1, wake, disarm
 *
 * Ordering (everything here is sequentially consistent). A poster that does not see the arming has counted its post
 * before the sleeper looks at the names. One that sees it changes the sequence after the sleeper has read it, so the
 * sleeper does not fall asleep, or is woken. Only then it disarms, and only that very arming: a poster that is killed
 * or stopped in between leaves the channel armed, and the next one wakes. So no process depends on another's next step.
 */
#ifndef HERALD_HOST_CHANNEL_H
#define HERALD_HOST_CHANNEL_H

#include "segment.h"

/* What this process has of a segment's channels. */
struct herald_seat {
    struct herald_segment *segment; /* NULL: none */
    uint32_t number;
    bool shared;     /* with other processes, because all others are taken: groups say nothing */
    uint32_t opened; /* the segment's file that has the lock */
};

HERALD_BEGIN
/* Takes a channel, under the session's lock. Ownership is an open-file-description lock on byte `number`; the kernel
 * drops it when the process dies. The lock belongs to an open file that is not the mapped one, which a child of a fork
 * would keep open, and that the child closes. */
HeraldStatus herald_seat_take(struct herald_seat *seat, struct herald_segment *segment);
/* Unlocks it. `clean`: no name has this channel's bit any more. */
void herald_seat_leave(struct herald_seat *seat, bool clean);
/* Whether it is still ours: the program may have closed our file. */
bool herald_seat_holds(const struct herald_seat *seat);

/* Whether some process has a channel; `own`: the one that this process has, or NULL. */
bool herald_channel_is_taken(struct herald_segment *segment, const struct herald_seat *own, uint32_t number);

/* What to wait for; then the names can be looked at. */
uint32_t herald_seat_arm(const struct herald_seat *seat);
/* The sleeper will look at the names again before it sleeps, so posters need not wake it. */
void herald_seat_disarm(const struct herald_seat *seat);
/* Groups of names that may have changed since the last time. */
uint64_t herald_seat_groups(const struct herald_seat *seat);
/* Sleeps, for a second at most. */
void herald_seat_wait(const struct herald_seat *seat, uint32_t sequence);
/* Wakes this process's own sleeper, whatever it sleeps for. */
void herald_seat_wake(const struct herald_seat *seat);

/* A poster's: the names of a group have changed. */
void herald_channel_ring(struct herald_channel *channel, uint32_t group);
HERALD_END
#endif
