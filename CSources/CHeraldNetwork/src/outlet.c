/* Ordering, ownership: The center's lock. An outlet's name and subject never change. Progress: O(1), amortised. */
#include "outlet.h"
#include <string.h>

static uint64_t hash_outlet(const void *outlet) {
    return ground_mix((uintptr_t)((const struct herald_net_outlet *)outlet)->name);
}

static bool is_outlet_of(const void *outlet, const void *name) {
    return ((const struct herald_net_outlet *)outlet)->name == name;
}

void herald_net_outlets_create(struct ground_table *outlets) { outlets->hash = hash_outlet; }

struct herald_net_outlet *herald_net_outlets_find(const struct ground_table *outlets, HeraldNameRef name) {
    return ground_table_get(outlets, ground_mix((uintptr_t)name), is_outlet_of, name);
}

struct herald_net_outlet *herald_net_outlets_add(struct ground_table *outlets, HeraldNameRef name,
                                                 const char *subject) {
    size_t length = strlen(subject);
    struct herald_net_outlet *outlet = malloc(sizeof *outlet + length + 1);
    if (!outlet) return NULL;
    *outlet = (struct herald_net_outlet){.name = name};
    memcpy(outlet->subject, subject, length + 1);
    return ground_table_add(outlets, outlet);
}
