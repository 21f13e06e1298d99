/* Texts that calls return. Each thread has its own, and a text is valid until the same thread writes the next one.
 * Texts are in the heap, because the dynamic linker has little space for thread-local storage, and keeps this space for
 * libraries that are loaded later. */
#ifndef HERALD_HOST_TEXTS_H
#define HERALD_HOST_TEXTS_H

#include "host_platform.h"

struct herald_host_texts {
    char path[HERALD_HOST_PATH_LIMIT];
};

HERALD_BEGIN
/* This thread's texts, which last until the thread ends. NULL: memory is out. */
struct herald_host_texts *herald_host_texts(void);
HERALD_END
#endif
