/* Looks whether Swift's runtime counts references as strong.h says: makes an instance, refers to it in each way, and
 * reads the words after each step. */
#include "strong.h"

#include "herald_runtime.h"

bool herald_swift_counts_are_known;

bool herald_swift_knows_counts(void) { return herald_swift_counts_are_known; }

#if COUNTS_MAY_BE_KNOWN

static bool is_as_expected; /* used by the one thread that looks */

/* Whether the word at `count` follows the references that are taken and given up. */
static bool follows(void *instance, const uint64_t *count) {
    enum { UNOWNED = 2 };
    const uint64_t bits = *count;
    if (bits >= COUNT_ONE || (bits & COUNT_DYING)) return false;
    bool all = swift_tryRetain(instance) == instance && *count == bits + COUNT_ONE;
    swift_retain(instance);
    all &= *count == bits + 2 * COUNT_ONE;
    swift_unownedRetain(instance);
    all &= *count == bits + 2 * COUNT_ONE + UNOWNED;
    swift_release(instance);
    swift_unownedRelease(instance);
    swift_release(instance);
    return all && *count == bits;
}

void herald_swift_counted_is_dying(const void *instance) {
    if (is_as_expected) is_as_expected = *herald_swift_table_count(instance) & COUNT_DYING;
}

void herald_swift_look_at_counts(const void *metadata) {
    void *instance = swift_allocObject(metadata, 2 * sizeof(void *), 15);
    const uint64_t *word = (uint64_t *)instance + 1;
    is_as_expected = !herald_swift_table_count(instance) && follows(instance, word);
    void *weak; /* as large as a reference (swift/ABI/HeapObject.h) */
    swift_weakInit(&weak, instance);
    if (is_as_expected) {
        const uint64_t *count = herald_swift_table_count(instance);
        is_as_expected = count && *word << 2 < (uint64_t)1 << 46 /* it is an address */ &&
                         *(void *const *)(count - 2) == instance && follows(instance, count);
    }
    swift_release(instance); /* its deinitializer calls herald_swift_counted_is_dying */
    swift_weakDestroy(&weak);
    herald_swift_counts_are_known = is_as_expected;
}

#else

void herald_swift_counted_is_dying(const void *instance) { (void)instance; }
void herald_swift_look_at_counts(const void *metadata) { (void)metadata; }

#endif
