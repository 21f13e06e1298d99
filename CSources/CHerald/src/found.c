/* The rare paths of finding. Ordering, progress and ownership: see found.h. */
#include "found.h"

HERALD_SLOW void herald_found_look_up(const struct herald_post *post, uint64_t generation,
                                      struct herald_lookup *lookup) {
    struct herald_index *index = &post->center->index;
    struct herald_lookup found = {generation, post->name, post->object, NULL, NULL, &index->everything};
    found.name_bucket = post->unnamed ? post->unnamed : herald_index_find(index, post->name, NULL);
    if (found.name_bucket && post->object) found.object_bucket = herald_index_find(index, post->name, post->object);
    *lookup = found;
}

/* Under the center's lock: puts the bucket of a name into this thread's lookup cache. */
static struct herald_bucket *remember(HeraldCenterRef center, HeraldNameRef name, const void *object,
                                      struct herald_bucket *bucket) {
    struct herald_index *index = &center->index;
    if (!bucket || !name || !herald_thread_has_record(herald_self)) return bucket;
    struct herald_lookup own = {index->generation, name, object, bucket->name_bucket, NULL, &index->everything};
    if (object) own.object_bucket = bucket;
    *herald_found_lookup(herald_self, name, object) = own;
    return bucket;
}

HERALD_SLOW struct herald_bucket *herald_found_bucket_uncached(HeraldCenterRef center, HeraldNameRef name,
                                                               const void *object, bool made) {
    struct herald_index *index = &center->index;
    return remember(center, name, object,
                    made ? herald_index_obtain(index, name, object) : herald_index_find(index, name, object));
}

void herald_found_under_lock(struct herald_found *found, const struct herald_post *post, struct herald_frame *frame,
                             uint64_t limit) {
    found->sources = 0;
    if (post->center->closed) return; /* a callback has released the center, and its buckets are gone */
    const struct herald_index *index = &post->center->index;
    struct herald_lookup own, *lookup = &own;
    if (herald_likely(herald_thread_has_record(herald_self) && !post->unnamed)) {
        lookup = herald_found_cached(herald_self, post, index, post->name, post->object);
    } else {
        herald_found_look_up(post, 0, &own);
    }
    herald_found_all(found, post, lookup, load_relaxed(&index->flags), frame, limit);
}
