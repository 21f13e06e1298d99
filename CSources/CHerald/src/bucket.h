/* A bucket: the registrations for one (name, object), NULL meaning any. Found by posters in the center's table.
 *
 * The bucket of (name, any object) is the parent of those of (name, object), and exists while they do; the bucket of
 * (any, any) is the parent of those of (any, object). A bucket without observers, topics and children stays for a
 * while, in the center's list of idle buckets, because names that were used are likely to be used again.
 */
#ifndef HERALD_BUCKET_H
#define HERALD_BUCKET_H

#include "snapshot.h"
#include "table.h"

struct herald_key {
    uint64_t hash;
    HeraldNameRef name;
    const void *object;
};

struct herald_bucket {
    /* The line that posters read. Adding and removing leave it alone, but for the first observer and the last. */
    struct herald_key key;           /* never changes */
    struct herald_snapshot *current; /* atomic; NULL before the first observer */
    bool occupied;                   /* atomic: there is an ACTIVE registration; else posters look no further */

    /* The center's lock: */
    uint32_t live __attribute__((aligned(HERALD_LINE))); /* ACTIVE registrations */
    uint32_t objects;    /* ACTIVE registrations in the children; atomic, for posters to (any, any) */
    uint32_t dead;       /* entries of the current snapshot that are not ACTIVE */
    uint32_t first_dead; /* no entry before it is dead */
    uint32_t topics, children;
    struct herald_bucket *parent; /* NULL for a parent */
    struct herald_bucket *idle_next, *idle_previous;
    bool idle;
    bool announced;               /* the transport knows of an observer (parents only; the center's turn) */
    uint64_t announced_in;        /* how many forks ago it was told: its threads end with a fork */
    bool noted_silent;            /* it is in the center's list of names that may have lost their observers */
    struct herald_bucket *silent; /* the next in that list */
    struct herald_retired retired;
};

HERALD_INLINE uint64_t herald_key_hash(HeraldNameRef name, const void *object) {
    return herald_mix((uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)object);
}

HERALD_BEGIN
bool herald_bucket_equal(const void *stored, const void *key); /* for the table */

/* For posters inside a section, and for writers: the bucket of exactly this name and object, or NULL. */
HERALD_INLINE struct herald_bucket *herald_bucket_find(const struct herald_table *table, HeraldNameRef name,
                                                       const void *object) {
    struct herald_key key = {herald_key_hash(name, object), name, object};
    return (struct herald_bucket *)herald_table_find(table, key.hash, &key);
}

/* Writers: finds or makes it; NULL when memory is out. */
struct herald_bucket *herald_bucket_obtain(HeraldCenterRef center, HeraldNameRef name, const void *object);
static inline struct herald_bucket *herald_bucket_family(struct herald_bucket *bucket) {
    return bucket->parent ? bucket->parent : bucket;
}
/* Writers, after observers, topics or children came or went: enters the bucket in the idle list or takes it out. */
void herald_bucket_settle(HeraldCenterRef center, struct herald_bucket *bucket);
/* Writers: gives up the oldest idle buckets when there are many. */
void herald_bucket_evict(HeraldCenterRef center);
HERALD_END
#endif
