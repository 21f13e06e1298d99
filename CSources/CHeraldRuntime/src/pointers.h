/* A hash set of pointers, with open addressing. Items and reserved places fill at most three quarters of the set. If
 * less than an eighth is filled after a removal, the capacity is halved. */
#ifndef HERALD_SWIFT_POINTERS_H
#define HERALD_SWIFT_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

struct herald_swift_pointers {
    void **places; /* an entry is an item, or NULL for an empty place */
    uint32_t count, capacity;
    uint32_t reserved; /* places that are kept for items to be inserted later */
    uint64_t (*hash)(const void *item);
};

static inline uint64_t herald_swift_mix(uint64_t bits) {
    unsigned __int128 product = (unsigned __int128)bits * 0x9e3779b97f4a7c15u;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* The place after `at`. The first place follows the last one. */
static inline uint32_t herald_swift_pointers_after(const struct herald_swift_pointers *pointers, uint32_t at) {
    return at + 1 < pointers->capacity ? at + 1 : 0;
}

/* Reserves room for one more item, to be inserted or unreserved later. False when memory is out. */
bool herald_swift_pointers_reserve(struct herald_swift_pointers *pointers);
void herald_swift_pointers_unreserve(struct herald_swift_pointers *pointers);
/* Inserts an item into room that was reserved. */
void herald_swift_pointers_insert(struct herald_swift_pointers *pointers, void *item);
/* The place of the item that matches the key; NULL when no item matches. */
void **herald_swift_pointers_find(const struct herald_swift_pointers *pointers, uint64_t hash,
                                  bool (*matches)(const void *item, const void *key), const void *key);
/* The place of this item; NULL when the item is not in the set. */
void **herald_swift_pointers_place(const struct herald_swift_pointers *pointers, const void *item);
void herald_swift_pointers_remove(struct herald_swift_pointers *pointers, void **place);

#endif
