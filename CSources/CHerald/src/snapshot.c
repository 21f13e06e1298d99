/* Ordering. Entry, count (release), committed sequence (release): a poster that has read the sequence finds every
 * entry up to it. A new snapshot is published with a release store of the bucket's `current`. */
#include "snapshot.h"
#include "center.h"
#include "memory.h"
#include "reclaim.h"

enum { ROOM = 8, FEW_DEAD = 4 };

static size_t size_for(uint32_t capacity) {
    return sizeof(struct herald_snapshot) + capacity * sizeof(struct herald_slot *);
}

/* Publishes `fresh` (NULL: nothing) for the bucket's snapshot, whose dead slots have been told that they left with it.
 */
static void replace(HeraldCenterRef center, struct herald_bucket *bucket, struct herald_snapshot *fresh) {
    struct herald_snapshot *old = bucket->current;
    store_release(&bucket->current, fresh); /* partners: a topic's second look; a section, by herald_heavy */
    if (old) {
        herald_domain_lock();
        old->last = old->count ? old->entries[old->count - 1]->sequence : 0;
        old->first_dead = bucket->dead ? bucket->first_dead : old->count;
        old->newer = fresh;
        if (fresh) fresh->older = old;
        center->holds++;
        herald_retire_snapshot(&old->retired, size_for(old->capacity) + bucket->dead * sizeof(struct herald_slot));
        herald_domain_unlock();
    }
    bucket->dead = 0;
}

/* Copies the living entries to `fresh` (NULL: there are none). */
static void part(struct herald_bucket *bucket, struct herald_snapshot *fresh) {
    struct herald_snapshot *old = bucket->current;
    uint32_t count = bucket->dead ? bucket->first_dead : old->count;
    if (fresh) memcpy(fresh->entries, old->entries, count * sizeof *old->entries); /* all alive: no look at the slots */
    for (uint32_t i = count; i < old->count; i++) {
        struct herald_slot *slot = old->entries[i];
        if (load_relaxed(&slot->state) != HERALD_ACTIVE) {
            store_relaxed(&slot->left_with, old); /* the domain's lock in replace() passes it on */
        } else {
            slot->position = count;
            fresh->entries[count++] = slot;
        }
    }
    if (fresh) fresh->count = count;
}

/* A new snapshot with the living entries and room for `capacity`; false when memory is out. */
static bool renew(HeraldCenterRef center, struct herald_bucket *bucket, uint32_t capacity) {
    struct herald_snapshot *fresh = malloc(size_for(capacity));
    if (!fresh) return false;
    memset(fresh, 0, sizeof *fresh);
    fresh->center = center;
    fresh->capacity = capacity;
    if (bucket->current) part(bucket, fresh);
    replace(center, bucket, fresh);
    return true;
}

bool herald_snapshot_reserve(HeraldCenterRef center, struct herald_bucket *bucket) {
    struct herald_snapshot *current = bucket->current;
    if (current && current->count < current->capacity) return true;
    uint32_t live = current ? current->count - bucket->dead : 0;
    if (live > UINT32_MAX / 2) return false;
    return renew(center, bucket, live + live / 2 + ROOM);
}

void herald_snapshot_append(struct herald_bucket *bucket, struct herald_slot *slot) {
    struct herald_snapshot *current = bucket->current;
    uint32_t count = current->count;
    slot->position = count;
    current->entries[count] = slot;
    store_release(&current->count, count + 1); /* partner: the poster's load_acquire of the count */
    if (bucket->live++ == 0) store_release(&bucket->occupied, true);
}

void herald_snapshot_trim(HeraldCenterRef center, struct herald_bucket *bucket) {
    struct herald_snapshot *current = bucket->current;
    if (bucket->dead < FEW_DEAD || bucket->dead < current->count / 4) return;
    uint32_t live = current->count - bucket->dead;
    renew(center, bucket, live + live / 2 + ROOM);
}

void herald_snapshot_drop(HeraldCenterRef center, struct herald_bucket *bucket) {
    if (!bucket->current) return;
    part(bucket, NULL);
    replace(center, bucket, NULL);
}

void herald_snapshot_buried(struct herald_bucket *bucket, struct herald_slot *slot) {
    if (!bucket->dead || slot->position < bucket->first_dead) bucket->first_dead = slot->position;
    bucket->dead++;
    if (--bucket->live == 0) store_release(&bucket->occupied, false);
}

void herald_snapshot_unlink(struct herald_snapshot *snapshot) {
    struct herald_snapshot *older = snapshot->older, *newer = snapshot->newer;
    for (uint32_t i = snapshot->first_dead; i < snapshot->count; i++) {
        struct herald_slot *slot = snapshot->entries[i];
        if (load_relaxed(&slot->left_with) != snapshot) continue;
        if (older && slot->sequence <= older->last && herald_keep(LINEAGE)) {
            store_relaxed(&slot->left_with, older);
            older->first_dead = 0; /* anywhere; this is rare */
        } else if (load_relaxed(&slot->state) == HERALD_PENDING || load_relaxed(&slot->state) == HERALD_RELEASING ||
                   slot->waiters) {
            if (!herald_keep(HOLD)) {
                herald_slots_return(&snapshot->center->slots, slot);
                continue;
            }
            slot->orphan = 1; /* whoever settles it gives it back */
            snapshot->center->holds++;
        } else {
            herald_slots_return(&snapshot->center->slots, slot);
        }
    }
    if (older) older->newer = newer;
    if (newer) newer->older = older;
}
