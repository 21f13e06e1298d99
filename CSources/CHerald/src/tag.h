/* What is known of a tag: how the posts that carry it are held. */
#ifndef HERALD_TAG_H
#define HERALD_TAG_H

#include "platform.h"

HERALD_BEGIN
/* NULL for NULL, and for a tag that has not been described. */
const HeraldTagOptions *herald_tag_find(const void *tag);

/* What the post that is being delivered on this thread carries. */
struct herald_current {
    const void *tag, *userInfo; /* no userInfo where there is no tag */
};
struct herald_current herald_tag_current(void);
HERALD_END
#endif
