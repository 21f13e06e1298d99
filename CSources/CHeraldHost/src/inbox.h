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
    bool for_all;                         /* observers of any name hear it, whatever has become of the name's own */
    const char *text;                     /* the name's */
    bool plain;
    size_t size; /* of the whole block */
    HeraldMessage message;
};

HERALD_BEGIN
/* From now on messages of the name are heard. Its bit has been set by then. */
void herald_host_inbox_follow(struct herald_host_name *name, struct herald_host_header *header);
void herald_host_inbox_forget(struct herald_host_name *name);

/* The names' counts of plain posts, while those in the log are heard. */
struct herald_host_plain_counts {
    bool (*hears)(struct herald_host_name *name); /* one in the log; false: the count has reported it already */
    uint64_t (*finds)(uint64_t lost); /* how many of these lost plain posts the counts have reported, or report now */
};

/* From now on the posts of all names are heard. NULL: no longer. Here one way to count what is lost gives way to the
 * other. */
void herald_host_inbox_hear_all(struct herald_host_header *header, const struct herald_host_plain_counts *counts);
/* Reads all that there is, before a name begins or ceases to be watched. */
void herald_host_inbox_settle(void);

/* Reads on. False: there is more to read when this has been heard. */
bool herald_host_inbox_fill(void);
/* The process leaves the file: reads all that there is. In the next file it hears all that was posted there, unless
 * that file is older. */
void herald_host_inbox_leave(void);
void herald_host_inbox_arrive(struct herald_host_header *header);
/* Whether it hears all that was posted in the file since the file was made. */
bool herald_host_inbox_hears_whole_file(void);

/* This process reads no record before this one in the file any more. 0: it may read any. */
uint64_t herald_host_inbox_position(const struct herald_host_header *header);

/* Takes the messages that have been read. They are the watcher's, which frees each. NULL: there are none. */
struct herald_host_received *herald_host_inbox_take(void);
void herald_host_inbox_put_back(struct herald_host_received *first);

/* Posts that were read, or that a count has reported, could not be heard. */
void herald_host_inbox_miss(uint64_t posts);

/* How many messages of watched names were lost, after all that can be read was read. */
uint64_t herald_host_inbox_missed(void);

void herald_host_inbox_after_fork(void);
HERALD_END
#endif
