/* Finding, making and giving up buckets.
 *
 * Ordering: A bucket is complete before it is put into the table, and it is taken out before it is retired.
 * `generation` is stored (release) after each change of the table and before a bucket that was taken out can be
 * retired. Partners: herald_found_cached, and is_alone() in post.c. A section that still reads the older generation
 * began before the reclaimer's barrier. So the reclaimer waits for the section's end before it frees the bucket. By
 * then it also sees the pins that the section has set.
 * Progress: O(1), amortised.
 * Ownership: The table and the idle list belong to the center's lock.
 */
#include "index.h"

static bool is_equal(const void *stored, const void *key) {
    const struct herald_key *a = stored, *b = key;
    herald_tsan_acquire(a);
    return a->hash == b->hash && a->name == b->name && a->object == b->object;
}

static void begin_generation(struct herald_index *index) {
    static uint64_t generations;
    store_release(&index->generation, add_relaxed(&generations, UINT64_C(1)) + 1);
}

bool herald_index_create(struct herald_index *index) {
    if (!herald_table_create(&index->table, is_equal)) return false;
    index->everything.name_bucket = &index->everything;
    index->everything.users = 1; /* for ever: the bucket is part of the center */
    begin_generation(index);
    return true;
}

/* ---- Idle buckets ----------------------------------------------------------------------------------------------- */

static void leave_idle(struct herald_index *index, struct herald_bucket *bucket) {
    struct herald_bucket *next = bucket->idle_next, *previous = bucket->idle_previous;
    *(previous ? &previous->idle_next : &index->idle_first) = next;
    *(next ? &next->idle_previous : &index->idle_last) = previous;
    bucket->idle = false;
    index->idle_count--;
}

static void join_idle(struct herald_index *index, struct herald_bucket *bucket) {
    bucket->idle_next = NULL;
    bucket->idle_previous = index->idle_last;
    *(index->idle_last ? &index->idle_last->idle_next : &index->idle_first) = bucket;
    index->idle_last = bucket;
    bucket->idle = true;
    index->idle_count++;
}

void herald_index_update_idle(struct herald_index *index, struct herald_bucket *bucket) {
    if (bucket == &index->everything) return;
    bool idle =
        !bucket->live && !bucket->holds && !bucket->children && !bucket->reached && !bucket->noted && !bucket->edge;
    if (idle == bucket->idle) return;
    if (idle) {
        join_idle(index, bucket);
    } else {
        leave_idle(index, bucket);
    }
}

void herald_index_hold(struct herald_index *index, struct herald_bucket *bucket, int change) {
    bucket->holds += (uint32_t)change;
    herald_index_update_idle(index, bucket);
}

/* ---- Buckets ---------------------------------------------------------------------------------------------------- */

struct herald_bucket *herald_index_find_name(struct herald_index *index, HeraldNameRef name) {
    return name ? herald_index_find(index, name, NULL) : &index->everything;
}

static void count_children(struct herald_index *index, struct herald_bucket *bucket, int change) {
    struct herald_bucket *of_name = bucket->name_bucket;
    if (of_name == bucket) return;
    of_name->children += (uint32_t)change;
    herald_index_update_idle(index, of_name);
}

struct herald_bucket *herald_index_obtain(struct herald_index *index, HeraldNameRef name, const void *object) {
    if (!name && !object) return &index->everything;
    struct herald_bucket *bucket = herald_index_find(index, name, object);
    if (bucket) return bucket;
    struct herald_bucket *of_name = object ? herald_index_obtain(index, name, NULL) : NULL;
    if (object && !of_name) return NULL;
    const struct herald_key key = {herald_key_hash(name, object), name, object};
    bucket = herald_bucket_create(&key);
    if (!bucket) return NULL;
    bucket->name_bucket = object ? of_name : bucket;
    if (!herald_table_put(&index->table, key.hash, &bucket->key)) {
        herald_pool_give_back(bucket);
        return NULL;
    }
    begin_generation(index);
    index->bucket_count++;
    join_idle(index, bucket);
    count_children(index, bucket, 1);
    return bucket;
}

static void evict(struct herald_index *index, struct herald_bucket *bucket) {
    leave_idle(index, bucket);
    herald_table_remove(&index->table, bucket->key.hash, &bucket->key);
    begin_generation(index);
    index->bucket_count--;
    count_children(index, bucket, -1);
    herald_bucket_retire(bucket);
}

#ifdef HERALD_EXPLORE
enum { IDLE_MOST = 0 };
#else
enum { IDLE_MOST = 32 };
#endif

void herald_index_evict(struct herald_index *index) {
    while (index->idle_count > IDLE_MOST + index->bucket_count / 4) evict(index, index->idle_first);
}

void herald_index_evict_all(struct herald_index *index) {
    while (index->idle_count) evict(index, index->idle_first);
}

static void close_bucket(void *key, void *unused) {
    (void)unused;
    herald_bucket_retire(herald_bucket_of(key));
}

void herald_index_close(struct herald_index *index) {
    struct herald_table taken = herald_table_take(&index->table);
    /* The generation changes before anything is retired. Otherwise a post in a running callback could get freed buckets
     * from its thread's lookup cache. */
    if (HERALD_STEP(CLOSE_GENERATION)) begin_generation(index);
    herald_table_visit(&taken, close_bucket, NULL);
    herald_table_retire(&taken);
    index->idle_first = index->idle_last = NULL;
    index->idle_count = index->bucket_count = index->everything.children = 0;
    herald_bucket_withdraw(&index->everything);
}
