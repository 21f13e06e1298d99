/* Lists the copies of the library in the process, for people (R22).
 *
 * Ordering: A copy's `first` is stored once, with release (first.c).
 * Progress: Bounded.
 * Ownership: What is reported of a copy is written down under the dynamic linker's lock, because the program or library
 * that contains the copy may be unloaded later. `visit` runs without that lock.
 */
#include "first.h"
#include "order.h"
#include "pin.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

enum { COPIES = 32 };
struct seen {
    char path[256], version[20];
    const struct herald_copy *first;
    bool is_own, is_first;
};
struct seen_all {
    struct seen at[COPIES];
    size_t count;
    bool own;
};

static bool write_down(void *context, struct herald_copy *copy, const struct dl_phdr_info *object) {
    struct seen_all *all = context;
    bool is_own = herald_first_is_own(copy);
    if (all->count + (is_own || all->own ? 0 : 1) >= COPIES) return true; /* the last place is for this copy */
    struct seen *seen = &all->at[all->count++];
    snprintf(seen->path, sizeof seen->path, "%s", object->dlpi_name ? object->dlpi_name : "");
    snprintf(seen->version, sizeof seen->version, "%.*s", (int)sizeof copy->version, copy->version);
    seen->first = load_acquire(&copy->first);
    seen->is_own = is_own;
    seen->is_first = seen->first == copy;
    all->own |= is_own;
    return true;
}

size_t HeraldVisitCopies(bool (*visit)(void *context, const HeraldCopyInfo *info), void *context) {
    herald_first_elsewhere(); /* so that this copy has found out whose centers it uses */
    struct seen_all all = {.count = 0};
    herald_first_visit(write_down, &all);
    const struct herald_copy *first = NULL;
    for (size_t i = 0; i < all.count; i++)
        if (all.at[i].is_own) first = all.at[i].first;
    HeraldCopyInfo info = {.size = sizeof info, .namespaceNumber = herald_pin_namespace()};
    size_t came = 0;
    for (bool more = visit != NULL; more && came < all.count; came++) {
        const struct seen *seen = &all.at[came];
        info.path = seen->path;
        info.version = seen->version;
        info.isAsked = seen->is_own;
        info.isFirst = seen->is_first;
        info.isShared = first && seen->first == first;
        more = visit(context, &info);
    }
    return came;
}
