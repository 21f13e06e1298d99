/* A bucket: the registrations for one (name, object), where NULL means any. Posters find it in the center's index.
 *
 * The bucket of (name, any object) is the *name bucket* of all buckets with that name, including itself. It exists as
 * long as any of them does. The bucket of (any, any) is the name bucket of the buckets of (any name, object).
 *
 * Most names have one observer for ever. So a bucket's first snapshot has room for one entry, and lies in the bucket:
 * all that a post reads of the two is in one cache line. The bucket's memory is freed when the bucket and that snapshot
 * have both ended, because a post may still read the snapshot after the bucket has ended.
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
    uint32_t users;    /* atomic; users of the memory: the bucket, and its first snapshot once that has been made */
    uint64_t first[9]; /* the memory of the first snapshot; posters read this only from `ends` on */

    /* The cache line that posters read begins within `first`. Adding and removing write to that line only for the
     * first observer and the last, and when the snapshot is replaced. */
    struct herald_key key;             /* never changes */
    struct herald_bucket *name_bucket; /* never changes */
    struct herald_snapshot *current;   /* atomic; NULL before the first observer */
    bool occupied;                     /* atomic: there is a registration; if not, posters look no further */

    /* The center's lock: */
    /* A registration counts while it is ACTIVE or BLOCKED. */
    uint32_t live __attribute__((aligned(HERALD_LINE)));
    uint32_t objects;    /* in a name bucket: the registrations in its buckets for objects; atomic, because posters
                            read it */
    uint32_t dead;       /* tombstones in the current snapshot */
    uint32_t first_dead; /* no entry before it is a tombstone */
    uint32_t holds;      /* how many topics use the bucket, plus how many adds are telling the transport (told.h) */
    uint32_t children;   /* in a name bucket: how many buckets for objects it has */
    bool idle : 1;       /* it is in the index's list of idle buckets */
    bool complained : 1; /* in a name bucket: the warning about too many observers has been printed */
    bool reached : 1;    /* the transport knows that there is an observer (told.h) */
    bool noted : 1;      /* it is in the center's list of buckets that may have lost their last observer */
    bool unnamed : 1;    /* it is in no table: it belongs to a topic without a name, and is not from the pool */
    uint32_t blocked;    /* BLOCKED registrations */
    uint64_t told;       /* the version of the last change that the transport has accepted; 0: none */
    union {
        void *block; /* of a bucket that is `unnamed`: the memory in which it lies */
        struct {
            union {
                struct herald_bucket *idle_next, *next_noted; /* a noted bucket is not idle */
            };
            struct herald_bucket *idle_previous;
            uint64_t edge; /* for edges.c: the version of the firstObserver call that is in force; 0: none */
        };
        struct herald_retired retired; /* once it is retired */
    };
};
herald_static_assert(sizeof(struct herald_bucket) == HERALD_POOLED, "a line for posters and two for writers");
herald_static_assert(offsetof(struct herald_bucket, first) + offsetof(struct herald_snapshot, ends) == HERALD_LINE &&
                         offsetof(struct herald_bucket, occupied) < (size_t)2 * HERALD_LINE &&
                         offsetof(struct herald_bucket, live) == (size_t)2 * HERALD_LINE,
                     "what posters read is one line");

/* The index's table stores the addresses of keys; this finds the bucket of such a key. */
static inline struct herald_bucket *herald_bucket_of(const void *key) {
    return (struct herald_bucket *)((uintptr_t)key - offsetof(struct herald_bucket, key));
}

/* For a name bucket: whether the name has no observer at all, whatever the object. */
static inline bool herald_bucket_is_unobserved(const struct herald_bucket *name_bucket) {
    return !name_bucket->live && !name_bucket->objects;
}

HERALD_BEGIN
/* All of these are called under the center's lock. */

/* Takes an empty bucket from the pool; NULL if memory is out. */
struct herald_bucket *herald_bucket_create(const struct herald_key *key);

/* Makes room for one more entry in the snapshot. Returns false if memory is out; then posters see no change. */
bool herald_bucket_reserve(struct herald_bucket *bucket, struct herald_slots *slots);
/* Publishes a slot whose fields are set. */
void herald_bucket_append(struct herald_bucket *bucket, struct herald_slot *slot);
/* Puts the tombstone into the slot's place in the current snapshot. Afterwards the slot's `bucket` and `position` are
 * not valid. */
void herald_bucket_bury(struct herald_bucket *bucket, struct herald_slot *slot);
/* Replaces the snapshot if enough of it is dead and there is memory. */
void herald_bucket_trim(struct herald_bucket *bucket);
/* Takes the snapshot away, so that later posts do not find it. */
void herald_bucket_withdraw(struct herald_bucket *bucket);
/* Withdraws and retires a bucket that is not in the index any more. */
void herald_bucket_retire(struct herald_bucket *bucket);

/* Under the center's lock: blocks the registration, which is ACTIVE, or ends that. */
void herald_bucket_block(struct herald_bucket *bucket, struct herald_slot *slot, bool blocked);

/* Adds a reference to the bucket's memory, or gives one up. For other files: only of a topic without a name. */
void herald_bucket_retain(struct herald_bucket *bucket);
void herald_bucket_release(struct herald_bucket *bucket);
HERALD_END
#endif
