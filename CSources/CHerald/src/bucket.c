#include "center.h"
#include "memory.h"
#include "reclaim.h"

bool herald_bucket_equal(const void *stored, const void *key) {
    const struct herald_key *a = stored, *b = key;
    herald_tsan_acquire(a);
    return a->hash == b->hash && a->name == b->name && a->object == b->object;
}

static void leave_idle(HeraldCenterRef center, struct herald_bucket *bucket) {
    struct herald_bucket *next = bucket->idle_next, *previous = bucket->idle_previous;
    *(previous ? &previous->idle_next : &center->idle_first) = next;
    *(next ? &next->idle_previous : &center->idle_last) = previous;
    bucket->idle = false;
    center->idle_count--;
}

static void join_idle(HeraldCenterRef center, struct herald_bucket *bucket) {
    bucket->idle_next = NULL;
    bucket->idle_previous = center->idle_last;
    *(center->idle_last ? &center->idle_last->idle_next : &center->idle_first) = bucket;
    center->idle_last = bucket;
    bucket->idle = true;
    center->idle_count++;
}

void herald_bucket_settle(HeraldCenterRef center, struct herald_bucket *bucket) {
    if (bucket == &center->everything) return;
    bool idle = !bucket->live && !bucket->topics && !bucket->children && !bucket->announced;
    if (idle == bucket->idle) return;
    if (idle) {
        join_idle(center, bucket);
    } else {
        leave_idle(center, bucket);
    }
}

struct herald_bucket *herald_bucket_obtain(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    if (!name && !object) return &center->everything;
    struct herald_bucket *bucket = herald_bucket_find(&center->table, name, object);
    if (bucket) return bucket;
    struct herald_bucket *parent = object ? herald_bucket_obtain(center, name, NULL) : NULL;
    if (object && !parent) return NULL;
    bucket = herald_allocate_lines(sizeof *bucket);
    if (!bucket) return NULL;
    bucket->key.hash = herald_key_hash(name, object);
    bucket->key.name = name;
    bucket->key.object = object;
    bucket->parent = parent;
    if (!herald_table_put(&center->table, bucket->key.hash, bucket)) {
        free(bucket);
        return NULL;
    }
    herald_center_new_edition(center);
    center->bucket_count++;
    join_idle(center, bucket);
    if (parent) {
        parent->children++;
        herald_bucket_settle(center, parent);
    }
    return bucket;
}

static void evict(HeraldCenterRef center, struct herald_bucket *bucket) {
    leave_idle(center, bucket);
    herald_table_remove(&center->table, bucket->key.hash, bucket);
    herald_center_new_edition(center);
    center->bucket_count--;
    herald_snapshot_drop(center, bucket);
    struct herald_bucket *parent = bucket->parent;
    if (parent) {
        parent->children--;
        herald_bucket_settle(center, parent);
    }
    herald_retire(&bucket->retired, bucket, sizeof *bucket);
}

void herald_bucket_evict(HeraldCenterRef center) {
    while (center->idle_count > 32 + center->bucket_count / 4) evict(center, center->idle_first);
}
