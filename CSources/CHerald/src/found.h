/* What a post has found: the registrations of up to four buckets, whose snapshots the post has pinned. The scheme:
 * hazard pointers on snapshots (Michael 2004). A post by topic sets the hazard pointer, and then reads the bucket's
 * snapshot again. A post by name needs no second read, because it sets the pointer in an RCU-like section.
 *
 * Ordering, by name: The post begins a section (the thread record's `section` becomes odd), and has a light fence. In
 * the section it reads the committed sequence (acquire), then the flags and the buckets, and pins each snapshot. Then
 * it ends the section (`section` becomes even, release). The post finds every registration that was published up to the
 * sequence. What it finds is not freed before the post clears its pins.
 * A post to one bucket (the leaf post_cached in post.c) does not read the committed sequence. It reads the bucket's
 * count, and then checks that no flag is set. A post with an object may have observers in two buckets, (name, any
 * object) and (name, object). After the leaf has read one of them, it also checks that the other has no observer, and
 * that the table has not changed. If a check fails, the post begins again in post_fast.
 *
 * Ordering, by topic: The post stores the bucket's snapshot in a pin (release), has a light fence, and reads the
 * bucket's snapshot again. The second read is an acquire, because a later snapshot may have the same address. If the
 * snapshot has changed, the post begins again.
 *
 * Progress: Wait-free, except that a post by topic begins again whenever a writer has replaced the snapshot between the
 * post's two reads.
 * Ownership: The pins lie in the caller's frame, and protect what was found.
 */
#ifndef HERALD_FOUND_H
#define HERALD_FOUND_H

#include "center.h"
#include "thread.h"

/* A post: its center and what is posted. */
struct herald_post {
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object, *userInfo, *tag;
    struct herald_bucket *unnamed; /* the bucket of a topic without a name, which is in no table; else NULL */
};

/* The snapshots that a post has found: `sources` of them. In each, `at` is the next entry to read, and `end` is the end
 * of the entries to read. */
struct herald_found {
    struct herald_slot **at[HERALD_PINS], **end[HERALD_PINS];
    const struct herald_snapshot *snapshots[HERALD_PINS];
    int sources;
};

/* Adds a pinned snapshot's registrations up to the sequence `limit`. Later registrations were added after the post
 * began. Without the limit the post could call a later registration, and miss an older one in another bucket. */
HERALD_INLINE void herald_found_add(struct herald_found *found, struct herald_snapshot *snapshot, uint64_t limit) {
    if (!snapshot) return;
    uint32_t count = load_acquire(&snapshot->count);
    /* A tombstone's sequence is 0, and 0 - 1 wraps to the highest number. So tombstones at the end are cut off, too. */
    while (count && load_relaxed(&snapshot->entries[count - 1])->sequence - 1 >= limit && HERALD_STEP(LIMIT)) count--;
    if (!count) return;
    found->at[found->sources] = snapshot->entries;
    found->end[found->sources] = snapshot->entries + count;
    found->snapshots[found->sources] = snapshot;
    found->sources++;
}

/* A source is a snapshot that was found. Returns the source whose next registration is the oldest, or -1 if each source
 * is at its end. `*bound` becomes the lowest sequence among the next registrations of the other sources, or UINT64_MAX
 * if these have none. */
HERALD_INLINE int herald_found_oldest(const struct herald_found *found, uint64_t *bound) {
    int oldest = -1;
    uint64_t first = UINT64_MAX;
    *bound = UINT64_MAX;
    for (int i = 0; i < found->sources; i++) {
        if (found->at[i] == found->end[i]) continue;
        uint64_t sequence = load_relaxed(found->at[i])->sequence;
        if (sequence < first) {
            *bound = first;
            first = sequence;
            oldest = i;
        } else if (sequence < *bound) {
            *bound = sequence;
        }
    }
    return oldest;
}

/* Takes the oldest registration that has not been taken yet, and returns it. Returns NULL after the last one. */
HERALD_INLINE struct herald_slot *herald_found_next(struct herald_found *found) {
    uint64_t bound;
    int source = herald_found_oldest(found, &bound);
    return source < 0 ? NULL : load_relaxed(found->at[source]++);
}

/* Outside of sections: pins the current snapshot of a bucket. The caller makes sure that the bucket itself is not
 * freed. But until the pin is set, the snapshot may be replaced and freed. So the function reads the bucket again, and
 * returns false if the bucket has another snapshot by then. */
HERALD_INLINE bool herald_found_try_hold(struct herald_bucket *bucket, struct herald_frame *frame, int pin,
                                         struct herald_snapshot **snapshot) {
    *snapshot = load_relaxed(&bucket->current);
    herald_pause();
    if (HERALD_STEP(TOPIC_PIN)) store_release(&frame->pins[pin], *snapshot);
    herald_fence_light(false);
    return herald_likely(load_acquire(&bucket->current) == *snapshot) || !HERALD_STEP(TOPIC_RECHECK);
}

/* Outside of sections: pins the bucket's current snapshot, and adds its registrations. */
HERALD_INLINE void herald_found_hold(struct herald_found *found, struct herald_bucket *bucket,
                                     struct herald_frame *frame, int pin, uint64_t limit) {
    struct herald_snapshot *snapshot;
    if (!load_acquire(&bucket->occupied)) return;
    while (!herald_found_try_hold(bucket, frame, pin, &snapshot)) {
    }
    herald_found_add(found, snapshot, limit);
}

/* In a section, or under the center's lock: pins the bucket's snapshot. Returns NULL if the bucket has no observer. */
HERALD_INLINE struct herald_snapshot *herald_found_take(struct herald_bucket *bucket, struct herald_frame *frame,
                                                        int pin) {
    if (!load_acquire(&bucket->occupied)) return NULL; /* acquire: what was published before `occupied` is visible */
    struct herald_snapshot *snapshot = load_acquire(&bucket->current);
    herald_pause();
    if (HERALD_STEP(PIN)) store_release(&frame->pins[pin], snapshot);
    return snapshot;
}

HERALD_INLINE void herald_found_pin(struct herald_found *found, struct herald_bucket *bucket,
                                    struct herald_frame *frame, int pin, uint64_t limit) {
    herald_found_add(found, herald_found_take(bucket, frame, pin), limit);
}

HERALD_BEGIN
/* In a section at this generation, or under the center's lock: looks up the buckets of the post's own name in the
 * center's table. */
void herald_found_look_up(const struct herald_post *post, uint64_t generation, struct herald_lookup *lookup);

/* Under the center's lock: looks up a bucket that is not in the lookup cache, and puts it into the cache. If `made`,
 * makes the bucket if it does not exist. */
struct herald_bucket *herald_found_bucket_uncached(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                                   bool made);

/* Under the center's lock: finds the post's registrations up to the sequence `limit`. Finds nothing in a closed center.
 * Pins the snapshots in `frame`. Other threads need not see the pins before the lock is free again. */
void herald_found_under_lock(struct herald_found *found, const struct herald_post *post, struct herald_frame *frame,
                             uint64_t limit);
HERALD_END

/* The place for the name and object in this thread's lookup cache. */
HERALD_INLINE struct herald_lookup *herald_found_lookup(struct herald_thread *self, HeraldNameRef name,
                                                        const void *object) {
    uint64_t mixed = ((uint64_t)(uintptr_t)name ^ ((uint64_t)(uintptr_t)object << 1)) * 0x9e3779b97f4a7c15u;
    return &self->lookups[mixed >> 60];
}

HERALD_INLINE bool herald_found_is_valid(const struct herald_lookup *lookup, uint64_t generation, HeraldNameRef name,
                                         const void *object) {
    return lookup->name == name && lookup->object == object &&
           (lookup->generation == generation || (!HERALD_STEP(LOOKUP_GENERATION) && lookup->generation));
}

/* In a section: returns the buckets of the post's own name, for a post that has no `unnamed`. They come from this
 * thread's lookup cache. If the cache does not have them, or if the table has changed, they are looked up in the table.
 * The table's generation is read in the section. So a bucket that was in the table at this generation is not freed
 * before the section ends. The caller passes the post's `name` and `object`, which it has read before the section, so
 * that they are not read again here. */
HERALD_INLINE struct herald_lookup *herald_found_cached(struct herald_thread *self, const struct herald_post *post,
                                                        const struct herald_index *index, HeraldNameRef name,
                                                        const void *object) {
    uint64_t generation = load_acquire(&index->generation);
    struct herald_lookup *lookup = herald_found_lookup(self, name, object);
    __asm__("" : "+r"(lookup)); /* stays in a register, and is not computed again after each acquire load */
    if (herald_unlikely(!herald_found_is_valid(lookup, generation, name, object)))
        herald_found_look_up(post, generation, lookup);
    return lookup;
}

/* Under the center's lock: returns the bucket of exactly this name and object. Looks into this thread's lookup cache
 * first, and then into the table. If the bucket does not exist: makes it if `made`, and returns NULL if memory is out;
 * otherwise returns NULL. The name may be NULL. */
HERALD_INLINE struct herald_bucket *herald_found_bucket(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                                        bool made) {
    const struct herald_lookup *own = herald_found_lookup(herald_self, name, object);
    if (herald_likely(name && herald_found_is_valid(own, center->index.generation, name, object))) {
        struct herald_bucket *bucket = object ? own->object_bucket : own->name_bucket;
        if (herald_likely(bucket != NULL)) return bucket;
    }
    return herald_found_bucket_uncached(center, name, object, made);
}

/* In a section, or under the center's lock: pins and adds all snapshots for a post. `own` has the buckets of the post's
 * own name. Returns a number N: only the first N pins may have been set. */
HERALD_INLINE int herald_found_all(struct herald_found *found, const struct herald_post *post,
                                   struct herald_lookup *own, uint32_t flags, struct herald_frame *frame,
                                   uint64_t limit) {
    struct herald_index *index = &post->center->index;
    int pins = 0;
    found->sources = 0;
    if (own->name_bucket) herald_found_pin(found, own->name_bucket, frame, pins++, limit);
    if (own->object_bucket) herald_found_pin(found, own->object_bucket, frame, pins++, limit);
    if (herald_unlikely(flags & HERALD_FLAG_ANY_NAME)) {
        herald_found_pin(found, &index->everything, frame, pins++, limit);
        if (post->object && load_acquire(&index->everything.objects)) {
            if (own->any_bucket == &index->everything) own->any_bucket = herald_index_find(index, NULL, post->object);
            if (own->any_bucket) herald_found_pin(found, own->any_bucket, frame, pins++, limit);
        }
    }
    return pins;
}

#endif
