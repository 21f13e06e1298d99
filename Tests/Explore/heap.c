/* The core's heap in a run. Memory is never used again, so that every access to freed memory is found. */
#include "run.h"

#include <string.h>

enum { ARENA = 8 * 1024 * 1024, GRAIN = 16 };
enum { FREE, LIVE, FREED };
enum { DEAD = 0xdd };

struct block {
    size_t size;
    char padding[64 - sizeof(size_t)];
};

static char arena[ARENA] __attribute__((aligned(4096)));
static unsigned char states[ARENA / GRAIN];
static size_t used;
static uint32_t begins[ARENA / GRAIN]; /* the grain at which the block begins */

static bool is_ours(const volatile void *at) { return (char *)at >= arena && (char *)at < arena + ARENA; }

static void mark(const void *memory, size_t size, int state) {
    size_t first = (size_t)((const char *)memory - arena) / GRAIN;
    memset(states + first, state, (size + GRAIN - 1) / GRAIN);
}

void heap_reset(void) {
    memset(states, FREE, used / GRAIN + 1);
    used = 0;
}

void *explore_allocate(size_t alignment, size_t size, bool zero) {
    if (alignment < 64) alignment = 64;
    if (!size) size = 1;
    size_t at = (used + sizeof(struct block) + alignment - 1) & ~(alignment - 1);
    if (at + size + GRAIN > ARENA) run_fail("the heap of a run is full");
    used = (at + size + GRAIN - 1) & ~(size_t)(GRAIN - 1);
    void *memory = arena + at;
    ((struct block *)memory)[-1].size = size;
    mark(memory, size, LIVE);
    for (size_t grain = at / GRAIN; grain * GRAIN < at + size; grain++) begins[grain] = (uint32_t)(at / GRAIN);
    memory_make_block((struct block *)memory - 1);
    memset(memory, zero ? 0 : 0xaa, size);
    return memory;
}

void explore_free(void *memory) {
    if (!memory) return;
    const char *fault = heap_fault(memory);
    if (fault) run_fail(fault);
    size_t size = ((struct block *)memory)[-1].size;
    memset(memory, DEAD, (size + GRAIN - 1) / GRAIN * GRAIN);
    mark(memory, size, FREED);
}

void *explore_reallocate(void *memory, size_t size) {
    void *larger = explore_allocate(16, size, false);
    if (memory) {
        size_t before = ((struct block *)memory)[-1].size;
        memcpy(larger, memory, before < size ? before : size);
    }
    explore_free(memory);
    return larger;
}

const void *heap_head(const volatile void *at) {
    if (!is_ours(at)) return NULL;
    return arena + (size_t)begins[(size_t)((const char *)at - arena) / GRAIN] * GRAIN - sizeof(struct block);
}

bool heap_is_intact(void) {
    uint64_t dead[GRAIN / sizeof(uint64_t)];
    memset(dead, DEAD, sizeof dead);
    for (size_t grain = 0; grain < used / GRAIN; grain++)
        if (states[grain] == FREED && memcmp(arena + grain * GRAIN, dead, GRAIN) != 0) return false;
    return true;
}

const char *heap_fault(const volatile void *at) {
    if (!is_ours(at)) return NULL;
    switch (states[(size_t)((const char *)at - arena) / GRAIN]) {
    case LIVE: return NULL;
    case FREED: return "memory is used after it was freed";
    default: return "memory is used that was never allocated";
    }
}
