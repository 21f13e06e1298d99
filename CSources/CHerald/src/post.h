/* Posting on behalf of a caller, for other files of the library. */
#ifndef HERALD_POST_H
#define HERALD_POST_H

#include "found.h"

HERALD_BEGIN
/* Posts to the center's own table, even if the center has a transport. `caller` is the address that the post was made
 * from, or NULL. */
size_t herald_post_here(const struct herald_post *post, unsigned options, const void *caller);
HERALD_END
#endif
