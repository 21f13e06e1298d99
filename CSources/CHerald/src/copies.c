/* Which copies of the library there are, for people (R22).
 *
 * Ordering. Whose centers a copy has is said once, with release. Progress. Bounded. Ownership. What is visited is
 * copied first: `visit` runs without the dynamic linker's lock.
 */
#include "first.h"
#include "order.h"
#include "pin.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

enum { COPIES = 32 };
struct seen {
    const struct herald_copy *copy;
    char path[256];
};
struct seen_all {
    struct seen at[COPIES];
    size_t count;
};

static bool write_down(void *context, struct herald_copy *copy, const struct dl_phdr_info *object) {
    struct seen_all *all = context;
    struct seen *seen = &all->at[all->count++];
    seen->copy = copy;
    snprintf(seen->path, sizeof seen->path, "%s", object->dlpi_name ? object->dlpi_name : "");
    return all->count < COPIES;
}

size_t HeraldVisitCopies(bool (*visit)(void *context, const HeraldCopyInfo *info), void *context) {
    herald_first_elsewhere(); /* this one has found out whose centers it has */
    struct seen_all all = {.count = 0};
    const struct herald_copy *own = herald_first_own();
    herald_first_visit(write_down, &all);
    size_t came = 0;
    for (bool more = visit != NULL; more && came < all.count; came++) {
        const struct herald_copy *copy = all.at[came].copy;
        const struct herald_copy *first = load_acquire(&copy->first);
        HeraldCopyInfo info = {.size = sizeof info, .path = all.at[came].path, .version = copy->version};
        info.isAsked = copy == own;
        info.isFirst = first == copy;
        info.isShared = copy == own || (first && own && first == load_acquire(&own->first));
        info.namespaceNumber = herald_pin_namespace();
        more = visit(context, &info);
    }
    return came;
}
