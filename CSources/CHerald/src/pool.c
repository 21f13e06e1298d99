/* The pages of the pool, and their free objects. The C library's heap would put a header before each object, and a gap
 * before the header for alignment.
 *
 * Ordering: The pool's lock; only that of the roots (pages.c) is taken under it.
 * Progress: O(1). To make or give up a page takes system calls.
 * Ownership: An object's address gives its page, because a page is aligned to its size. When a sanitizer or the
 * explorer watches the heap, objects come from the heap, so that a use after free is seen.
 */
#include "pool.h"
#include "ground_list.h"
#include "memory.h"
#include "lock.h"
#include "order.h"
#include "pages.h"

#if defined(HERALD_EXPLORE) || defined(HERALD_TSAN) || defined(HERALD_ASAN)

void *herald_pool_take(void) { return herald_allocate_lines(HERALD_POOLED); }
void herald_pool_give_back(void *object) { free(object); }

#else

enum { PAGE = 1 << 16 };

struct free_object {
    struct free_object *next;
};

struct page {
    struct page *next, **link; /* in the list of pages that have room */
    struct free_object *free;
    uint32_t used;  /* objects in use */
    uint32_t begun; /* objects that have ever been in use */
};

enum { OBJECTS = PAGE / HERALD_POOLED - 1 }; /* the page's head takes the place of one object */
herald_static_assert(sizeof(struct page) <= HERALD_POOLED, "the head fits");

static struct page *roomy; /* the list of pages that have room */

static struct page *page_of(void *object) { return (struct page *)(void *)((char *)object - (uintptr_t)object % PAGE); }

static void *take_from(struct page *page) {
    struct free_object *object = page->free;
    if (object) {
        page->free = object->next;
        memset(object, 0, HERALD_POOLED);
    } else {
        object = (struct free_object *)(void *)((char *)page + (size_t)HERALD_POOLED * ++page->begun);
    }
    if (++page->used == OBJECTS) GROUND_LIST_REMOVE(page);
    return object;
}

void *herald_pool_take(void) {
    herald_mutex_lock(HERALD_LOCK(POOL));
    if (!roomy) {
        struct page *page = (struct page *)herald_pages_allocate(PAGE, PAGE);
        if (page) GROUND_LIST_PUSH(roomy, page);
    }
    void *object = roomy ? take_from(roomy) : NULL;
    herald_mutex_unlock(HERALD_LOCK(POOL));
    return object;
}

/* If no object of the page is in use, takes the page off the list and returns true: the page goes back to the system.
 * But the last page with room is kept, because it is likely to be needed again. */
static bool is_given_up(struct page *page) {
    if (page->used || (page->link == &roomy && !page->next)) return false;
    GROUND_LIST_REMOVE(page);
    return true;
}

void herald_pool_give_back(void *object) {
    struct page *page = page_of(object);
    herald_mutex_lock(HERALD_LOCK(POOL));
    ((struct free_object *)object)->next = page->free;
    page->free = (struct free_object *)object;
    if (page->used-- == OBJECTS) GROUND_LIST_PUSH(roomy, page);
    bool is_unused = is_given_up(page);
    herald_mutex_unlock(HERALD_LOCK(POOL));
    if (is_unused) herald_pages_free(page, PAGE);
}

#endif
