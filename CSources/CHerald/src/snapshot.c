/* Making, copying and ending snapshots; bucket.c decides when.
 *
 * Ordering: When a registration ends, the writer sets HERALD_ENDING, stores the tombstone (release), counts the end
 * (release), and changes the slot's state. Then it makes a handshake. A walk reads the ends (acquire) before the
 * entries. It relies on them only if neither HERALD_ENDING nor HERALD_REPLACED is set. So it finds a tombstone for each
 * end that was counted when it read the ends. If a registration ends later, the ends change. Once the walk finds that
 * they have changed, it reads the state of each slot. The walk reads each entry (acquire) before it reads the ends
 * again. So if it reads a tombstone that was not counted at its start, it finds that the ends have changed. The list of
 * dead slots is written before the snapshot is retired. Retiring takes the domain's lock, and the list is read under
 * that lock.
 * Progress: Bounded by the number of entries.
 * Ownership: A retired snapshot has a reference to its center's memory.
 */
#include "snapshot.h"
#include "memory.h"

static void hear_nothing(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo, const void *tag) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo, (void)tag;
}

struct herald_slot herald_tombstone
    __attribute__((aligned(HERALD_LINE))) = {.callback = hear_nothing, .state = HERALD_REMOVED};

static size_t size_for(uint32_t capacity) {
    return sizeof(struct herald_snapshot) + capacity * sizeof(struct herald_slot *);
}

struct herald_snapshot *herald_snapshot_create(struct herald_slots *slots, uint32_t capacity) {
    struct herald_snapshot *snapshot = malloc(size_for(capacity));
    if (snapshot) herald_snapshot_begin(snapshot, slots, capacity);
    return snapshot;
}

void herald_snapshot_begin(struct herald_snapshot *snapshot, struct herald_slots *slots, uint32_t capacity) {
    memset(snapshot, 0, sizeof *snapshot);
    snapshot->slots = slots;
    snapshot->capacity = capacity;
}

void herald_snapshot_bury(struct herald_snapshot *snapshot, struct herald_slot *slot) {
    uint32_t *ends = &snapshot->ends, before = *ends;
    bool counts = HERALD_STEP(ENDS);
    if (counts && HERALD_STEP(ENDING)) store_relaxed(ends, before | HERALD_ENDING);
    if (!HERALD_STEP(ENDS_LAST)) store_release(ends, before + HERALD_END_ONE);
    store_release(&snapshot->entries[slot->position], &herald_tombstone); /* partner: entry_at() in deliver.c */
    /* Partner: herald_snapshot_ends(). */
    if (counts && HERALD_STEP(ENDS_LAST)) store_release(ends, before + HERALD_END_ONE);
    slot->next_dead = snapshot->retired.word;
    snapshot->retired.word = slot->self;
}

void herald_snapshot_copy(const struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t first_dead) {
    uint32_t count = first_dead;
    memcpy(fresh->entries, old->entries, count * sizeof *old->entries); /* all living: their slots need not be read */
    for (uint32_t i = count; i < old->count; i++) {
        struct herald_slot *slot = old->entries[i];
        if (slot == &herald_tombstone) continue;
        slot->position = count;
        fresh->entries[count++] = slot;
    }
    fresh->count = count;
    fresh->last = old->last;
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

/* Whether the slot's release is not over yet, or a thread still waits for it. In both cases release.c recycles the slot
 * later. */
static bool is_still_owed(const struct herald_slot *slot) {
    uint8_t state = load_relaxed(&slot->state);
    return state == HERALD_PENDING || state == HERALD_RELEASING || slot->waiters;
}

/* Takes the snapshot out of its bucket's list of snapshots. Each dead slot passes to the next older snapshot, if that
 * lists the slot. Otherwise the slot becomes an orphan or is recycled. */
void herald_snapshot_unlink(struct herald_retired *item) {
    struct herald_snapshot *snapshot = (struct herald_snapshot *)item;
    struct herald_snapshot *older = snapshot->older, *newer = snapshot->newer;
    for (uint32_t number = snapshot->retired.word; number;) {
        struct herald_slot *slot = herald_slots_at(snapshot->slots, number);
        number = slot->next_dead;
        if (older && slot->sequence <= older->last && HERALD_STEP(LINEAGE)) {
            slot->next_dead = older->retired.word;
            older->retired.word = slot->self;
        } else if (is_still_owed(slot) && HERALD_STEP(ORPHAN)) {
            slot->orphan = 1;
            snapshot->slots->references++;
        } else {
            herald_slots_recycle(snapshot->slots, slot);
        }
    }
    if (older) older->newer = newer;
    if (newer) newer->older = older;
}

static void destroy(struct herald_retired *item) {
    struct herald_slots *slots = ((struct herald_snapshot *)item)->slots;
    free(item);
    herald_slots_release(slots);
}

const struct herald_retired_kind herald_snapshot_kind = {true, herald_snapshot_unlink, destroy};

void herald_snapshot_retire(struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t dead,
                            const struct herald_retired_kind *kind) {
    /* Relaxed: the barrier of a later remover makes the bit visible before that remover relies on it. */
    if (HERALD_STEP(REPLACED)) store_relaxed(&old->ends, old->ends | HERALD_REPLACED);
    herald_domain_lock();
    old->newer = fresh;
    if (fresh) fresh->older = old;
    old->slots->references++;
    herald_retire_locked(&old->retired, kind, size_for(old->capacity) + dead * sizeof(struct herald_slot));
    herald_domain_unlock();
}
