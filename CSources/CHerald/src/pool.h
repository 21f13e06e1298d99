/* The buckets of all centers come from this pool: objects of three cache lines, in pages of a few hundred objects. A
 * page with no object in use goes back to the system, unless no other page has room. */
#ifndef HERALD_POOL_H
#define HERALD_POOL_H

#include "platform.h"

enum { HERALD_POOLED = 3 * HERALD_LINE }; /* bytes of an object */

HERALD_BEGIN
/* Returns a zeroed object, aligned to a line; NULL when memory is out. */
void *herald_pool_take(void);
void herald_pool_give_back(void *object);

HERALD_END
#endif
