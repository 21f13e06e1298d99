/* A bucket: the registrations for one (name, object), NULL meaning any. Found by posters in the center's index.
 *
 * The bucket of (name, any object) is the name bucket of all that have its name, of itself too, and exists while they
 * do; (any, any) is that of the buckets of (any name, object).
 *
 * Most names have one observer for ever. A bucket's first snapshot has room for one, and lies in the bucket: what a
 * post reads of both is one line. The memory goes when both have ended, for a post may see the snapshot for longer.
 */
#ifndef HERALD_BUCKET_H
#define HERALD_BUCKET_H

#include "pool.h"
#include "snapshot.h"

struct herald_key {
    uint64_t hash;
    HeraldNameRef name;
    const void *object;
};

struct herald_bucket {
    uint32_t users;    /* atomic: of the memory: the bucket, and its first snapshot from its first observer on */
    uint64_t first[9]; /* that snapshot; its end is what posters read of it */

    /* The line that posters read begins in it. Adding and removing leave it alone, but for the first observer and the
     * last. */
    struct herald_key key;             /* never changes */
    struct herald_bucket *name_bucket; /* never changes */
    struct herald_snapshot *current;   /* atomic; NULL before the first observer */
    bool occupied;                     /* atomic: there is an ACTIVE registration; else posters look no further */

    /* The center's lock: */
    uint32_t live __attribute__((aligned(HERALD_LINE))); /* ACTIVE registrations */
    uint32_t objects;                 /* of a name bucket: ACTIVE registrations for objects; atomic, for posters */
    uint32_t dead;                    /* tombstones in the current snapshot */
    uint32_t first_dead;              /* no entry before it is one */
    uint32_t topics, children;        /* children: of a name bucket, the buckets for objects */
    bool idle : 1;                    /* it is in the index's list of idle buckets */
    bool complained : 1;              /* of a name bucket: it has been said that it has many observers */
    bool in_question;                 /* the transport is being told of it */
    bool announced;                   /* the transport knows of an observer (name buckets only; the center's turn) */
    bool noted_silent;                /* it is in the center's list of names that may have lost their observers */
    uint32_t announced_in;            /* how many forks ago it was told: its threads end with a fork */
    struct herald_bucket *unobserved; /* the next in that list */
    union {
        struct {
            struct herald_bucket *idle_next, *idle_previous;
        };
        struct herald_retired retired; /* in the end */
    };
};
herald_static_assert(sizeof(struct herald_bucket) == HERALD_POOLED, "a line for posters and two for writers");
herald_static_assert(offsetof(struct herald_bucket, first) + offsetof(struct herald_snapshot, ends) == HERALD_LINE &&
                         offsetof(struct herald_bucket, occupied) < (size_t)2 * HERALD_LINE &&
                         offsetof(struct herald_bucket, live) == (size_t)2 * HERALD_LINE,
                     "what posters read is one line");

/* The index's table leads to the key. */
static inline struct herald_bucket *herald_bucket_of(const void *key) {
    return (struct herald_bucket *)((uintptr_t)key - offsetof(struct herald_bucket, key));
}

/* Of a name bucket: the name has no observer, for whatever object. */
static inline bool herald_bucket_is_unobserved(const struct herald_bucket *name_bucket) {
    return !name_bucket->live && !name_bucket->objects;
}

HERALD_BEGIN
/* All of these under the center's lock. */

/* An empty one of the pool; NULL when memory is out. */
struct herald_bucket *herald_bucket_create(const struct herald_key *key);
/* One that no poster has found. */
void herald_bucket_free(struct herald_bucket *bucket);

/* Room for one more entry in the snapshot. False when memory is out; nothing posters see has changed. */
bool herald_bucket_reserve(struct herald_bucket *bucket, struct herald_slots *slots);
/* Publishes a slot whose fields are set. */
void herald_bucket_append(struct herald_bucket *bucket, struct herald_slot *slot);
/* Takes a slot, whose last use of `bucket` and `position` this is, out of the current snapshot. */
void herald_bucket_bury(struct herald_bucket *bucket, struct herald_slot *slot);
/* Replaces the snapshot if enough of it is dead and there is memory. */
void herald_bucket_trim(struct herald_bucket *bucket);
/* Takes the snapshot away from posters that come. */
void herald_bucket_withdraw(struct herald_bucket *bucket);
/* Retires a bucket that no poster can find any more. */
void herald_bucket_retire(struct herald_bucket *bucket);
HERALD_END
#endif
