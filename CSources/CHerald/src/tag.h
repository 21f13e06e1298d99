/* Tags (R21): how a center holds posts that carry a tag. */
#ifndef HERALD_TAG_H
#define HERALD_TAG_H

#include "platform.h"

HERALD_BEGIN
/* Returns the options of a tag. NULL if the tag is NULL or has not been described (HeraldTagSetOptions). */
const HeraldTagOptions *herald_tag_find(const void *tag);

/* The tag and userInfo of the post that is being delivered on this thread. */
struct herald_current {
    const void *tag, *userInfo; /* userInfo is valid only if there is a tag */
};
struct herald_current herald_tag_current(void);
HERALD_END
#endif
