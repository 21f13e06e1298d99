/* The names that this process watches, in groups (watched.c), and this process's own channel. Posts of these names wake
 * the channel. A round is the list of the names that were found posted, in the order of their posts. All of this is
 * under the session's lock. */
#ifndef HERALD_HOST_WATCHED_H
#define HERALD_HOST_WATCHED_H

#include "channel.h"
#include "host_name.h"

/* Names whose observers are to be called, each with the number of its new posts. */
struct herald_host_due {
    struct {
        struct herald_host_name *name;
        uint64_t posts, state; /* the name's state, read after the posts were counted */
        bool has_state;
    } changes[64];
    uint32_t count, next;
};

HERALD_BEGIN
/* Takes a channel, unless this process has one of the right kind: for any name, or for watched names only. Makes
 * posters of all watched names wake this channel. */
HeraldStatus herald_host_watched_take_channel(struct herald_host_segment *segment);
/* Takes a channel in the same way if anything is watched. If that fails, notes that the session is incomplete. */
void herald_host_watched_keep_channel(struct herald_host_segment *segment);
/* Returns this process's own channel, or NULL if the process has none. */
struct herald_host_own_channel *herald_host_watched_own_channel(void);
/* Publishes, at the own channel, how far this process has read the log. */
void herald_host_watched_show_reading(void);

/* Begins to watch a name that has an entry. */
HeraldStatus herald_host_watched_add(struct herald_host_name *name);
/* Stops watching the name if it has neither observers nor feeds any more. */
void herald_host_watched_remove_if_unused(struct herald_host_name *name);
bool herald_host_watched_is_empty(void);
/* From herald_host_watched_add_any to herald_host_watched_remove_any, this process hears the posts of all names. */
HeraldStatus herald_host_watched_add_any(struct herald_host_segment *segment);
HeraldStatus herald_host_watched_remove_any(void);
bool herald_host_watched_hears_all(void);

/* The next two are for a process that moves to another segment. `leave` leaves the channel, wakes the watcher, which
 * may sleep there, and keeps the posts that were not heard yet. `follow` watches the new entry of a name that was
 * watched in the old segment, and counts the name as posted.
 */
void herald_host_watched_leave(void);
HeraldStatus herald_host_watched_follow(struct herald_host_name *name);

/* Only after herald_host_watched_add_any: compares the names' counts, to find posts that are not in the log or were
 * overwritten there. */
void herald_host_watched_find_posts(void);
/* Notes the groups in which names may have been posted. The next round looks at these groups. `groups` has a bit for
 * each group: usually the marks that posters have left at the own channel, or UINT64_MAX for all groups. */
void herald_host_watched_note_groups(uint64_t groups);
/* Fills the batch from the round. If the round is at its end, first begins another round, and writes the posts of its
 * names to the names' feeds. */
void herald_host_watched_gather(struct herald_host_due *batch);
/* Whether there is more to gather even if nothing more is posted. */
bool herald_host_watched_has_more(void);

void herald_host_watched_after_fork(void);
HERALD_END
#endif
