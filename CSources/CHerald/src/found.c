/* The rare ways of finding. Ordering, progress and ownership: see found.h. */
#include "found.h"

HERALD_SLOW void herald_found_look_up_anew(const struct herald_post *post, uint64_t edition,
                                           struct herald_recollection *recollection) {
    *recollection = herald_found_look_up(post);
    recollection->edition = edition;
}

HERALD_SLOW struct herald_bucket *herald_found_bucket_anew(HeraldCenterRef center, HeraldNameRef name,
                                                           const void *object) {
    const struct herald_post what = {center, name, object, NULL, NULL};
    struct herald_recollection own;
    herald_found_look_up_anew(&what, center->index.edition, &own);
    struct herald_bucket *bucket = object ? own.object_bucket : own.name_bucket;
    /* One that is about to be made makes a new edition, too. */
    if (bucket && herald_thread_has_record(herald_self)) *herald_found_recollection(herald_self, name, object) = own;
    return bucket;
}

void herald_found_under_lock(struct herald_found *found, const struct herald_post *post, struct herald_frame *frame,
                             uint64_t limit) {
    found->sources = 0;
    if (post->center->closed) return; /* a callback has released it: its buckets are gone */
    struct herald_recollection own = herald_found_look_up(post);
    herald_found_all(found, post, &own, load_relaxed(&post->center->index.kinds), frame, limit);
}
