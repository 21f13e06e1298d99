/* Wrong calls: herald_abort ends the process, herald_bury lets debug builds recognise a released center or topic, and
 * an options struct of an impossible size is refused. */
#include "memory.h"

#include <stdio.h>

void herald_abort(const char *sentence) {
    fprintf(stderr, "%s\n", sentence);
    abort();
}

void herald_bury(void *memory) {
#if HERALD_DEBUG
    static void *graves[256];
    static unsigned next;
    unsigned place = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % (sizeof graves / sizeof *graves);
    memory = __atomic_exchange_n(&graves[place], memory, __ATOMIC_ACQ_REL); /* the oldest, to be freed */
#endif
    free(memory);
}

enum { LARGEST_OPTIONS = 4096 };

bool herald_size_is_possible(const void *options, size_t size, size_t known) {
    if (size < known || size > LARGEST_OPTIONS) return false;
    const char *bytes = options;
    for (size_t i = known; i < size; i++)
        if (bytes[i]) return false; /* the caller has set a field that only a newer library knows */
    return true;
}

bool herald_take_options(void *mine, const void *theirs, size_t size, size_t oldest, size_t known) {
    /* Structs have grown by whole words. So every multiple of a word, from the oldest size to ours, may be the size of
     * the struct in some earlier version. */
    size_t given = size >= oldest && size < known && size % sizeof(void *) == 0 ? size : known;
    if (!herald_size_is_possible(theirs, size, given)) return false;
    memset(mine, 0, known);
    memcpy(mine, theirs, given);
    return true;
}
