/* The inbox: the messages that this process has read from the log and not heard yet. All of it under the session's
 * lock. */
#ifndef HERALD_HOST_INBOX_H
#define HERALD_HOST_INBOX_H

#include "log.h"
#include "host_name.h"

/* A message that was read, in memory of its own. */
struct herald_host_received {
    struct herald_host_received *next;
    const struct herald_host_name *known; /* NULL: it is not used here */
    uint32_t follows;                     /* its, when this was read; */
    bool for_all;                         /* or whoever observes any name hears it */
    const char *text;                     /* the name's */
    bool plain;
    size_t size; /* of all of it */
    HeraldMessage message;
};

HERALD_BEGIN
/* The name is watched from now on: what is posted after this is heard. Its bit is set by then. */
void herald_host_inbox_follow(struct herald_host_name *name, struct herald_host_header *header);
void herald_host_inbox_forget(struct herald_host_name *name);

/* What the names' counts say of plain posts, for as long as those in the log are heard. */
struct herald_host_plain_counts {
    bool (*hears)(struct herald_host_name *name); /* one in the log; false: the count has said it already */
    uint64_t (*finds)(uint64_t lost); /* how many plain posts that were lost the counts have said, or say now */
};

/* From now on the posts of all names are heard; NULL: no longer. Here one way to count what is lost gives way to the
 * other. */
void herald_host_inbox_hear_all(struct herald_host_header *header, const struct herald_host_plain_counts *counts);
/* Reads all that there is, for a name that is to be watched from now on, or no longer. */
void herald_host_inbox_settle(void);

/* Reads on; false: there is more to read, when this has been heard. */
bool herald_host_inbox_fill(void);
/* The process leaves the file: reads all that there is. In the next one it hears all that was posted there, unless that
 * is an older one. */
void herald_host_inbox_leave(void);
void herald_host_inbox_arrive(struct herald_host_header *header);
/* Whether it hears all that was posted in the file, since that was made. */
bool herald_host_inbox_hears_whole_file(void);

/* No record before this one is read any more in the file; 0: it may be any. */
uint64_t herald_host_inbox_position(const struct herald_host_header *header);

/* What has been read is the watcher's; the caller frees each. NULL: nothing. */
struct herald_host_received *herald_host_inbox_take(void);
void herald_host_inbox_put_back(struct herald_host_received *first);

/* Posts that were read, or said by a count, could not be heard. */
void herald_host_inbox_miss(uint64_t posts);

/* How many messages of watched names were lost, after a look at all that can be read. */
uint64_t herald_host_inbox_missed(void);

void herald_host_inbox_after_fork(void);
HERALD_END
#endif
