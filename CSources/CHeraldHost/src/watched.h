/* The names that this process watches, in groups; its seat, the channel at which posts of them wake; and the round: the
 * names that were found posted, in the order of their posts. All of it under the session's lock. */
#ifndef HERALD_HOST_WATCHED_H
#define HERALD_HOST_WATCHED_H

#include "channel.h"
#include "host_name.h"

/* Names whose observers are to be called, with their center. */
struct herald_host_due {
    struct {
        struct herald_host_name *name;
        HeraldCenterRef center;
        uint64_t posts;
    } changes[64];
    uint32_t count, next;
};

HERALD_BEGIN
/* Sits down at a channel, unless this process sits, and has all watched names wake there. */
HeraldStatus herald_host_watched_take_channel(struct herald_host_segment *segment);
/* The same if anything is watched; when it fails, the session is incomplete. */
void herald_host_watched_keep_channel(struct herald_host_segment *segment);
/* NULL: none. */
struct herald_host_own_channel *herald_host_watched_own_channel(void);
/* Shows at the seat how far the log has been read. */
void herald_host_watched_show_reading(void);

/* From now on the name, which has an entry, is watched. */
HeraldStatus herald_host_watched_add(struct herald_host_name *name);
/* If the name has neither observers nor feeds any more, it is not watched any more. */
void herald_host_watched_remove_if_unused(struct herald_host_name *name);
bool herald_host_watched_is_empty(void);
/* From now on any name is, or no longer. */
HeraldStatus herald_host_watched_add_any(struct herald_host_segment *segment);
HeraldStatus herald_host_watched_remove_any(void);
bool herald_host_watched_hears_all(void);

/* When the process moves to another segment: leaves its channel, and wakes the watcher, which may sleep there; keeps
 * what it has not heard of each name; and for each watched name, watches its new entry and counts it as posted. */
void herald_host_watched_leave(void);
HeraldStatus herald_host_watched_follow(struct herald_host_name *name);

/* While any name is observed: what is not in the log, or was overwritten there, is heard by the names' counts. */
void herald_host_watched_find_posts(void);
/* What may have changed: the groups that the channel says, or all. */
void herald_host_watched_note_groups(uint64_t groups);
/* Fills the batch from the round; when that is at its end, begins another one, and writes to feeds. */
void herald_host_watched_gather(struct herald_host_due *batch);
/* Whether there is more to gather, without any further post. */
bool herald_host_watched_has_more(void);
/* What of a batch has not been delivered is gathered again. */
void herald_host_watched_put_back(const struct herald_host_due *batch);

void herald_host_watched_after_fork(void);
HERALD_END
#endif
