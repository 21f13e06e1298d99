/* Retains an owner for a call, and releases it.
 *
 * swift_tryRetain and swift_release execute one locked instruction each. Once anybody has referred to an instance
 * weakly, its counts are in a side table, and each of the two executes two locked instructions of 16 bytes, the first
 * only to read (Swift 6.3 on x86-64). The functions below execute one of 8 bytes each. They change the strong count
 * alone, as the runtime does: by comparing and swapping the word that holds it. All else is the runtime's: they call it
 * when there is no side table, when the instance is being deinitialized, when the last reference is released, and when
 * the count is about to overflow.
 *
 * The word, and where it is, has been the same since Swift 5. It is not documented. So it is looked at before it is
 * used (strong.c), and if anything is not as it is written here, the runtime's functions are called. They are called
 * under the thread sanitizer, too, because they tell it who has released an instance, and on other processors: that
 * swaps of 8 and of 16 bytes at one place are atomic with each other is a promise of x86-64.
 */
#ifndef HERALD_SWIFT_STRONG_H
#define HERALD_SWIFT_STRONG_H

#include "ground.h"
#include "swift.h"

#if defined __x86_64__ && !__has_feature(thread_sanitizer)
#define COUNTS_MAY_BE_KNOWN 1
#else
#define COUNTS_MAY_BE_KNOWN 0
#endif

/* The bits of the word that has the strong count. All others belong to the runtime. */
#define COUNT_DYING ((uint64_t)1 << 32) /* the instance is being deinitialized */
#define COUNT_ONE ((uint64_t)1 << 33)   /* one strong reference; the first is not counted */
#define COUNT_OTHER ((uint64_t)1 << 63) /* there is no count here: only the runtime knows what to do */
/* If the two highest bits are set and the lowest is not, the others are the address of the side table, divided by 8. */
#define COUNT_HIGHEST ((uint64_t)3 << 62)

HERALD_HIDDEN
/* Written once, before the first center is made. */
extern bool herald_swift_counts_are_known;
HERALD_HIDDEN_END

/* The word with the strong count in the side table of an instance: the third of the table. NULL: there is no table.
 * The second word of the instance leads to it. Acquire: another thread may have made it. The table
 * lives as long as the memory of the instance. */
static inline uint64_t *herald_swift_table_count(const void *instance) {
    const uint64_t bits = __atomic_load_n((const uint64_t *)instance + 1, __ATOMIC_ACQUIRE);
    if (herald_likely(bits < COUNT_OTHER) || (bits & (COUNT_HIGHEST | 1)) != COUNT_HIGHEST) return NULL;
    return (uint64_t *)(uintptr_t)(bits << 3) + 2;
}

/* Returns NULL if the instance is being deinitialized, or has been. The caller's unowned reference keeps the memory.
 * `*count` is for the release. Ordering: that of swift_tryRetain, none. */
static inline void *herald_swift_try_retain(const void *instance, uint64_t **count) {
    *count = COUNTS_MAY_BE_KNOWN ? herald_swift_table_count(instance) : NULL;
    if (herald_likely(!*count) || !herald_swift_counts_are_known) {
        *count = NULL;
        return swift_tryRetain((void *)(uintptr_t)instance);
    }
    uint64_t bits = __atomic_load_n(*count, __ATOMIC_RELAXED);
    while (bits < COUNT_OTHER - COUNT_ONE && !(bits & COUNT_DYING)) {
        if (__atomic_compare_exchange_n(*count, &bits, bits + COUNT_ONE, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return (void *)(uintptr_t)instance;
    }
    return swift_tryRetain((void *)(uintptr_t)instance);
}

/* Ordering: that of swift_release. Release: what was done with the instance comes before its deinitialization. */
static inline void herald_swift_release(void *instance, uint64_t *count) {
    if (herald_likely(!count)) return swift_release(instance);
    uint64_t bits = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (bits >= COUNT_ONE && bits < COUNT_OTHER) {
        if (__atomic_compare_exchange_n(count, &bits, bits - COUNT_ONE, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
    }
    swift_release(instance);
}

#endif
