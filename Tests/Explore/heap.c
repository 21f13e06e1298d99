/* The core's heap in a run: memory is never used again, so that an access to what is freed is found. */
#include "run.h"

#include <string.h>

enum { ARENA = 8 * 1024 * 1024, GRAIN = 16 };
enum { FREE, LIVE, FREED };

struct block {
    size_t size;
    char padding[64 - sizeof(size_t)];
};

static char arena[ARENA] __attribute__((aligned(4096)));
static unsigned char states[ARENA / GRAIN];
static size_t used;

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
    size_t at = (used + sizeof(struct block) + alignment - 1) & ~(alignment - 1);
    if (at + size + GRAIN > ARENA) run_fail("the heap of a run is full");
    used = (at + size + GRAIN - 1) & ~(size_t)(GRAIN - 1);
    void *memory = arena + at;
    ((struct block *)memory)[-1].size = size;
    mark(memory, size, LIVE);
    memset(memory, zero ? 0 : 0xaa, size);
    return memory;
}

void explore_free(void *memory) {
    if (!memory) return;
    const char *fault = heap_fault(memory);
    if (fault) run_fail(fault);
    size_t size = ((struct block *)memory)[-1].size;
    memset(memory, 0xdd, size);
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

const char *heap_fault(const volatile void *at) {
    if (!is_ours(at)) return NULL;
    switch (states[(size_t)((const char *)at - arena) / GRAIN]) {
    case LIVE: return NULL;
    case FREED: return "memory is used after it was freed";
    default: return "memory is used that was never allocated";
    }
}
