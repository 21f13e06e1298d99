/* A channel: where a process's watcher (the thread that calls its observers) sleeps, and how posters wake the watcher.
 * The scheme: an eventcount over a futex.
 *
 * The sleeper            s = sequence; arm; look at the names; wait while sequence == s
 * The poster             posts + 1; read the watchers' bits; mark the group; if armed: sequence + 1, wake, disarm
 *
 * The names are in 64 groups. A mark at the channel tells the sleeper in which group to look.
 *
 * Ordering: Everything here is sequentially consistent. A poster that does not see the arming has counted its post
 * before the sleeper looks at the names, so the sleeper finds the post. A poster that sees the arming changes the
 * sequence after the sleeper has read the sequence. So the sleeper either does not fall asleep, or is woken.
 * Progress: A poster disarms last, and only if the channel still has the arming that the poster saw (each arming has
 * its own number). A poster that is killed or stopped before this leaves the channel armed, and the next poster wakes
 * the sleeper. No process depends on another's next step.
 */
#ifndef HERALD_HOST_CHANNEL_H
#define HERALD_HOST_CHANNEL_H

#include "log.h"

/* This process's own channel in a segment. */
struct herald_host_own_channel {
    struct herald_host_segment *segment; /* NULL: the process has no channel */
    uint32_t number;
    bool shared; /* other processes sleep here, too, because no channel was free; the marks here are then ignored */
    void *lock;  /* a mapping of the open file that has the kernel's lock */
};

HERALD_BEGIN
/* Takes a channel. Under the session's lock. The owner has an open-file-description lock on byte `number` of the file;
 * the kernel drops this lock when the process dies. Only a mapping keeps the open file: there is no descriptor that the
 * program could close, and a child of a fork does not have the mapping. `any_name`: takes a channel that every post
 * wakes, for a process that observes all names. */
HeraldStatus herald_host_own_channel_take(struct herald_host_own_channel *own, struct herald_host_segment *segment,
                                          bool any_name);
/* Publishes that from now on this process reads no record older than `sequence`, so that ring.c can give back memory.
 * Does nothing at a shared channel, because the other processes there may read older records. */
void herald_host_own_channel_show_reading(const struct herald_host_own_channel *own, uint64_t sequence);
/* Unlocks the channel. `clean`: no name has this channel's bit any more. */
void herald_host_own_channel_leave(struct herald_host_own_channel *own, bool clean);

/* Clears the bits of dead processes. Otherwise posters would wake these processes' channels for ever. Each call checks
 * at most 64 channels, and goes on where the last call ended. */
void herald_host_channels_sweep(struct herald_host_segment *segment);

/* Arms the channel. Returns the sequence to pass to herald_host_own_channel_wait. The caller looks at the names after
 * this call. */
uint32_t herald_host_own_channel_arm(const struct herald_host_own_channel *own);
/* Disarms the channel: the sleeper will look at the names again before it sleeps, so posters need not wake it. */
void herald_host_own_channel_disarm(const struct herald_host_own_channel *own);
/* Returns the groups in which names may have changed since the last call, and clears their marks. */
uint64_t herald_host_own_channel_groups(const struct herald_host_own_channel *own);
/* Spins until a watched name is posted, the record with sequence number `read` is published (0: no record matters), the
 * file is superseded, or the time is over. Not for a shared channel. */
void herald_host_own_channel_look(const struct herald_host_own_channel *own, uint64_t read, uint64_t nanoseconds);
/* Sleeps until the channel is woken. False: the time is over. */
bool herald_host_own_channel_wait(const struct herald_host_own_channel *own, uint32_t sequence, uint32_t milliseconds);
/* Wakes the sleeper of this process's own channel, even if the channel is not armed. */
void herald_host_own_channel_wake(const struct herald_host_own_channel *own);

/* The last two steps of a poster: it marks its name's group at all channels, and only then wakes the sleepers. */
void herald_host_channel_mark(struct herald_host_channel *channel, uint32_t group);
void herald_host_channel_wake(struct herald_host_channel *channel);
/* The same two steps for the channels of all processes that observe all names. Such a process hears posts from the log;
 * a mark means that a post of this group is not in the log. */
void herald_host_header_mark_any(struct herald_host_header *header, uint32_t group);
void herald_host_header_wake_any(struct herald_host_header *header);
/* Marks the file as superseded. From now on posts and states that are written here are written again to another file,
 * and no message is written here. */
void herald_host_header_supersede(struct herald_host_header *header);
/* Wakes all processes that sleep at the file's channels. Each of them then checks whether this is still the user's
 * file. */
void herald_host_header_wake_all(struct herald_host_header *header);
/* Called when another file has taken this one's place. Wakes all processes that sleep here, unless that was done
 * already. */
void herald_host_header_leave(struct herald_host_header *header);
HERALD_END
#endif
