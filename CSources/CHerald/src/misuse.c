/* What is done about calls that cannot be right. */
#include "memory.h"

#include <pthread.h>
#include <stdio.h>

void herald_fail(const char *sentence) {
    fprintf(stderr, "%s\n", sentence);
    abort();
}

void herald_bury(void *memory) {
#if HERALD_DEBUG
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *graves[256];
    static unsigned next;
    pthread_mutex_lock(&lock);
    void *oldest = graves[next];
    graves[next] = memory;
    next = (next + 1) % (sizeof graves / sizeof *graves);
    pthread_mutex_unlock(&lock);
    memory = oldest;
#endif
    free(memory);
}

enum { LARGEST_OPTIONS = 4096 };

bool herald_size_is_possible(const void *options, size_t size, size_t known) {
    if (size < known || size > LARGEST_OPTIONS) return false;
    const char *bytes = options;
    for (size_t i = known; i < size; i++)
        if (bytes[i]) return false; /* asks for what a newer library could do */
    return true;
}
