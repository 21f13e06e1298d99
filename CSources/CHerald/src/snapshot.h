/* A snapshot: the registrations of one bucket, in their order, as posters see them. The scheme: copy on write, except
 * that the writer appends in place.
 *
 * The writer has the center's lock. It appends entries in place while there is room. When a registration ends, the
 * writer overwrites the registration's entry with the tombstone. Entries change in no other way. So a poster that has
 * read the count may read that many entries for as long as it pins the snapshot. An entry may become the tombstone
 * after the poster has read it. So the poster reads an entry once, and uses the same value for its hazard pointer and
 * for the call. A snapshot is replaced when it is full, or when a quarter of it is dead.
 *
 * The retired snapshots of a bucket and its current snapshot form a list from old to new (domain's lock). A dead slot
 * is the slot of a registration that has ended. It belongs to the newest snapshot that listed it. When that snapshot is
 * freed, the next older snapshot may still be pinned. If the older snapshot lists the slot, too, the slot passes to it.
 * So if a callback never returns, the only slots that cannot be used again are those in its post's own snapshots.
 */
#ifndef HERALD_SNAPSHOT_H
#define HERALD_SNAPSHOT_H

#include "reclaim.h"
#include "slot.h"

/* The bits of the word `ends`, which is atomic and is written under the center's lock. Each time that a registration of
 * the snapshot ends, the word grows by HERALD_END_ONE. HERALD_ENDING is set while an entry becomes the tombstone.
 * HERALD_REPLACED is set when another snapshot has become current, and from then on the word counts nothing more.
 * HERALD_BLOCKS is set while a registration of the snapshot is blocked. Walks then read each slot's state.
 *
 * A remover changes the word before the slot's state, and so before its barrier. A walk sets its hazard pointer to a
 * slot, and then reads the word. If the word is still what it was when the walk began, the walk may call the slot,
 * which is then ACTIVE or the tombstone. */
enum { HERALD_REPLACED = 1, HERALD_ENDING = 2, HERALD_BLOCKS = 4, HERALD_END_ONE = 8 };

struct herald_snapshot {
    union {
        struct herald_retired retired; /* the first member. Its `word` is the number of the first dead slot; the others
                                          follow by `next_dead`. Center's lock before the snapshot is retired, domain's
                                          lock after that */
        uint32_t capacity;             /* until it is retired */
    };
    struct herald_slots *slots;
    struct herald_snapshot *older, *newer; /* domain's lock */
    uint64_t last;                         /* no entry has a later sequence */
    /* Posters read these fields, which lie together: */
    uint32_t ends;
    uint32_t count;                /* atomic: how many entries posters may read */
    struct herald_slot *entries[]; /* atomic */
};
herald_static_assert(offsetof(struct herald_snapshot, ends) == HERALD_LINE - 8, "what posters read is at the end");

/* Acquire: a walk reads the ends before the entries. Partner: the release in herald_snapshot_bury. */
HERALD_INLINE uint32_t herald_snapshot_ends(const struct herald_snapshot *snapshot) {
    return HERALD_STEP(ENDS_ACQUIRE) ? load_acquire(&snapshot->ends) : load_relaxed(&snapshot->ends);
}

HERALD_BEGIN
/* The tombstone stands for a registration that has ended, so that posters need not fetch the line of the ended slot.
 * The tombstone is not ACTIVE, and its sequence, 0, is before all others. Its callback does nothing, because a walk
 * over several registrations may call it. */
extern struct herald_slot herald_tombstone; /* never written to */

/* Returns an empty snapshot, or NULL when memory is out. */
struct herald_snapshot *herald_snapshot_create(struct herald_slots *slots, uint32_t capacity);
/* Makes an empty snapshot in the caller's memory. */
void herald_snapshot_begin(struct herald_snapshot *snapshot, struct herald_slots *slots, uint32_t capacity);

/* Under the center's lock: overwrites the slot's entry with the tombstone, and puts the slot into the snapshot's list
 * of dead slots. */
void herald_snapshot_bury(struct herald_snapshot *snapshot, struct herald_slot *slot);

/* Copies the living entries of `old` to `fresh`, which has room for them. No entry before `first_dead` is dead. */
void herald_snapshot_copy(const struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t first_dead);

/* Retires the snapshot `old`, which posters can no longer find. `fresh` is the snapshot that was published in its
 * place, or NULL. `dead` is the number of dead slots in `old`. `kind` is herald_snapshot_kind if `old` comes from
 * herald_snapshot_create. The `unlink` of any other kind must be herald_snapshot_unlink, and its `destroy` must give up
 * one reference to `slots`. */
void herald_snapshot_retire(struct herald_snapshot *old, struct herald_snapshot *fresh, uint32_t dead,
                            const struct herald_retired_kind *kind);
void herald_snapshot_unlink(struct herald_retired *item);
extern const struct herald_retired_kind herald_snapshot_kind;
HERALD_END
#endif
