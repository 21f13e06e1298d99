/* A channel: where a process's watcher (the thread that calls its observers) sleeps, and how posters wake the watcher.
 * The scheme: an eventcount over a futex.
 *
 * The sleeper reads the channel's `sequence` (the futex), arms the channel, and looks at the names. Then it sleeps,
 * unless `sequence` has changed.
 * The poster counts its post in the name's entry, and reads there which channels watch the name. It marks the name's
 * group at each of these channels. Then it looks at each of these channels again. If a channel is armed, the poster
 * changes `sequence`, wakes the sleeper, and disarms the channel.
 *
 * The names are in 64 groups. A mark at the channel tells the sleeper in which group to look.
 *
 * Ordering: Everything here is sequentially consistent. If a poster finds the channel not armed, the poster has counted
 * its post and marked the group before the sleeper looks at the names. So the sleeper finds the post. If a poster finds
 * the channel armed, the poster changes `sequence` after the sleeper has read it. Then the sleeper does not fall
 * asleep, or the poster wakes it.
 * Progress: Each arming has its own number. A poster disarms last, and only if the channel still has the arming that
 * the poster saw. If a poster is killed or stopped before it disarms, the channel stays armed, and the next poster
 * wakes the sleeper. So no process needs another process's next step.
 */
#ifndef HERALD_HOST_CHANNEL_H
#define HERALD_HOST_CHANNEL_H

#include "log.h"

/* This process's own channel in a segment. */
struct herald_host_own_channel {
    struct herald_host_segment *segment; /* NULL: the process has no channel */
    uint32_t number;
    /* No channel was free, so other processes sleep at this one, too. This process then ignores the marks at the
     * channel. */
    bool shared;
    void *lock; /* a mapping of the open file that has the kernel's lock */
};

HERALD_BEGIN
/* Under the session's lock: takes a channel. The channel's owner has an open-file-description lock on byte `number` of
 * the file. The kernel drops this lock when the process dies. A mapping keeps the file open. There is no descriptor,
 * because the program could close it. A child of a fork does not get the mapping. If `any_name` is true, the channel is
 * one that every post wakes, for a process that observes all names. */
HeraldStatus herald_host_own_channel_take(struct herald_host_own_channel *own, struct herald_host_segment *segment,
                                          bool any_name);
/* Publishes that from now on this process reads no record of the log older than `sequence`. So ring.c can give back the
 * memory of older records. Does nothing at a shared channel, because the other processes there may read older
 * records. */
void herald_host_own_channel_show_reading(const struct herald_host_own_channel *own, uint64_t sequence);
/* Unlocks the channel. `clean`: no name has this channel's bit any more, so the next owner need not clear any bits. */
void herald_host_own_channel_leave(struct herald_host_own_channel *own, bool clean);

/* Clears the bits of channels whose processes are dead. Otherwise posters would wake these channels for ever. Each call
 * checks at most 64 channels, and goes on where the last call ended. */
void herald_host_channels_sweep(struct herald_host_segment *segment);

/* Arms the channel, and returns its sequence. The caller then looks at the names, and passes the sequence to
 * herald_host_own_channel_wait. */
uint32_t herald_host_own_channel_arm(const struct herald_host_own_channel *own);
/* Disarms the channel. This process will look at the names again before it sleeps, so posters need not wake it. */
void herald_host_own_channel_disarm(const struct herald_host_own_channel *own);
/* Returns the groups in which names may have changed since the last call, a bit for each group. Clears the marks of
 * these groups. */
uint64_t herald_host_own_channel_groups(const struct herald_host_own_channel *own);
/* Spins until one of these is true: a watched name was posted; the record with sequence number `read` was published;
 * the file is superseded; the time is over. If `read` is 0, no record matters. The channel must not be shared. */
void herald_host_own_channel_look(const struct herald_host_own_channel *own, uint64_t read, uint64_t nanoseconds);
/* Sleeps until the channel is woken. Returns false if `milliseconds` have passed first. */
bool herald_host_own_channel_wait(const struct herald_host_own_channel *own, uint32_t sequence, uint32_t milliseconds);
/* Wakes the sleeper of this process's own channel, even if the channel is not armed. */
void herald_host_own_channel_wake(const struct herald_host_own_channel *own);

/* The last two steps of a post: the poster marks its name's group at all channels, and only then wakes the sleepers. */
void herald_host_channel_mark(struct herald_host_channel *channel, uint32_t group);
void herald_host_channel_wake(struct herald_host_channel *channel);
/* The same two steps for the channels of all processes that observe all names. Such a process hears posts from the log.
 * So a mark at its channel means that a post of the group is not in the log. */
void herald_host_header_mark_any(struct herald_host_header *header, uint32_t group);
void herald_host_header_wake_any(struct herald_host_header *header);
/* Marks the file as superseded. From now on no message is written here. Posts and states that are still written here
 * are written again to another file. */
void herald_host_header_supersede(struct herald_host_header *header);
/* Wakes all processes that sleep at the file's channels. Each of them then checks whether the file is still the user's
 * file. */
void herald_host_header_wake_all(struct herald_host_header *header);
/* Called when another file has taken this file's place. Wakes all processes that sleep at this file's channels, unless
 * that was done already. */
void herald_host_header_leave(struct herald_host_header *header);
HERALD_END
#endif
