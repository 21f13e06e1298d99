/* A bucket's registrations.
 *
 * Ordering: The writer stores an entry, then the count (release), then the committed sequence (release). So a poster
 * that has read the sequence finds every entry up to that sequence, or the tombstone in the entry's place. A new
 * snapshot is published with a release store of the bucket's `current`.
 * Progress: Appending is O(1), amortised; a snapshot is replaced when it is full, or when a quarter of it is dead.
 * Ownership: Buckets and their current snapshots are changed only under the center's lock. A replaced snapshot belongs
 * to the reclaimer, and so does a retired bucket. A bucket and its first snapshot lie in one piece of memory, which is
 * given back when both have ended.
 */
#include "bucket.h"
#include "memory.h"

enum { FIRST = 1 }; /* room in a bucket's first snapshot */
herald_static_assert(sizeof(struct herald_snapshot) + FIRST * sizeof(struct herald_slot *) ==
                         sizeof(((struct herald_bucket *)0)->first),
                     "it lies in the bucket");

/* ROOM: a snapshot after the first has room for one and a half times its living entries, and for this many more.
 * FEW_DEAD: a snapshot with fewer dead entries than this is not trimmed, however small it is. */
#ifdef HERALD_EXPLORE
enum { ROOM = 1, FEW_DEAD = 2 };
#else
enum { ROOM = 8, FEW_DEAD = 4 };
#endif

struct herald_bucket *herald_bucket_create(const struct herald_key *key) {
    struct herald_bucket *bucket = (struct herald_bucket *)herald_pool_take();
    if (!bucket) return NULL;
    bucket->users = 1;
    bucket->key = *key;
    return bucket;
}

static void give_back(struct herald_bucket *bucket) {
    if (herald_unlikely(bucket->unnamed)) {
        herald_bury(bucket->block);
    } else {
        herald_pool_give_back(bucket);
    }
}

static void leave(struct herald_bucket *bucket) {
    if (sub_acq_rel(&bucket->users, 1u) == 1 || !HERALD_STEP(BUCKET_USERS)) give_back(bucket);
}

/* Relaxed: the caller has a reference, so the memory is there, and the count is not 0. */
void herald_bucket_retain(struct herald_bucket *bucket) { add_relaxed(&bucket->users, 1u); }
void herald_bucket_release(struct herald_bucket *bucket) { leave(bucket); }

static struct herald_snapshot *first_of(struct herald_bucket *bucket) {
    return (struct herald_snapshot *)(void *)bucket->first;
}

static void destroy_first(struct herald_retired *item) {
    struct herald_slots *slots = ((struct herald_snapshot *)item)->slots;
    leave((struct herald_bucket *)(void *)((char *)item - offsetof(struct herald_bucket, first)));
    /* This may free the center, and the bucket of (any, any) is part of the center. So nothing follows this call. */
    herald_slots_release(slots);
}

static const struct herald_retired_kind first_kind = {true, herald_snapshot_unlink, destroy_first};

/* Copies the living entries of the bucket's snapshot to `fresh`, publishes `fresh` in its place, and retires the old
 * snapshot. If `fresh` is NULL, the bucket has no snapshot afterwards. */
static void replace(struct herald_bucket *bucket, struct herald_snapshot *fresh) {
    struct herald_snapshot *old = bucket->current;
    if (old && fresh) herald_snapshot_copy(old, fresh, bucket->dead ? bucket->first_dead : old->count);
    if (fresh && bucket->blocked && HERALD_STEP(BLOCKS_COPIED)) fresh->ends = HERALD_BLOCKS;
    /* This store has two partners. A post by topic reads `current` again after it has set its pin (found.h). A post by
     * name reads `current` once, in a section; a section that begins after the reclaimer's handshake does not find the
     * old snapshot. */
    store_release(&bucket->current, fresh);
    if (old)
        herald_snapshot_retire(old, fresh, bucket->dead, old == first_of(bucket) ? &first_kind : &herald_snapshot_kind);
    bucket->dead = 0;
}

static bool renew(struct herald_bucket *bucket, struct herald_slots *slots, uint32_t live) {
    struct herald_snapshot *fresh = herald_snapshot_create(slots, live + live / 2 + ROOM);
    if (fresh) replace(bucket, fresh);
    return fresh != NULL;
}

static void begin(struct herald_bucket *bucket, struct herald_slots *slots) {
    struct herald_snapshot *first = first_of(bucket);
    herald_snapshot_begin(first, slots, FIRST);
    herald_bucket_retain(bucket);
    replace(bucket, first);
}

bool herald_bucket_reserve(struct herald_bucket *bucket, struct herald_slots *slots) {
    if (!bucket->current) begin(bucket, slots);
    struct herald_snapshot *current = bucket->current;
    if (current->count < current->capacity) return true;
    uint32_t live = current->count - bucket->dead;
    return live <= UINT32_MAX / 2 && renew(bucket, slots, live);
}

void herald_bucket_append(struct herald_bucket *bucket, struct herald_slot *slot) {
    struct herald_snapshot *current = bucket->current;
    uint32_t count = current->count;
    slot->position = count;
    current->last = slot->sequence;
    store_relaxed(&current->entries[count], slot);
    store_release(&current->count, count + 1); /* partner: the poster's load_acquire of the count */
    if (bucket->live++ == 0) store_release(&bucket->occupied, true);
    struct herald_bucket *of_name = bucket->name_bucket;
    if (of_name != bucket) store_release(&of_name->objects, of_name->objects + 1);
}

/* A post that begins after the call has returned reads this word or a later one. A walk that is running need not see
 * the change. Release, as in herald_snapshot_bury: the word counts the tombstones that were stored before. Partner:
 * herald_snapshot_ends(). */
static void note_blocked(struct herald_bucket *bucket) {
    uint32_t *ends = &bucket->current->ends, others = *ends & ~(uint32_t)HERALD_BLOCKS;
    if (HERALD_STEP(BLOCKS)) store_release(ends, others | (bucket->blocked ? (uint32_t)HERALD_BLOCKS : 0u));
}

void herald_bucket_block(struct herald_bucket *bucket, struct herald_slot *slot, bool blocked) {
    bucket->blocked += blocked ? 1u : UINT32_MAX;
    store_relaxed(&slot->state, (uint8_t)(blocked ? HERALD_BLOCKED : HERALD_ACTIVE));
    note_blocked(bucket);
}

/* The mark goes only after the tombstone has taken the slot's place: without the mark, walks do not read the state. */
static void unblock_buried(struct herald_bucket *bucket) {
    bucket->blocked--;
    note_blocked(bucket);
}

void herald_bucket_bury(struct herald_bucket *bucket, struct herald_slot *slot) {
    bool was_blocked = load_relaxed(&slot->state) == HERALD_BLOCKED;
    if (herald_unlikely(was_blocked && !HERALD_STEP(BLOCKS_LAST))) unblock_buried(bucket);
    if (!bucket->dead || slot->position < bucket->first_dead) bucket->first_dead = slot->position;
    herald_snapshot_bury(bucket->current, slot);
    bucket->dead++;
    if (herald_unlikely(was_blocked && HERALD_STEP(BLOCKS_LAST))) unblock_buried(bucket);
    if (--bucket->live == 0) store_release(&bucket->occupied, false);
    struct herald_bucket *of_name = bucket->name_bucket;
    if (of_name != bucket) store_release(&of_name->objects, of_name->objects - 1);
}

void herald_bucket_trim(struct herald_bucket *bucket) {
    struct herald_snapshot *current = bucket->current;
    if (bucket->dead < FEW_DEAD || bucket->dead < current->count / 4) return;
    renew(bucket, current->slots, current->count - bucket->dead);
}

void herald_bucket_withdraw(struct herald_bucket *bucket) {
    if (bucket->current) replace(bucket, NULL);
}

static void destroy(struct herald_retired *item) {
    leave((struct herald_bucket *)(void *)((char *)item - offsetof(struct herald_bucket, retired)));
}

static const struct herald_retired_kind kind = {false, NULL, destroy};

void herald_bucket_retire(struct herald_bucket *bucket) {
    herald_bucket_withdraw(bucket);
    herald_retire(&bucket->retired, &kind, sizeof *bucket);
}
