/* The store of a center's slots: chunks of 8, 8, 16, 32, ... 512 and then 1024 slots, so that a small center is small
 * and a large one wastes little.
 *
 * Ordering. A directory is published with release when it is complete; partner: the acquire in herald_slots_at.
 * Progress. Taking and recycling are O(1), amortised. Ownership. The center's lock; see slot.h.
 */
#include "slot.h"
#include "memory.h"

enum { FIRST = 8, LARGEST = 1024, SMALL_CHUNKS = 8 /* together 1024 slots */ };

static uint32_t chunk_of(uint32_t index) {
    if (index >= LARGEST) return SMALL_CHUNKS + index / LARGEST - 1;
    return index < FIRST ? 0 : (uint32_t)(31 - __builtin_clz(index)) - 2;
}

static uint32_t chunk_start(uint32_t chunk) {
    if (chunk >= SMALL_CHUNKS) return (chunk - SMALL_CHUNKS + 1) * LARGEST;
    return chunk == 0 ? 0 : (uint32_t)FIRST << (chunk - 1);
}

struct herald_slot *herald_slots_at(const struct herald_slots *slots, uint32_t number) {
    uint32_t index = number - 1, chunk = chunk_of(index);
    const struct herald_slot_directory *directory = load_acquire(&slots->directory); /* partner: enlarge() */
    return &directory->chunks[chunk][index - chunk_start(chunk)];
}

struct herald_slot *herald_slots_find(const struct herald_slots *slots, uint64_t registration) {
    uint32_t number = (uint32_t)registration;
    if (number == 0 || number > slots->used) return NULL;
    struct herald_slot *slot = herald_slots_at(slots, number);
    return slot->generation == registration >> 32 ? slot : NULL;
}

static bool enlarge(struct herald_slots *slots) {
    struct herald_slot_directory *smaller = slots->directory;
    uint32_t room = smaller ? smaller->room * 2 : 4;
    struct herald_slot_directory *larger = malloc(sizeof *larger + room * sizeof *larger->chunks);
    if (!larger) return false;
    larger->smaller = smaller;
    larger->room = room;
    if (smaller) memcpy(larger->chunks, smaller->chunks, smaller->room * sizeof *smaller->chunks);
    store_release(&slots->directory, larger);
    return true;
}

static bool grow(struct herald_slots *slots) {
    uint32_t chunk = slots->chunk_count;
    if ((!slots->directory || chunk == slots->directory->room) && !enlarge(slots)) return false;
    uint32_t size = chunk_start(chunk + 1) - chunk_start(chunk);
    slots->directory->chunks[chunk] = herald_allocate_lines(size * sizeof(struct herald_slot));
    if (!slots->directory->chunks[chunk]) return false;
    slots->chunk_count++;
    return true;
}

struct herald_slot *herald_slots_take(struct herald_slots *slots) {
    for (;;) {
        if (!slots->free) {
            herald_domain_lock();
            slots->free = slots->recycled;
            slots->recycled = 0;
            herald_domain_unlock();
        }
        if (!slots->free) break;
        struct herald_slot *slot = herald_slots_at(slots, slots->free);
        slots->free = slot->next;
        if (slot->generation == UINT32_MAX) continue; /* worn out: never used again, so that no token comes back */
        if (herald_does(GENERATION)) slot->generation++;
        return slot;
    }
    if (slots->used == UINT32_MAX - 1) return NULL;
    if (slots->used == chunk_start(slots->chunk_count) && !grow(slots)) return NULL;
    struct herald_slot *slot = herald_slots_at(slots, slots->used + 1);
    slot->self = ++slots->used;
    slot->generation = 1;
    return slot;
}

void herald_slots_recycle(struct herald_slots *slots, struct herald_slot *slot) {
    slot->orphan = 0;
    store_relaxed(&slot->state, HERALD_RELEASED); /* a late waiter with an old token has nothing to wait for */
    slot->next = slots->recycled;
    slots->recycled = slot->self;
}

static const struct herald_slots_owner *end_of; /* atomic: that of every center */

void herald_slots_create(struct herald_slots *slots, const struct herald_slots_owner *owner) {
    store_relaxed(&end_of, owner); /* stale is harmless: it is always the same */
    slots->references = 1;
}

void herald_slots_retain(struct herald_slots *slots) {
    herald_domain_lock();
    slots->references++;
    herald_domain_unlock();
}

void herald_slots_release(struct herald_slots *slots) {
    herald_domain_lock();
    bool last = --slots->references == 0;
    if (last) load_relaxed(&end_of)->unlink(slots);
    herald_domain_unlock();
    if (last) load_relaxed(&end_of)->destroy(slots);
}

void herald_slots_destroy(struct herald_slots *slots) {
    for (uint32_t i = 0; i < slots->chunk_count; i++) free(slots->directory->chunks[i]);
    for (struct herald_slot_directory *smaller; slots->directory; slots->directory = smaller) {
        smaller = slots->directory->smaller;
        free(slots->directory);
    }
}
