/* Posting, for those in the library who post for a caller. */
#ifndef HERALD_POST_H
#define HERALD_POST_H

#include "found.h"

HERALD_BEGIN
/* To the center's own table, whatever its transport. `caller`: where the post's call returns to, or NULL. */
size_t herald_post_here(const struct herald_post *post, unsigned options, const void *caller);
HERALD_END
#endif
