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

#include "log.h"

/* What this process has of a segment's channels. */
struct herald_host_own_channel {
    struct herald_host_segment *segment; /* NULL: none */
    uint32_t number;
    bool shared; /* with other processes, because all others are taken: groups say nothing */
    void *lock;  /* a mapping of the open file that has the kernel's lock */
};

HERALD_BEGIN
/* Takes a channel, under the session's lock. Ownership is an open-file-description lock on byte `number`, which the
 * kernel drops when the process dies. The open file lives by a mapping alone: there is no descriptor that the program
 * could close, and a child of a fork does not have the mapping. `any_name`: one that every post wakes. */
HeraldStatus herald_host_own_channel_take(struct herald_host_own_channel *seat, struct herald_host_segment *segment,
                                          bool any_name);
/* Its process reads no older record than this: see ring.c. Of a shared one others may. */
void herald_host_own_channel_show_reading(const struct herald_host_own_channel *seat, uint64_t sequence);
/* Unlocks it. `clean`: no name has this channel's bit any more. */
void herald_host_own_channel_leave(struct herald_host_own_channel *seat, bool clean);

/* Looks at the next channels that have had a process, at most 64, and clears the bits of those whose process is dead:
 * else posters would wake them for ever. */
void herald_host_channels_sweep(struct herald_host_segment *segment);

/* What to wait for; then the names can be looked at. */
uint32_t herald_host_own_channel_arm(const struct herald_host_own_channel *seat);
/* The sleeper will look at the names again before it sleeps, so posters need not wake it. */
void herald_host_own_channel_disarm(const struct herald_host_own_channel *seat);
/* Groups of names that may have changed since the last time. */
uint64_t herald_host_own_channel_groups(const struct herald_host_own_channel *seat);
/* Looks for so long, awake, whether somebody posts a name, or a message beyond those before `read` (0: it reads none).
 * Not at a shared one. */
void herald_host_own_channel_look(const struct herald_host_own_channel *seat, uint64_t read, uint64_t nanoseconds);
/* Sleeps until it is woken, or so long: false. */
bool herald_host_own_channel_wait(const struct herald_host_own_channel *seat, uint32_t sequence, uint32_t milliseconds);
/* Wakes this process's own sleeper, whatever it sleeps for. */
void herald_host_own_channel_wake(const struct herald_host_own_channel *seat);

/* A poster's: the names of a group have changed; and then, when all channels know it, wakes who sleeps. */
void herald_host_channel_mark(struct herald_host_channel *channel, uint32_t group);
void herald_host_channel_wake(struct herald_host_channel *channel);
/* The same for the processes that observe any name. A mark says that a post of the group is not in the log. */
void herald_host_header_mark_any(struct herald_host_header *header, uint32_t group);
void herald_host_header_wake_any(struct herald_host_header *header);
/* From now on what is written to the file is written again to another, and no message is written to it. */
void herald_host_header_supersede(struct herald_host_header *header);
/* Wakes all that sleep in the file: they look whether it is still theirs. */
void herald_host_header_wake_all(struct herald_host_header *header);
/* There is another file by now: wakes all that sleep in this one, unless that has been done. */
void herald_host_header_leave(struct herald_host_header *header);
HERALD_END
#endif
