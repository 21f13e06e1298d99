/* Pages from the system, for memory that goes back to the system when it is freed. */
#ifndef HERALD_PAGES_H
#define HERALD_PAGES_H

#include "platform.h"

HERALD_BEGIN
/* Returns zeroed memory of whole pages, or NULL when memory is out. `alignment` is a power of two, and a whole number
 * of pages; 0: the pages of the system are aligned well enough. herald_pages_free gives the memory back. */
void *herald_pages_allocate(size_t size, size_t alignment);
void herald_pages_free(void *memory, size_t size);
HERALD_END

#endif
