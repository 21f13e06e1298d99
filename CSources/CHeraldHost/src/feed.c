/* Writing to descriptors. Ordering, ownership: All is under the session's lock. Progress: No write waits, because the
 * descriptors are non-blocking. */
#include "feed.h"
#include "ground_list.h"
#include "host_complaint.h"
#include "session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

HeraldStatus herald_host_descriptor_make(struct herald_host_descriptor **made) {
    struct herald_host_descriptor *descriptor = calloc(1, sizeof *descriptor);
    if (!descriptor) return herald_host_complain_of_memory();
    if (!herald_host_file_take(&descriptor->file, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))) {
        free(descriptor);
        return herald_host_complain(HeraldTransportFailed, "no file descriptor is available: %s", strerror(errno));
    }
    *made = descriptor;
    return HeraldOK;
}

void herald_host_descriptor_end_if_unused(struct herald_host_descriptor *descriptor, bool leave_open) {
    if (descriptor->feeds) return;
    if (!leave_open) herald_host_file_close(&descriptor->file);
    free(descriptor);
}

void herald_host_feed_begin(struct herald_host_feed *feed, struct herald_host_name *name,
                            struct herald_host_descriptor *descriptor) {
    feed->descriptor = descriptor;
    feed->suspended = 0;
    feed->untold = 0;
    if (!descriptor) return;
    descriptor->feeds++;
    GROUND_LIST_PUSH(name->feeds, feed);
}

void herald_host_feed_end(struct herald_host_feed *feed, bool leave_open) {
    struct herald_host_descriptor *descriptor = feed->descriptor;
    feed->descriptor = NULL;
    if (!descriptor) return;
    GROUND_LIST_REMOVE(feed);
    descriptor->feeds--;
    herald_host_descriptor_end_if_unused(descriptor, leave_open);
}

static void write_posts(const struct herald_host_feed *feed, uint64_t posts) {
    if (posts > UINT32_MAX) posts = UINT32_MAX; /* a count that another process has spoilt must not fill the eventfd */
    if (!herald_host_file_is_ours(&feed->descriptor->file)) return;
    herald_host_session_see_posts();
    ssize_t written = write(feed->descriptor->file.number, &posts, sizeof posts);
    (void)written; /* a full eventfd is readable already, and that is enough */
}

void herald_host_feed_suspend(struct herald_host_feed *feed, int by) {
    feed->suspended += (uint32_t)by;
    if (feed->suspended || !feed->untold) return;
    write_posts(feed, feed->untold);
    feed->untold = 0;
}

void herald_host_feeds_write(struct herald_host_name *name, uint64_t posts) {
    for (struct herald_host_feed *feed = name->feeds; feed; feed = feed->next) {
        if (feed->suspended) {
            feed->untold += posts;
        } else {
            write_posts(feed, posts);
        }
    }
}
