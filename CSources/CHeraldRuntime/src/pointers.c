/* The hash set of pointers.h. Ordering: callers have a lock of their own. Ownership: the owner of the set frees
 * `places` when it no longer needs the set. */
#include "pointers.h"

#include <stdlib.h>

enum { SMALLEST = 8 };

/* The place at which the search for an item begins. This works for any capacity. If a capacity had to be a power of
 * two, large tables would often be half empty. */
static uint32_t home_of(const struct herald_swift_pointers *pointers, uint64_t hash) {
    return (uint32_t)((uint64_t)(uint32_t)hash * pointers->capacity >> 32);
}

static void put(struct herald_swift_pointers *pointers, void *item) {
    uint32_t at = home_of(pointers, pointers->hash(item));
    while (pointers->places[at]) at = herald_swift_pointers_after(pointers, at);
    pointers->places[at] = item;
}

static bool resize(struct herald_swift_pointers *pointers, uint32_t capacity) {
    void **places = calloc(capacity, sizeof *places), **old = pointers->places;
    uint32_t old_capacity = pointers->capacity;
    if (!places) return false;
    pointers->places = places;
    pointers->capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i]) put(pointers, old[i]);
    free(old);
    return true;
}

bool herald_swift_pointers_reserve(struct herald_swift_pointers *pointers) {
    uint64_t wanted = (uint64_t)pointers->count + pointers->reserved + 1;
    uint64_t capacity = pointers->capacity ? pointers->capacity : SMALLEST;
    while (wanted * 4 > capacity * 3) capacity += capacity / 2;
    if (capacity > UINT32_MAX / 2) return false;
    if (capacity != pointers->capacity && !resize(pointers, (uint32_t)capacity)) return false;
    pointers->reserved++;
    return true;
}

void herald_swift_pointers_unreserve(struct herald_swift_pointers *pointers) { pointers->reserved--; }

void herald_swift_pointers_insert(struct herald_swift_pointers *pointers, void *item) {
    put(pointers, item);
    pointers->count++;
    pointers->reserved--;
}

void **herald_swift_pointers_find(const struct herald_swift_pointers *pointers, uint64_t hash,
                                  bool (*matches)(const void *item, const void *key), const void *key) {
    if (!pointers->capacity) return NULL;
    for (uint32_t at = home_of(pointers, hash); pointers->places[at]; at = herald_swift_pointers_after(pointers, at))
        if (matches(pointers->places[at], key)) return &pointers->places[at];
    return NULL;
}

static bool is_item(const void *item, const void *key) { return item == key; }

void **herald_swift_pointers_place(const struct herald_swift_pointers *pointers, const void *item) {
    return herald_swift_pointers_find(pointers, pointers->hash(item), is_item, item);
}

/* How many steps lead from `from` to `to`. The first place follows the last one. */
static uint32_t distance(const struct herald_swift_pointers *pointers, uint32_t from, uint32_t to) {
    return to >= from ? to - from : to + (pointers->capacity - from);
}

void herald_swift_pointers_remove(struct herald_swift_pointers *pointers, void **place) {
    uint32_t hole = (uint32_t)(place - pointers->places);
    for (uint32_t at = herald_swift_pointers_after(pointers, hole); pointers->places[at];
         at = herald_swift_pointers_after(pointers, at)) {
        uint32_t home = home_of(pointers, pointers->hash(pointers->places[at]));
        if (distance(pointers, home, at) < distance(pointers, hole, at)) continue; /* its home comes after the hole */
        pointers->places[hole] = pointers->places[at];
        hole = at;
    }
    pointers->places[hole] = NULL;
    pointers->count--;
    if (pointers->capacity > SMALLEST && pointers->count + pointers->reserved < pointers->capacity / 8)
        resize(pointers, pointers->capacity / 2); /* if memory is out, the capacity stays as it is */
}
