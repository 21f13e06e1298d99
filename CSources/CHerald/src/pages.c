/* Pages from the system.
 *
 * A program may be compiled with a leak checker (-fsanitize=address or leak), which looks for pointers in the heap, in
 * global variables and on stacks, but not in mapped pages. Buckets and slots lie in such pages, and some of them have
 * the only pointer to a block of the heap: a snapshot, or an observer that its registration owns. So each range of
 * pages is registered as a root. Without this, the checker would report these blocks as leaks at the end of a correct
 * program.
 *
 * Ordering: The lock of the roots; no other lock of ours is taken under it.
 * Progress: System calls.
 * Ownership: The checker has a lock of its own. A thread is inside the checker's two functions only under the lock of
 * the roots. A fork takes all locks (fork.c), so the child never finds the checker's lock taken by a thread that the
 * child does not have.
 */
#include "pages.h"
#include "ground_sanitizer.h"
#include "lock.h"

#include <sys/mman.h>

static void add_root(const void *memory, size_t size) {
    if (!__lsan_register_root_region) return;
    herald_mutex_lock(HERALD_LOCK(ROOTS));
    __lsan_register_root_region(memory, size);
    herald_mutex_unlock(HERALD_LOCK(ROOTS));
}

static void remove_root(const void *memory, size_t size) {
    if (!__lsan_unregister_root_region) return;
    herald_mutex_lock(HERALD_LOCK(ROOTS));
    __lsan_unregister_root_region(memory, size);
    herald_mutex_unlock(HERALD_LOCK(ROOTS));
}

/* Maps `alignment` bytes more than are wanted, keeps an aligned part, and gives back the rest. */
void *herald_pages_allocate(size_t size, size_t alignment) {
    char *memory = (char *)mmap(NULL, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == (char *)MAP_FAILED) return NULL;
    if (alignment) {
        size_t before = (alignment - (uintptr_t)memory % alignment) % alignment;
        if (before) munmap(memory, before);
        if (before != alignment) munmap(memory + before + size, alignment - before);
        memory += before;
    }
    add_root(memory, size);
    return memory;
}

void herald_pages_free(void *memory, size_t size) {
    remove_root(memory, size); /* first: afterwards another thread may get the same pages */
    munmap(memory, size);
}
