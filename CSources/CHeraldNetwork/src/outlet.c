/* Ordering, ownership: The center's lock. An outlet's name and subject never change. Progress: O(1), amortised. */
#include "outlet.h"
#include <stdlib.h>
#include <string.h>

static struct herald_net_outlet **outlet_chain(const struct herald_net_outlets *outlets, HeraldNameRef name) {
    uint64_t mixed = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;
    return &outlets->chains[(mixed >> 32) & (outlets->room - 1)];
}

struct herald_net_outlet *herald_net_outlets_find(const struct herald_net_outlets *outlets, HeraldNameRef name) {
    struct herald_net_outlet *outlet = outlets->room ? *outlet_chain(outlets, name) : NULL;
    while (outlet && outlet->name != name) outlet = outlet->next;
    return outlet;
}

static bool grow_outlets(struct herald_net_outlets *outlets) {
    struct herald_net_outlets larger = {.room = outlets->room ? outlets->room * 2 : 16, .count = outlets->count};
    larger.chains = calloc(larger.room, sizeof(struct herald_net_outlet *));
    if (!larger.chains) return outlets->room != 0;
    for (uint32_t i = 0; i < outlets->room; i++) {
        for (struct herald_net_outlet *outlet = outlets->chains[i], *next; outlet; outlet = next) {
            next = outlet->next;
            struct herald_net_outlet **chain = outlet_chain(&larger, outlet->name);
            outlet->next = *chain;
            *chain = outlet;
        }
    }
    free(outlets->chains);
    *outlets = larger;
    return true;
}

struct herald_net_outlet *herald_net_outlets_obtain(struct herald_net_outlets *outlets, HeraldNameRef name,
                                                    const char *subject) {
    struct herald_net_outlet *outlet = herald_net_outlets_find(outlets, name);
    if (outlet) return outlet;
    if (outlets->count >= outlets->room && !grow_outlets(outlets)) return NULL;
    size_t length = strlen(subject);
    outlet = malloc(sizeof *outlet + length + 1);
    if (!outlet) return NULL;
    struct herald_net_outlet **chain = outlet_chain(outlets, name);
    *outlet = (struct herald_net_outlet){.name = name, .next = *chain};
    memcpy(outlet->subject, subject, length + 1);
    *chain = outlet;
    outlets->count++;
    return outlet;
}

void herald_net_outlets_destroy(struct herald_net_outlets *outlets) {
    for (uint32_t i = 0; i < outlets->room; i++) {
        for (struct herald_net_outlet *outlet = outlets->chains[i], *next; outlet; outlet = next) {
            next = outlet->next;
            free(outlet);
        }
    }
    free(outlets->chains);
}
