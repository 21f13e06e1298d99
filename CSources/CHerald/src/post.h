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
/* Posts to the registrations whose behavior is among `behaviors` (a bit each), whatever the state of the center.
 * Finds them under the center's lock, so it serves where the fast ways do not. */
size_t herald_post_under_lock(const struct herald_post *post, unsigned behaviors);

/* Under the center's lock: what the post finds. The pins go to a frame that nobody looks at. */
void herald_post_find(struct herald_found *found, const struct herald_post *post, struct herald_frame *unshown);

/* Posts to the center's own table: suspension counts, a transport does not. */
size_t herald_post_locally(const struct herald_post *post, unsigned options);
HERALD_END
#endif
