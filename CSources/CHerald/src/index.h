/* The index of a center: all that posters read of the center, its buckets included. The scheme: a lock-free hash set
 * read in sections (table.h), and a generation by which threads know that their lookup caches are stale. The table
 * finds buckets by name and object. The bucket of (any, any) is outside the table.
 *
 * A bucket without observers, holds and children (bucket.h) stays for a while, in the list of idle buckets, because a
 * name that was used is likely to be used again. A name bucket is not idle while the transport knows of an observer.
 */
#ifndef HERALD_INDEX_H
#define HERALD_INDEX_H

#include "bucket.h"
#include "table.h"

/* The flags: a post reads them before it looks up its observers. */
enum {
    HERALD_FLAG_ANY_NAME = 1 << 0,  /* there are registrations for any name */
    HERALD_FLAG_QUEUE = 1 << 1,     /* the center is suspended or closed, or its queue is in use */
    HERALD_FLAG_TRANSPORT = 1 << 2, /* posts go to the transport */
    HERALD_FLAG_FENCING = 1 << 3,   /* posts carry full fences */
    HERALD_FLAG_TRACED = 1 << 4,    /* posts are traced */
    HERALD_FLAG_SLOW = HERALD_FLAG_QUEUE | HERALD_FLAG_TRANSPORT | HERALD_FLAG_FENCING | HERALD_FLAG_TRACED
};

/* Written under the center's lock. */
struct herald_index {
    /* Every post reads these. `flags` changes rarely, so its cache line, which posts by topic read, stays in every
     * processor's cache. */
    uint32_t flags;      /* atomic */
    uint64_t generation; /* atomic; every change of `table` gives it a number never used before */
    struct herald_table table;

    /* The sequence of the newest registration that is completely published. Posts to one bucket do not read it. */
    uint64_t committed __attribute__((aligned(HERALD_LINE))); /* atomic */

    struct herald_bucket *idle_first, *idle_last;
    uint32_t idle_count, bucket_count;
    uint32_t untold; /* ACTIVE registrations with a NULL name (any) that the transport is not told of */

    struct herald_bucket everything __attribute__((aligned(HERALD_LINE))); /* (any, any) */
};

HERALD_INLINE uint64_t herald_key_hash(HeraldNameRef name, const void *object) {
    return herald_mix((uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)object);
}

/* Returns the table's bucket for exactly this name and object, or NULL. For posters in a section, and for writers. */
HERALD_INLINE struct herald_bucket *herald_index_find(const struct herald_index *index, HeraldNameRef name,
                                                      const void *object) {
    struct herald_key key = {herald_key_hash(name, object), name, object};
    const void *found = herald_table_find(&index->table, key.hash, &key);
    return found ? herald_bucket_of(found) : NULL;
}

/* Under the center's lock: whether a name bucket has no observer that the transport must know of. */
static inline bool herald_index_is_unobserved_outside(const struct herald_index *index,
                                                      const struct herald_bucket *of_name) {
    return of_name->live + of_name->objects == (of_name == &index->everything ? index->untold : 0);
}

HERALD_BEGIN
/* Returns false when memory is out. */
bool herald_index_create(struct herald_index *index);

/* Call all of these under the center's lock. */

/* Returns the name's bucket, or NULL. For a NULL name it is the bucket of (any, any). */
struct herald_bucket *herald_index_find_name(struct herald_index *index, HeraldNameRef name);
/* Finds or makes a bucket; returns NULL when memory is out. */
struct herald_bucket *herald_index_obtain(struct herald_index *index, HeraldNameRef name, const void *object);
/* Puts the bucket into the idle list, or takes it out. Call it after the bucket's observers, holds, children,
 * `reached`, `noted` or `edge` have changed. */
void herald_index_update_idle(struct herald_index *index, struct herald_bucket *bucket);
/* Adds `change` to the number of those who hold the bucket: it is not evicted while there are any. */
void herald_index_hold(struct herald_index *index, struct herald_bucket *bucket, int change);
/* Gives up the oldest idle buckets when there are many. */
void herald_index_evict(struct herald_index *index);
/* Gives up all idle buckets. */
void herald_index_evict_all(struct herald_index *index);
/* Gives up every bucket and the table when the center is closed. */
void herald_index_close(struct herald_index *index);
HERALD_END
#endif
