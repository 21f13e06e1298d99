/* What is known of a tag: how the posts that carry it are held. */
#ifndef HERALD_TAG_H
#define HERALD_TAG_H

#include "platform.h"

HERALD_BEGIN
/* NULL for NULL, and for a tag that has not been described. */
const HeraldTagOptions *herald_tag_find(const void *tag);
HERALD_END
#endif
