/* A set that is read without a lock: Concurrency Kit's ck_hs.
 *
 * One writer at a time (the owner's lock); any number of readers, each inside a section or under that lock.
 */
#ifndef HERALD_TABLE_H
#define HERALD_TABLE_H

#include "order.h"

/* Compares an object with a key, or with another object that is being put into the table. */
typedef bool herald_table_equal(const void *stored, const void *key);

struct herald_table {
    uint64_t set[6]; /* a ck_hs_t, in place: readers fetch one line less */
};

HERALD_BEGIN
/* Makes an empty table, which takes no memory yet. Objects begin with their hash, a well-mixed uint64_t. False when
 * memory is out. */
bool herald_table_create(struct herald_table *table, herald_table_equal *equal);
void *herald_table_find(const struct herald_table *table, uint64_t hash, const void *key);
/* False when memory is out. */
bool herald_table_put(struct herald_table *table, uint64_t hash, const void *object);
/* The object must be in the table. The caller retires the object's memory and does not free it, because readers may
 * still see it. */
void herald_table_remove(struct herald_table *table, uint64_t hash, const void *object);
/* Empties the table, and returns what was in it: the caller visits that and then retires it. */
struct herald_table herald_table_take(struct herald_table *table);
void herald_table_retire(struct herald_table *taken);
/* Calls `visit` for every object; no other thread may use the table. */
void herald_table_visit(const struct herald_table *table, void (*visit)(void *object, void *context), void *context);

HERALD_INLINE uint64_t herald_fold(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* Whether the process's secret has been chosen. That happens once, before the first hash is made: whatever makes the
 * first table or name calls herald_table_prepare. */
extern bool herald_secret_is_chosen; /* atomic */
void herald_secret_choose(void);
HERALD_INLINE void herald_table_prepare(void) {
    if (herald_unlikely(!load_acquire(&herald_secret_is_chosen))) herald_secret_choose();
}

/* Mixes two words with the process's secret, so that no caller can choose names that collide (R13). The multipliers are
 * fixed: a secret one would spread badly if it happened to have few bits set. */
extern uint64_t herald_secret[2];
HERALD_INLINE uint64_t herald_mix(uint64_t a, uint64_t b) {
    uint64_t mixed = herald_fold(a ^ herald_secret[0], UINT64_C(0x9e3779b97f4a7c15));
    return herald_fold(mixed ^ b ^ herald_secret[1], UINT64_C(0xd1b54a32d192ed03));
}
HERALD_END
#endif
