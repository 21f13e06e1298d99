/* The index: what posters read of a center, and its buckets. They are found in a table by name and object; that of
 * (any, any) stands beside it.
 *
 * A bucket without observers, topics and children stays for a while, in the list of idle buckets, because names that
 * were used are likely to be used again.
 */
#ifndef HERALD_INDEX_H
#define HERALD_INDEX_H

#include "bucket.h"
#include "table.h"

/* What a post must know before it looks anything up. */
enum {
    HERALD_FLAG_ANY_NAME = 1 << 0,  /* there are registrations of any name */
    HERALD_FLAG_QUEUE = 1 << 1,     /* suspended, or the queue is not empty */
    HERALD_FLAG_TRANSPORT = 1 << 2, /* a transport takes over posting */
    HERALD_FLAG_FENCING = 1 << 3,   /* posts carry fences */
    HERALD_FLAG_TRACED = 1 << 4,    /* somebody looks on */
    HERALD_FLAG_SLOW = HERALD_FLAG_QUEUE | HERALD_FLAG_TRANSPORT | HERALD_FLAG_FENCING | HERALD_FLAG_TRACED
};

/* Written under the center's lock. */
struct herald_index {
    /* Read by every post; `flags` changes rarely, so topics read a clean line. */
    uint32_t flags;      /* atomic */
    uint64_t generation; /* atomic: another number, never used before, with every change of `table` */
    struct herald_table table;

    /* Read by posts by name: the sequence of the newest registration whose publication is complete. */
    uint64_t committed __attribute__((aligned(HERALD_LINE))); /* atomic */

    struct herald_bucket *idle_first, *idle_last;
    uint32_t idle_count, bucket_count;
    uint32_t untold; /* ACTIVE registrations of any name that are nothing to the transport */

    struct herald_bucket everything __attribute__((aligned(HERALD_LINE))); /* (any, any) */
};

HERALD_INLINE uint64_t herald_key_hash(HeraldNameRef name, const void *object) {
    return herald_mix((uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)object);
}

/* For posters inside a section, and for writers: the bucket of exactly this name and object in the table, or NULL. */
HERALD_INLINE struct herald_bucket *herald_index_find(const struct herald_index *index, HeraldNameRef name,
                                                      const void *object) {
    struct herald_key key = {herald_key_hash(name, object), name, object};
    const void *found = herald_table_find(&index->table, key.hash, &key);
    return found ? herald_bucket_of(found) : NULL;
}

/* Of a name bucket, under the center's lock: it has no observer that the transport is to know of. */
static inline bool herald_index_is_unobserved_outside(const struct herald_index *index,
                                                      const struct herald_bucket *of_name) {
    return of_name->live + of_name->objects == (of_name == &index->everything ? index->untold : 0);
}

HERALD_BEGIN
/* False when memory is out. */
bool herald_index_create(struct herald_index *index);

/* All of these under the center's lock. */

/* The name bucket (name NULL: that of any name), or NULL. */
struct herald_bucket *herald_index_find_name(struct herald_index *index, HeraldNameRef name);
/* Finds or makes a bucket; NULL when memory is out. */
struct herald_bucket *herald_index_obtain(struct herald_index *index, HeraldNameRef name, const void *object);
/* After observers, topics or children came or went: the bucket enters the idle list, or leaves it. */
void herald_index_update_idle(struct herald_index *index, struct herald_bucket *bucket);
/* Gives up the oldest idle buckets when there are many. */
void herald_index_evict(struct herald_index *index);
/* Gives up all of them. */
void herald_index_evict_all(struct herald_index *index);
/* Gives up every bucket and the table, of a center that is being closed. */
void herald_index_close(struct herald_index *index);
HERALD_END
#endif
