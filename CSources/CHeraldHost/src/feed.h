/* A feed writes the posts of one name to a file descriptor, for one token (token.c). */
#ifndef HERALD_HOST_FEED_H
#define HERALD_HOST_FEED_H

#include "host_name.h"

/* A descriptor to which the feeds of several tokens write. */
struct herald_host_descriptor {
    struct herald_host_file file;
    uint32_t feeds;
};

/* All fields are under the session's lock, except that a check of a token reads `suspended` without it. */
struct herald_host_feed {
    struct herald_host_descriptor *descriptor; /* NULL: the feed writes nothing, and is in no list */
    _Atomic uint32_t suspended;                /* how many suspensions of the token have not been resumed yet */
    uint64_t untold;                           /* posts that came while it was suspended, and were not written yet */
    struct herald_host_feed *next, **link;     /* in the list of the name's feeds */
};

HERALD_BEGIN
/* Makes a descriptor without feeds. */
HeraldStatus herald_host_descriptor_make(struct herald_host_descriptor **made);
/* If the descriptor has no feeds, frees it and closes its file. `leave_open`: does not close the file. This is for the
 * child of a fork, which leaves its parent's descriptors open. */
void herald_host_descriptor_end_if_unused(struct herald_host_descriptor *descriptor, bool leave_open);

/* From now on the feed writes the name's posts to the descriptor. If `descriptor` is NULL, it writes nothing. */
void herald_host_feed_begin(struct herald_host_feed *feed, struct herald_host_name *name,
                            struct herald_host_descriptor *descriptor);
void herald_host_feed_end(struct herald_host_feed *feed, bool leave_open);

/* Adds `by` to the number of the feed's suspensions: 1 or -1. When the last one is resumed, writes the posts that came
 * in the meantime. A feed without a descriptor is only counted. */
void herald_host_feed_suspend(struct herald_host_feed *feed, int by);

/* Writes the number `posts` to the descriptors of the name's feeds. A suspended feed keeps the number until it is
 * resumed. */
void herald_host_feeds_write(struct herald_host_name *name, uint64_t posts);
HERALD_END
#endif
