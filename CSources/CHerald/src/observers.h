/* A table from observers to their registrations, for removal by observer. Only writers use it, under the center's
 * lock. */
#ifndef HERALD_OBSERVERS_H
#define HERALD_OBSERVERS_H

#include "slot.h"

struct herald_observers {
    struct herald_observer_entry {
        uint32_t hash;
        uint32_t first; /* the number of the observer's newest slot; 0: the place is free */
    } * entries;
    uint32_t count;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t found;    /* the place of the last look-up or insertion; most removals find their entry there */
};

HERALD_BEGIN
/* Makes room for one more observer, before an insertion; returns false when memory is out. */
bool herald_observers_reserve(struct herald_observers *observers);
void herald_observers_insert(struct herald_observers *observers, const struct herald_slots *slots,
                             struct herald_slot *slot);
void herald_observers_remove(struct herald_observers *observers, const struct herald_slots *slots,
                             struct herald_slot *slot);
/* Shrinks the table. Call it when herald_observers_are_few is true. */
void herald_observers_trim(struct herald_observers *observers);
/* Empties the table and frees its memory. A look-up afterwards finds nothing. */
void herald_observers_forget_all(struct herald_observers *observers);
static inline bool herald_observers_are_few(const struct herald_observers *observers) {
    return observers->capacity > 64 && observers->count <= observers->capacity / 16;
}
/* Returns the number of the observer's newest slot, or 0 if the observer has no slot. Each slot's `next` leads to the
 * next older one. */
uint32_t herald_observers_find(struct herald_observers *observers, const struct herald_slots *slots,
                               const void *observer);
HERALD_END
#endif
