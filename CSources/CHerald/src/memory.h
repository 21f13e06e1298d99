/* The library's heap is that of the C library. Memory that posts read is aligned to cache lines. */
#ifndef HERALD_MEMORY_H
#define HERALD_MEMORY_H

#include "platform.h"
#include <stdlib.h>
#include <string.h>

/* Returns zeroed, aligned memory, or NULL when memory is out. The caller frees it with free(). */
static inline void *herald_allocate_aligned(size_t alignment, size_t size) {
    size = (size + alignment - 1) & ~(alignment - 1);
    void *memory = aligned_alloc(alignment, size);
    if (memory) memset(memory, 0, size);
    return memory;
}

static inline void *herald_allocate_lines(size_t size) { return herald_allocate_aligned(HERALD_LINE, size); }

HERALD_BEGIN
/* Frees a center or topic. In a debug build the memory stays until 256 more centers or topics have been freed, so that
 * a use after the release is recognised. */
void herald_bury(void *memory);

/* Whether a caller's struct of `size` bytes can be read as our struct of `known` bytes: it is no shorter, not absurdly
 * long, and has only zeros after the bytes that we know. */
bool herald_size_is_possible(const void *options, size_t size, size_t known);

/* Copies a caller's options into ours. The caller may have been compiled with an older form of the struct, which is
 * shorter; `oldest` is the size of the oldest form. Returns false when the size is impossible. */
bool herald_take_options(void *mine, const void *theirs, size_t size, size_t oldest, size_t known);
HERALD_END

#endif
