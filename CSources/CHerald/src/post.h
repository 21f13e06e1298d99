/* Posting, as the other files see it. */
#ifndef HERALD_POST_H
#define HERALD_POST_H

#include "center.h"

/* What is posted. */
struct herald_post {
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object, *userInfo, *tag;
};

enum { HERALD_EVERY_BEHAVIOR = 0x1e /* bits 1 to 4 */ };

struct herald_found;

HERALD_BEGIN
/* Posts to the registrations up to the sequence `limit` whose behavior is among `behaviors` (a bit each), whatever the
 * state of the center. Finds them under the center's lock, so it serves where the fast ways do not. */
size_t herald_post_under_lock(const struct herald_post *post, unsigned behaviors, uint64_t limit);

/* Under the center's lock: what the post finds, up to the sequence `limit`. The pins go to `frame`, which nobody need
 * look at while the lock is held. Nothing is found in a center that is closed. */
void herald_post_find(struct herald_found *found, const struct herald_post *post, struct herald_frame *frame,
                      uint64_t limit);

/* Posts to the center's own table: suspension counts, a transport does not. */
size_t herald_post_locally(const struct herald_post *post, unsigned options);
HERALD_END
#endif
