/* The inbox: the messages that this process has read from the log and not heard yet. All of it is under the session's
 * lock. */
#ifndef HERALD_HOST_INBOX_H
#define HERALD_HOST_INBOX_H

#include "log.h"
#include "host_name.h"

/* A message that was read, in memory of its own. */
struct herald_host_received {
    struct herald_host_received *next;
    const struct herald_host_name *known; /* NULL: this process does not use the name */
    uint32_t follows;                     /* the name's `follows` when this was read */
    bool for_all;                         /* for observers of any name, whatever has become of the name's own */
    const char *text;                     /* the name's */
    bool plain;
    size_t size; /* of the whole block */
    HeraldMessage message;
};

HERALD_BEGIN
/* From now on messages of the name are heard. The name's bit has been set before this call. */
void herald_host_inbox_follow(struct herald_host_name *name, struct herald_host_header *header);
void herald_host_inbox_forget(struct herald_host_name *name);

/* What the inbox asks the names' counts of plain posts, while plain posts in the log are heard. */
struct herald_host_plain_counts {
    bool (*hears)(struct herald_host_name *name); /* one of them; false: the count has reported it */
    uint64_t (*finds)(uint64_t lost); /* how many of these lost plain posts the counts have reported, or report now */
};

/* From now on the posts of all names are heard. `header` NULL: they are no longer heard. The loss is counted in another
 * way from here on: see inbox.c. */
void herald_host_inbox_hear_all(struct herald_host_header *header, const struct herald_host_plain_counts *counts);
/* Reads all that there is, before a name begins or ceases to be watched. */
void herald_host_inbox_settle(void);

/* Reads on. False: there is more to read when what was read has been heard. */
bool herald_host_inbox_fill(void);
/* The process leaves the file: reads all that there is. In the next file it hears all that was posted there, unless
 * that file is older. */
void herald_host_inbox_leave(void);
void herald_host_inbox_arrive(struct herald_host_header *header);
/* Whether this process hears all that was posted in the file since the file was made. */
bool herald_host_inbox_hears_whole_file(void);

/* The sequence number of the next record that this process reads in the file. 0: it may read any record. */
uint64_t herald_host_inbox_position(const struct herald_host_header *header);

/* Takes the messages that have been read. They belong to the watcher, which frees each of them. NULL: there are
 * none. */
struct herald_host_received *herald_host_inbox_take(void);
void herald_host_inbox_put_back(struct herald_host_received *first);

/* Counts as missed so many posts that were read, or that a count has reported, and could not be heard. */
void herald_host_inbox_miss(uint64_t posts);

/* How many messages of watched names were lost. First reads all that can be read. */
uint64_t herald_host_inbox_missed(void);

void herald_host_inbox_after_fork(void);
HERALD_END
#endif
