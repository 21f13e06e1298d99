/* Replaces the C library's allocation in the program that it is linked into, and counts. */
#include "allocations.h"
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static unsigned long count;

static void one_more(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

unsigned long allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    one_more();
    return __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
    one_more();
    return __libc_calloc(number, size);
}
void *realloc(void *memory, size_t size) {
    one_more();
    return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    one_more();
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
    one_more();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
