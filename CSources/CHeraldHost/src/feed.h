/* A feed: the posts of one name that are written to a file descriptor, for one token. */
#ifndef HERALD_HOST_FEED_H
#define HERALD_HOST_FEED_H

#include "host_name.h"

/* A descriptor that the feeds of several tokens share. */
struct herald_host_descriptor {
    struct herald_host_file file;
    uint32_t feeds;
};

/* All of it under the session's lock. */
struct herald_host_feed {
    struct herald_host_descriptor *descriptor; /* NULL: the feed writes nothing, and is in no list */
    bool suspended;
    uint64_t untold;                       /* posts while it was suspended */
    struct herald_host_feed *next, **link; /* in the list of the name's feeds */
};

HERALD_BEGIN
/* A new descriptor without feeds. */
HeraldStatus herald_host_descriptor_make(struct herald_host_descriptor **made);
/* Ends a descriptor if it has no feeds. `leave_open`: the descriptor is not closed, because the process that made it
 * still uses it. */
void herald_host_descriptor_end_if_unused(struct herald_host_descriptor *descriptor, bool leave_open);

/* From now on the name's posts are written to the descriptor. NULL: they are not written. */
void herald_host_feed_begin(struct herald_host_feed *feed, struct herald_host_name *name,
                            struct herald_host_descriptor *descriptor);
void herald_host_feed_end(struct herald_host_feed *feed, bool leave_open);

void herald_host_feed_suspend(struct herald_host_feed *feed, bool suspended);

/* Writes to the descriptors of a name. */
void herald_host_feeds_write(struct herald_host_name *name, uint64_t posts);
HERALD_END
#endif
