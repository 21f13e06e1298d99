/* An open-addressing table with linear probing. A removal leaves no mark: it moves later entries up. A place takes 8
 * bytes. A table that has just doubled is 3/8 full, so an observer takes at most 22 bytes, except in the smallest table
 * and after removals.
 */
#include "observers.h"
#include "table.h"

#include <stdlib.h>

static uint32_t hash_of(const void *observer) { return (uint32_t)herald_mix((uint64_t)(uintptr_t)observer, 1); }

enum { SMALLEST = 8 };

static bool resize(struct herald_observers *observers, uint32_t capacity) {
    struct herald_observer_entry *entries = calloc(capacity, sizeof *entries);
    if (!entries) return false;
    for (uint32_t i = 0; i < observers->capacity; i++) {
        if (!observers->entries[i].first) continue;
        uint32_t at = observers->entries[i].hash & (capacity - 1);
        while (entries[at].first) at = (at + 1) & (capacity - 1);
        entries[at] = observers->entries[i];
    }
    free(observers->entries);
    observers->entries = entries;
    observers->capacity = capacity;
    return true;
}

bool herald_observers_reserve(struct herald_observers *observers) {
    if (observers->count + 1 <= observers->capacity / 4 * 3) return true;
    return resize(observers, observers->capacity ? observers->capacity * 2 : SMALLEST);
}

void herald_observers_trim(struct herald_observers *observers) {
    resize(observers, observers->capacity / 4); /* if memory is out, the table stays as it is */
}

void herald_observers_forget_all(struct herald_observers *observers) {
    free(observers->entries);
    observers->entries = NULL;
    observers->count = observers->capacity = 0;
}

/* Returns the place of the observer's entry, or the free place where it belongs. */
static struct herald_observer_entry *place(struct herald_observers *observers, const struct herald_slots *slots,
                                           const void *observer, uint32_t hash) {
    uint32_t mask = observers->capacity - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        struct herald_observer_entry *entry = &observers->entries[at];
        if (entry->first && (entry->hash != hash || herald_slots_at(slots, entry->first)->observer != observer))
            continue;
        observers->found = at;
        return entry;
    }
}

/* Returns the entry whose `first` is this slot. */
static struct herald_observer_entry *place_of(struct herald_observers *observers, const struct herald_slots *slots,
                                              const struct herald_slot *slot) {
    if (observers->found < observers->capacity && observers->entries[observers->found].first == slot->self)
        return &observers->entries[observers->found];
    return place(observers, slots, slot->observer, hash_of(slot->observer));
}

uint32_t herald_observers_find(struct herald_observers *observers, const struct herald_slots *slots,
                               const void *observer) {
    if (!observers->count) return 0;
    return place(observers, slots, observer, hash_of(observer))->first;
}

void herald_observers_insert(struct herald_observers *observers, const struct herald_slots *slots,
                             struct herald_slot *slot) {
    uint32_t hash = hash_of(slot->observer);
    struct herald_observer_entry *entry = place(observers, slots, slot->observer, hash);
    slot->previous = 0;
    slot->next = entry->first;
    if (entry->first) {
        herald_slots_at(slots, entry->first)->previous = slot->self;
    } else {
        entry->hash = hash;
        observers->count++;
    }
    entry->first = slot->self;
}

/* Frees a place, and fills the gap with later entries that a look-up would no longer find. */
static void free_place(struct herald_observers *observers, uint32_t at) {
    uint32_t mask = observers->capacity - 1;
    for (uint32_t next = (at + 1) & mask; observers->entries[next].first; next = (next + 1) & mask) {
        uint32_t home = observers->entries[next].hash & mask;
        if (((next - home) & mask) < ((next - at) & mask)) continue; /* a look-up of this entry begins after the gap */
        observers->entries[at] = observers->entries[next];
        at = next;
    }
    observers->entries[at].first = 0;
    observers->count--;
}

void herald_observers_remove(struct herald_observers *observers, const struct herald_slots *slots,
                             struct herald_slot *slot) {
    if (slot->next) herald_slots_at(slots, slot->next)->previous = slot->previous;
    if (slot->previous) {
        herald_slots_at(slots, slot->previous)->next = slot->next;
        return;
    }
    struct herald_observer_entry *entry = place_of(observers, slots, slot);
    if (slot->next) {
        entry->first = slot->next;
    } else {
        free_place(observers, (uint32_t)(entry - observers->entries));
    }
}
