/* A hash table of elements of the caller's, with open addressing and linear probing. A removal leaves no mark: it moves
 * later elements up. Elements and reserved places fill at most three quarters of the table. If less than an eighth is
 * filled after a removal, the table shrinks.
 *
 * Ordering: One thread at a time uses a table, under a lock of the caller's. Except: if `is_read_without_lock`, any
 * thread may call ground_table_get, and the table never removes an element. Then an element is complete before it is
 * published, and places are complete before they are published (release; partner: the acquire of ground_table_find).
 * Ownership: The table owns its places and not the elements. Places that threads may still read stay when the table
 * grows; all old ones together are smaller than twice the newest.
 */
#ifndef HERALD_GROUND_TABLE_H
#define HERALD_GROUND_TABLE_H

#include "ground.h"
#include <stdlib.h>

struct ground_places {
    struct ground_places *older; /* places that threads may still read */
    uint32_t capacity;
    void *at[]; /* NULL: the place is free */
};

struct ground_table {
    struct ground_places *places; /* NULL: nothing was ever reserved */
    uint32_t count, reserved;     /* elements; places that are kept for elements to be inserted later */
    bool is_read_without_lock;
    uint64_t (*hash)(const void *element); /* well mixed in its low 32 bits */
};

enum { GROUND_TABLE_FIRST = 8 };

/* Mixes the bits of a number, for example of an address. Another program may choose numbers that collide. */
static inline uint64_t ground_mix(uint64_t bits) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)bits * UINT64_C(0x9e3779b97f4a7c15);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* The place at which the search for an element begins. This works for any capacity. If a capacity had to be a power of
 * two, large tables would often be half empty. */
static inline uint32_t ground_places_home(const struct ground_places *places, uint64_t hash) {
    return (uint32_t)((uint64_t)(uint32_t)hash * places->capacity >> 32);
}

/* The place after `at`. The first place follows the last one. */
static inline uint32_t ground_places_after(const struct ground_places *places, uint32_t at) {
    return at + 1 < places->capacity ? at + 1 : 0;
}

static inline void ground_places_put(struct ground_places *places, uint64_t hash, void *element) {
    uint32_t at = ground_places_home(places, hash);
    while (places->at[at]) at = ground_places_after(places, at);
    __atomic_store_n(&places->at[at], element, __ATOMIC_RELEASE);
}

/* How many places the table has. */
static inline uint32_t ground_table_capacity(const struct ground_table *table) {
    return table->places ? table->places->capacity : 0;
}

static inline bool ground_table_resize(struct ground_table *table, uint32_t capacity) {
    struct ground_places *old = table->places, *places;
    places = (struct ground_places *)calloc(1, sizeof *places + capacity * sizeof places->at[0]);
    if (!places) return false;
    places->capacity = capacity;
    for (uint32_t i = 0; old && i < old->capacity; i++)
        if (old->at[i]) ground_places_put(places, table->hash(old->at[i]), old->at[i]);
    __atomic_store_n(&table->places, places, __ATOMIC_RELEASE);
    if (table->is_read_without_lock) {
        places->older = old;
    } else {
        free(old);
    }
    return true;
}

/* Reserves a place for one more element, to be inserted or unreserved later. False when memory is out. */
static inline bool ground_table_reserve(struct ground_table *table) {
    uint64_t wanted = (uint64_t)table->count + table->reserved + 1;
    uint64_t before = ground_table_capacity(table), capacity = before ? before : GROUND_TABLE_FIRST;
    while (wanted * 4 > capacity * 3) capacity += capacity / 2;
    if (capacity > UINT32_MAX / 2) return false;
    if (capacity != before && !ground_table_resize(table, (uint32_t)capacity)) return false;
    table->reserved++;
    return true;
}

static inline void ground_table_unreserve(struct ground_table *table) { table->reserved--; }

/* Inserts an element into a place that was reserved. */
static inline void ground_table_insert(struct ground_table *table, void *element) {
    ground_places_put(table->places, table->hash(element), element);
    table->count++;
    table->reserved--;
}

/* The place of the element that matches the key; NULL when none does. */
HERALD_INLINE void **ground_table_find(const struct ground_table *table, uint64_t hash,
                                       bool (*matches)(const void *element, const void *key), const void *key) {
    struct ground_places *places = __atomic_load_n(&table->places, __ATOMIC_ACQUIRE);
    if (herald_unlikely(!places)) return NULL;
    for (uint32_t at = ground_places_home(places, hash);; at = ground_places_after(places, at)) {
        const void *element = __atomic_load_n(&places->at[at], __ATOMIC_ACQUIRE);
        if (!element) return NULL;
        if (matches(element, key)) return &places->at[at];
    }
}

/* The element that matches the key; NULL when none does. */
HERALD_INLINE void *ground_table_get(const struct ground_table *table, uint64_t hash,
                                     bool (*matches)(const void *element, const void *key), const void *key) {
    void **place = ground_table_find(table, hash, matches, key);
    return place ? *place : NULL;
}

static inline bool ground_table_is_element(const void *element, const void *key) { return element == key; }

/* The place of this element; NULL when it is not in the table. */
static inline void **ground_table_place(const struct ground_table *table, const void *element) {
    return ground_table_find(table, table->hash(element), ground_table_is_element, element);
}

/* How many steps lead from `from` to `to`. */
static inline uint32_t ground_places_distance(const struct ground_places *places, uint32_t from, uint32_t to) {
    return to >= from ? to - from : to + (places->capacity - from);
}

static inline void ground_table_remove(struct ground_table *table, void **place) {
    struct ground_places *places = table->places;
    uint32_t hole = (uint32_t)(place - places->at);
    for (uint32_t at = ground_places_after(places, hole); places->at[at]; at = ground_places_after(places, at)) {
        uint32_t home = ground_places_home(places, table->hash(places->at[at]));
        if (ground_places_distance(places, home, at) < ground_places_distance(places, hole, at))
            continue; /* its home comes after the hole */
        places->at[hole] = places->at[at];
        hole = at;
    }
    places->at[hole] = NULL;
    table->count--;
    if (places->capacity > GROUND_TABLE_FIRST && table->count + table->reserved < places->capacity / 8)
        ground_table_resize(table, places->capacity / 2); /* if memory is out, the table stays as it is */
}

/* The next element at or after place `*at`, which moves on; NULL at the end. Begin with 0. While the walk goes on, no
 * element is inserted or removed. */
static inline void *ground_table_next(const struct ground_table *table, uint32_t *at) {
    while (*at < ground_table_capacity(table)) {
        void *element = table->places->at[(*at)++];
        if (element) return element;
    }
    return NULL;
}

/* The element at place `*at`; NULL if there is none. Moves `*at` on, from the last place to the first. */
static inline void *ground_table_turn(const struct ground_table *table, uint32_t *at) {
    uint32_t capacity = ground_table_capacity(table);
    if (*at >= capacity) *at = 0;
    return capacity ? table->places->at[(*at)++] : NULL;
}

/* Frees the places, for a table that is not read without a lock. The table is empty then, and may be used again. */
static inline void ground_table_clear(struct ground_table *table) {
    free(table->places);
    table->places = NULL;
    table->count = table->reserved = 0;
}

/* Adds an element that malloc has made, and returns it. If memory is out, frees the element and returns NULL. Does
 * nothing for NULL. */
static inline void *ground_table_add(struct ground_table *table, void *element) {
    if (element && ground_table_reserve(table)) {
        ground_table_insert(table, element);
        return element;
    }
    free(element);
    return NULL;
}

/* Frees all elements, which malloc has made, and the places. The table is empty then, and may be used again. */
static inline void ground_table_destroy(struct ground_table *table) {
    uint32_t at = 0;
    for (void *element; (element = ground_table_next(table, &at));) free(element);
    ground_table_clear(table);
}

#endif
