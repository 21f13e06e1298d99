#include "hostile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const uint8_t *at;
static size_t left;

void hostile_begin(const uint8_t *bytes, size_t length) {
    at = bytes;
    left = length;
}

size_t hostile_left(void) { return left; }

uint64_t take(unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size && left; i++, left--) value = value << 8 | *at++;
    return value;
}

void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

struct herald_host_header *hostile_memory(int number, size_t size) {
    enum { GUARD = 1 << 16 };
    static char *all[2];
    static size_t used[2];
    char **memory = &all[number];
    if (!*memory) {
        *memory = mmap(NULL, HERALD_HOST_FILE_SIZE + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1, 0);
        require(*memory != MAP_FAILED, "memory is out");
    }
    char *start = *memory + GUARD;
    require(madvise(start, used[number], MADV_DONTNEED) == 0, "memory cannot be given back");
    require(mprotect(start, HERALD_HOST_FILE_SIZE, PROT_NONE) == 0, "memory is out");
    require(mprotect(start, size, PROT_READ | PROT_WRITE) == 0, "memory is out");
    used[number] = size;
    return (struct herald_host_header *)(void *)start;
}

void hostile_patch(void *bytes, size_t size) {
    size_t offset = take(3) % size, room = size - offset, wanted = 1 + take(1);
    if (take(1) % 2) { /* a word with an extreme value */
        ((uint64_t *)bytes)[offset / 8] = take(8);
    } else {
        memset((char *)bytes + offset, (int)take(1), wanted < room ? wanted : room);
    }
}
