/* Texts that calls return. Each thread has its own, and a text is valid until the same thread writes the next one. They
 * are in the heap, because thread-local storage would use up the little space that the dynamic linker keeps for
 * libraries which are loaded later. */
#ifndef HERALD_HOST_TEXTS_H
#define HERALD_HOST_TEXTS_H

#include "host_platform.h"

struct herald_host_texts {
    char complaint[768];
    char path[HERALD_HOST_PATH_LIMIT];
};

HERALD_BEGIN
/* This thread's texts, which last until the thread ends. NULL: memory is out, and the thread's complaint says so, if
 * possible. */
struct herald_host_texts *herald_host_texts(void);
/* This thread's texts, to be read; NULL: nothing was written. */
struct herald_host_texts *herald_host_texts_found(void);
HERALD_END
#endif
