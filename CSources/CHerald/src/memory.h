/* The library's heap: the C library's, in cache lines where a post looks. */
#ifndef HERALD_MEMORY_H
#define HERALD_MEMORY_H

#include "platform.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Zeroed memory, aligned; NULL when memory is out. free() it. */
static inline void *herald_allocate_aligned(size_t alignment, size_t size) {
    size = (size + alignment - 1) & ~(alignment - 1);
    void *memory = aligned_alloc(alignment, size);
    if (memory) memset(memory, 0, size);
    return memory;
}

static inline void *herald_allocate_lines(size_t size) { return herald_allocate_aligned(HERALD_LINE, size); }

/* Zeroed memory of whole pages, which go back to the system when they are freed. */
static inline void *herald_allocate_pages(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static inline void herald_free_pages(void *memory, size_t size) { munmap(memory, size); }

HERALD_BEGIN
/* free(), but in debug builds the memory of the last centers and topics is kept, so that their misuse can be told. */
void herald_bury(void *memory);

/* Whether a caller's struct of this size can be what we know: at least that, and nothing but zeros beyond. */
bool herald_size_is_possible(const void *options, size_t size, size_t known);

/* Copies options by a caller that may know only their oldest, shorter form; false when the size is impossible. */
bool herald_take_options(void *mine, const void *theirs, size_t size, size_t oldest, size_t known);
HERALD_END

#endif
