/* Tables: Concurrency Kit's hash set. No other file includes ck_hs.h.
 *
 * Ordering: ck_hs_put (0.7.1) publishes an object without a store fence, so herald_table_put has a store fence before
 * that call. Partner: the reader's address dependency. Without the fence a reader could find an object whose fields are
 * not written yet.
 * An object is put into the map (ck_hs_put), removed from it (ck_hs_remove), or put into a new map (build()). None of
 * these moves an object inside a map that readers see, so a reader never has to retry. An old map goes to the
 * reclaimer, because readers may still be in it.
 * Progress: ck_hs leaves a mark in the map for each removed object, and never clears these marks in place. They make
 * every miss slower. So the table gets a new map when more than 64 objects have been removed from the old map, and also
 * more than a quarter of the most objects that the old map has held at once. A removal is amortised O(1).
 */
#include "table.h"
#include "memory.h"
#include "reclaim.h"

#if !__has_include(<ck_hs.h>)
#error "Herald needs Concurrency Kit: install the package libck-dev (apt-get install libck-dev), or run make setup."
#endif
#include <ck_hs.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#ifdef CK_HS_PP
#error "Herald needs a Concurrency Kit without pointer packing: a name may be any address."
#endif
#if (defined(__x86_64__) || defined(__i386__)) != defined(CK_MD_TSO)
#error "Concurrency Kit's ck_md.h was made for another architecture than this compiler's target."
#endif

herald_static_assert(sizeof(ck_hs_t) <= sizeof(((struct herald_table *)0)->set), "a ck_hs_t fits");

uint64_t herald_secret[2] = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u};

bool herald_secret_is_chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose_secret(void) {
    uint64_t random[2];
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* getrandom is a cancellation point */
    if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        random[0] = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)&now;
        random[1] = (uint64_t)now.tv_sec ^ random[0] << 32;
    }
    pthread_setcancelstate(cancel, NULL);
    herald_secret[0] ^= random[0];
    herald_secret[1] ^= random[1];
    store_release(&herald_secret_is_chosen, true);
}

/* No constructor of this library calls this, because that would be too late for some callers: a constructor of the
 * program may run earlier and make a hash, and hashes are kept. */
HERALD_SLOW void herald_secret_choose(void) { pthread_once(&once, choose_secret); }

enum { SMALLEST = 8 }; /* how many objects the smallest map is made for */

static ck_hs_t *set_of(const struct herald_table *table) { return (ck_hs_t *)(uintptr_t)table->set; }

/* Lies directly in front of each map. */
struct head {
    struct herald_retired retired; /* first */
    uint32_t removals;             /* from this map */
    uint32_t most;                 /* the most objects that the map has held at once */
    uint64_t unused[4];            /* fills the line */
};
herald_static_assert(sizeof(struct head) == HERALD_LINE, "a map begins with a line if its head does");

static struct head *head_of(const void *map) { return (struct head *)(uintptr_t)map - 1; }

static void *map_allocate(size_t size) {
    struct head *head = calloc(1, sizeof *head + size); /* zeroed: ck_hs reads fields it has not written */
    if (!head) return NULL;
    head->retired.size = size < UINT32_MAX - sizeof *head ? (uint32_t)(sizeof *head + size) : UINT32_MAX;
    return head + 1;
}

static void map_destroy(struct herald_retired *head) { free(head); }

static const struct herald_retired_kind map_kind = {false, NULL, map_destroy};

static void map_free(void *map, size_t size, bool defer) {
    (void)size;
    struct head *head = head_of(map);
    if (defer) {
        herald_retire(&head->retired, &map_kind, head->retired.size);
    } else {
        map_destroy(&head->retired);
    }
}

static struct ck_malloc allocator = {.malloc = map_allocate, .free = map_free};

static unsigned long stored_hash(const void *object, unsigned long seed) {
    (void)seed;
    return *(const uint64_t *)object;
}

/* The map that all empty tables share. Nothing is ever put into it. */
static struct ck_hs_map *empty; /* atomic; written once, before the first table exists. A thread that has a table has
                                   seen it, so later reads are relaxed */

static struct ck_hs_map *make_empty(ck_hs_t *set) {
    struct ck_hs_map *none = NULL;
    if (!ck_hs_init(set, set->mode, set->hf, set->compare, set->m, SMALLEST, 0)) return NULL;
    if (compare_exchange_full(&empty, &none, set->map)) return set->map;
    ck_hs_destroy(set); /* another thread has set `empty` first */
    return none;
}

bool herald_table_create(struct herald_table *table, herald_table_equal *equal) {
    ck_hs_t *set = set_of(table);
    herald_table_prepare();
    *set = (ck_hs_t){.m = &allocator,
                     .map = load_acquire(&empty),
                     .mode = CK_HS_MODE_SPMC | CK_HS_MODE_OBJECT | CK_HS_MODE_DELETE,
                     .hf = stored_hash,
                     .compare = equal};
    if (!set->map) set->map = make_empty(set);
    return set->map != NULL;
}

void *herald_table_find(const struct herald_table *table, uint64_t hash, const void *key) {
    return ck_hs_get(set_of(table), hash, key);
}

/* Replaces the set's map, as ck_hs_grow does. The store fence orders the new map's contents before its address;
 * partner: the reader's address dependency. */
static void publish(ck_hs_t *set, struct ck_hs_map *map) {
    void *old = set->map;
    ck_pr_fence_store();
    ck_pr_store_ptr(&set->map, map);
    if (old != load_relaxed(&empty)) map_free(old, 0, true);
}

/* Gives the set a new map, with room for twice the objects that are in the set. (ck_hs_rebuild keeps the size of the
 * old map.) When memory is out, changes nothing and returns false. */
static bool build(ck_hs_t *set) {
    ck_hs_t fresh;
    unsigned long count = ck_hs_count(set);
    ck_hs_iterator_t walk = CK_HS_ITERATOR_INITIALIZER;
    void *object;
    if (!ck_hs_init(&fresh, set->mode, set->hf, set->compare, set->m, count < SMALLEST / 2 ? SMALLEST : count * 2,
                    set->seed))
        return false;
    while (ck_hs_next(set, &walk, &object)) {
        if (ck_hs_put_unique(&fresh, *(const uint64_t *)object, object)) continue;
        ck_hs_destroy(&fresh);
        return false;
    }
    head_of(fresh.map)->most = (uint32_t)count;
    publish(set, fresh.map);
    return true;
}

bool herald_table_put(struct herald_table *table, uint64_t hash, const void *object) {
    ck_hs_t *set = set_of(table);
    if (set->map == load_relaxed(&empty) && !build(set)) return false;
    herald_tsan_release(object);
    ck_pr_fence_store();
    bool put = ck_hs_put(set, hash, object);
    struct head *head = head_of(set->map); /* ck_hs_put may have made a larger map */
    unsigned long count = ck_hs_count(set);
    if (count > head->most) head->most = (uint32_t)count;
    return put;
}

void herald_table_remove(struct herald_table *table, uint64_t hash, const void *object) {
    ck_hs_t *set = set_of(table);
    struct head *head = head_of(set->map);
    ck_hs_remove(set, hash, object);
    if (++head->removals > 64 && head->removals > head->most / 4) build(set);
}

struct herald_table herald_table_take(struct herald_table *table) {
    struct herald_table taken = *table;
    ck_pr_store_ptr(&set_of(table)->map, load_relaxed(&empty));
    return taken;
}

void herald_table_retire(struct herald_table *taken) {
    if (set_of(taken)->map != load_relaxed(&empty)) map_free(set_of(taken)->map, 0, true);
}

void herald_table_visit(const struct herald_table *table, void (*visit)(void *object, void *context), void *context) {
    ck_hs_iterator_t walk = CK_HS_ITERATOR_INITIALIZER;
    void *object;
    while (ck_hs_next(set_of(table), &walk, &object)) visit(object, context);
}
