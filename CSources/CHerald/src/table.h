/* A set that is read without a lock: Concurrency Kit's ck_hs.
 *
 * One thread at a time writes, under the owner's lock. Any number of threads read, each in a read-side critical section
 * (thread.h) or under that lock.
 */
#ifndef HERALD_TABLE_H
#define HERALD_TABLE_H

#include "order.h"

/* Compares a stored object with a key, or with an object that is being put into the table. */
typedef bool herald_table_equal(const void *stored, const void *key);

struct herald_table {
    uint64_t set[6]; /* a ck_hs_t; it is not behind a pointer, so a reader fetches one line less */
};

HERALD_BEGIN
/* Makes an empty table. Each object must begin with its hash, a well-mixed uint64_t. All empty tables share one map,
 * which the first of them makes. Returns false when memory is out. */
bool herald_table_create(struct herald_table *table, herald_table_equal *equal);
void *herald_table_find(const struct herald_table *table, uint64_t hash, const void *key);
/* Returns false when memory is out. */
bool herald_table_put(struct herald_table *table, uint64_t hash, const void *object);
/* The object must be in the table. The caller retires the object and does not free it, because readers may still see
 * it. */
void herald_table_remove(struct herald_table *table, uint64_t hash, const void *object);
/* Empties the table, and returns its contents as another table. The caller visits that table and then retires it. */
struct herald_table herald_table_take(struct herald_table *table);
void herald_table_retire(struct herald_table *taken);
/* Calls `visit` for every object. No other thread may write to the table during the call. */
void herald_table_visit(const struct herald_table *table, void (*visit)(void *object, void *context), void *context);

HERALD_INLINE uint64_t herald_fold(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* Whether the secret of the hashes has been chosen. It is chosen once, before the first hash is made: a function that
 * makes a table or a name calls herald_table_prepare first. */
extern bool herald_secret_is_chosen; /* atomic */
void herald_secret_choose(void);
HERALD_INLINE void herald_table_prepare(void) {
    if (herald_unlikely(!load_acquire(&herald_secret_is_chosen))) herald_secret_choose();
}

/* Mixes two words with the secret, so that no caller can choose names that collide (R13). The multipliers are fixed,
 * because a random multiplier that happens to have few bits set would spread badly. */
extern uint64_t herald_secret[2];
HERALD_INLINE uint64_t herald_mix(uint64_t a, uint64_t b) {
    uint64_t mixed = herald_fold(a ^ herald_secret[0], UINT64_C(0x9e3779b97f4a7c15));
    return herald_fold(mixed ^ b ^ herald_secret[1], UINT64_C(0xd1b54a32d192ed03));
}
HERALD_END
#endif
