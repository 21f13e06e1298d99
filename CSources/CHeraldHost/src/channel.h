/* A channel: where the watcher of one process sleeps, and how others wake it. The scheme: an eventcount over a futex.
 *
 * The sleeper            s = sequence; arm; look at the names; wait while sequence == s
 * The poster             posts + 1; look at the watchers' bits; note the group; if armed: sequence + 1, wake, disarm
 *
 * Ordering (everything here is sequentially consistent). A poster that does not see the arming has counted its post
 * before the sleeper looks at the names. A poster that sees the arming changes the sequence after the sleeper has read
 * the sequence, so the sleeper does not fall asleep, or is woken. Only then does the poster undo the arming, and only
 * the very one that it saw. So a poster that is killed or stopped in between leaves the channel armed, and the next
 * poster wakes it. No process depends on another's next step.
 */
#ifndef HERALD_HOST_CHANNEL_H
#define HERALD_HOST_CHANNEL_H

#include "log.h"

/* This process's own channel in a segment. */
struct herald_host_own_channel {
    struct herald_host_segment *segment; /* NULL: none */
    uint32_t number;
    bool shared; /* other processes use it, too, because all other channels are taken; then its groups mean nothing */
    void *lock;  /* a mapping of the open file that has the kernel's lock */
};

HERALD_BEGIN
/* Takes a channel, under the session's lock. Ownership is an open-file-description lock on byte `number`, which the
 * kernel drops when the process dies. Only a mapping keeps the open file: there is no descriptor that the program could
 * close, and a child of a fork does not have the mapping. `any_name`: takes a channel that every post wakes. */
HeraldStatus herald_host_own_channel_take(struct herald_host_own_channel *own, struct herald_host_segment *segment,
                                          bool any_name);
/* Shows others that from now on this process reads no record older than `sequence`: see ring.c. Does nothing at a
 * shared channel, whose other processes may read older ones. */
void herald_host_own_channel_show_reading(const struct herald_host_own_channel *own, uint64_t sequence);
/* Unlocks the channel. `clean`: no name has this channel's bit any more. */
void herald_host_own_channel_leave(struct herald_host_own_channel *own, bool clean);

/* Looks at the next channels that have had a process, at most 64, and clears the bits of those whose process is dead.
 * Otherwise posters would wake them for ever. */
void herald_host_channels_sweep(struct herald_host_segment *segment);

/* Arms the channel, and returns the sequence with which to wait. The caller looks at the names after this. */
uint32_t herald_host_own_channel_arm(const struct herald_host_own_channel *own);
/* The sleeper will look at the names again before it sleeps, so posters need not wake it. */
void herald_host_own_channel_disarm(const struct herald_host_own_channel *own);
/* Takes the groups of names that may have changed since the last call. */
uint64_t herald_host_own_channel_groups(const struct herald_host_own_channel *own);
/* Waits without sleeping until a watched name is posted, a record with the sequence number `read` is published (0: no
 * record matters), the file is superseded, or the time is over. Not for a shared channel. */
void herald_host_own_channel_look(const struct herald_host_own_channel *own, uint64_t read, uint64_t nanoseconds);
/* Sleeps until it is woken. False: the time is over. */
bool herald_host_own_channel_wait(const struct herald_host_own_channel *own, uint32_t sequence, uint32_t milliseconds);
/* Wakes this process's own sleeper, even if it is not armed. */
void herald_host_own_channel_wake(const struct herald_host_own_channel *own);

/* For a poster, which first marks the group of its name at each channel, and then wakes the sleepers. */
void herald_host_channel_mark(struct herald_host_channel *channel, uint32_t group);
void herald_host_channel_wake(struct herald_host_channel *channel);
/* The same two steps, at all channels of processes that observe any name. A mark means that a post of the group is not
 * in the log. */
void herald_host_header_mark_any(struct herald_host_header *header, uint32_t group);
void herald_host_header_wake_any(struct herald_host_header *header);
/* Marks the file. From now on all that is written to it is written again to another file, and no message is written to
 * it. */
void herald_host_header_supersede(struct herald_host_header *header);
/* Wakes all processes that sleep in the file: each looks whether the file is still its own. */
void herald_host_header_wake_all(struct herald_host_header *header);
/* There is another file by now: wakes all that sleep in this one, unless that has been done. */
void herald_host_header_leave(struct herald_host_header *header);
HERALD_END
#endif
