/* Tags that somebody has described: a list that only grows, for a language has a few of them.
 *
 * Ordering. A description is complete before its release store into `described`; partner: the acquire load in
 * herald_tag_find. Without it a post could be kept by hooks that are not written yet.
 * Progress. Looking one up waits for nobody; only posts that a center's queue concerns do so.
 * Ownership. Descriptions live as long as the process.
 */
#include "tag.h"
#include "domain.h"
#include "memory.h"

#include <stdlib.h>

struct description {
    struct description *next;
    const void *tag;
    HeraldTagOptions options;
};

static struct description *described; /* atomic; written under the domain's lock */

const HeraldTagOptions *herald_tag_find(const void *tag) {
    struct description *at = tag ? load_acquire(&described) : NULL;
    while (at && at->tag != tag) at = at->next;
    return at ? &at->options : NULL;
}

HeraldStatus HeraldTagSetOptions(const void *tag, const HeraldTagOptions *options) {
    if (!tag || !options || !herald_size_is_possible(options, options->size, sizeof *options))
        return HeraldInvalidArgument;
    struct description *new = malloc(sizeof *new);
    if (!new) return HeraldOutOfMemory;
    new->tag = tag;
    new->options = *options;
    herald_domain_lock();
    bool known = herald_tag_find(tag) != NULL;
    if (!known) {
        new->next = described;
        store_release(&described, new);
    }
    herald_domain_unlock();
    if (known) free(new);
    return known ? HeraldInvalidArgument : HeraldOK;
}
