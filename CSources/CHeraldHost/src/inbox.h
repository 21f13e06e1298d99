/* The inbox: the messages that this process has read from the log and not heard yet. All of it is under the session's
 * lock. (The inboxes that programs open are in receiver.c.) */
#ifndef HERALD_HOST_INBOX_H
#define HERALD_HOST_INBOX_H

#include "log.h"
#include "host_name.h"

HERALD_BEGIN
/* From now on messages of the name are heard. The caller has set this process's bit in the name's entry. */
void herald_host_inbox_follow(struct herald_host_name *name, struct herald_host_header *header);
void herald_host_inbox_forget(struct herald_host_name *name);

/* While this process observes all names, it may learn of a plain post in two ways: by its record in the log, and by the
 * count of posts in its name's entry. The inbox calls these two functions so that no post is heard twice. */
struct herald_host_plain_counts {
    /* Whether a plain post in the log is heard. False: the name's count has reported it. */
    bool (*hears)(struct herald_host_name *name);
    /* Called when the log has lost the records of `lost` plain posts. Reads the names' counts, and returns how many of
     * these posts the counts report. */
    uint64_t (*finds)(uint64_t lost);
};

/* Begins to hear the posts of all names, or ends this if `header` is NULL. From then on loss is counted in another way:
 * see inbox.c. */
void herald_host_inbox_hear_all(struct herald_host_header *header, const struct herald_host_plain_counts *counts);
/* Reads the log to its end. Called while all names are heard, before a name begins or ceases to be watched. */
void herald_host_inbox_settle(void);

/* Reads on, up to a limit. False: it is to be called again, after the messages that were read have been heard. */
bool herald_host_inbox_fill(void);
/* The next two are for a process that moves to another file. `leave` reads the old file's log to its end. After
 * `arrive`, the process hears all that was posted in the new file, unless that file is of an older line (layout.h). */
void herald_host_inbox_leave(void);
void herald_host_inbox_arrive(struct herald_host_header *header);
/* Whether this process hears all that was posted in the file since the file was made. */
bool herald_host_inbox_hears_whole_file(void);

/* The sequence number of the next record that this process reads in the file. 0: it may read any record. */
uint64_t herald_host_inbox_position(const struct herald_host_header *header);

/* The number of a kept post with this sequence number, as the core gets it (HeraldCenterDeliverKept). */
uint64_t herald_host_inbox_number(uint64_t sequence);

/* Takes the messages that have been read. They belong to the watcher, which frees each of them. NULL: there are
 * none. */
struct herald_host_received *herald_host_inbox_take(void);

/* Counts `posts` as missed. They were read in the log or reported by a count, but could not be heard. */
void herald_host_inbox_miss(uint64_t posts);

/* First reads everything in the log. Then returns how many messages of watched names were lost. */
uint64_t herald_host_inbox_missed(void);

void herald_host_inbox_after_fork(void);
HERALD_END
#endif
