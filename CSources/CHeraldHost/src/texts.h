/* Texts that are a thread's own until its next: in memory of the heap, for what lies in thread-local storage is taken
 * from the little that the dynamic linker has left for all libraries that are loaded later. */
#ifndef HERALD_HOST_TEXTS_H
#define HERALD_HOST_TEXTS_H

#include "host_platform.h"

struct herald_host_texts {
    char complaint[768];
    char path[HERALD_HOST_PATH_LIMIT];
};

HERALD_BEGIN
/* This thread's, until it ends. NULL: memory is out, and it has the sentence that says so if there is room for that. */
struct herald_host_texts *herald_host_texts(void);
/* What it has, to be read; NULL: nothing was written. */
struct herald_host_texts *herald_host_texts_found(void);
HERALD_END
#endif
