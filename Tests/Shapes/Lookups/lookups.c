/* Replaces the functions with which Swift's runtime looks up generic types, in the program that it is linked into, and
 * counts. Code that was compiled for one type looks up none. */
#define _GNU_SOURCE
#include "lookups.h"
#include <dlfcn.h>
#include <stddef.h>

#define SWIFT __attribute__((swiftcall))

struct response {
    const void *type;
    size_t state;
};
typedef SWIFT struct response find_type(size_t request, const void *const *arguments, const void *description);
typedef SWIFT struct response find_pair(size_t request, const void *one, const void *other, const char *labels,
                                        const void *witnesses);

find_type swift_getGenericMetadata;
find_pair swift_getTupleTypeMetadata2;

static unsigned long count;

static void one_more(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

unsigned long lookups(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

SWIFT struct response swift_getGenericMetadata(size_t request, const void *const *arguments, const void *description) {
    one_more();
    return ((find_type *)dlsym(RTLD_NEXT, "swift_getGenericMetadata"))(request, arguments, description);
}

SWIFT struct response swift_getTupleTypeMetadata2(size_t request, const void *one, const void *other,
                                                  const char *labels, const void *witnesses) {
    one_more();
    return ((find_pair *)dlsym(RTLD_NEXT, "swift_getTupleTypeMetadata2"))(request, one, other, labels, witnesses);
}
