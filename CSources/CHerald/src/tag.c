/* Tags that have been described: a list that only grows, for a language has a few of them. And the tag of the post that
 * a thread is in.
 *
 * Ordering. A description is complete before its release store into `described`; partner: the acquire load in
 * herald_tag_find. Without it a post could be held by hooks that are not written yet.
 * Progress. Looking one up waits for nothing; only posts that a center's queue concerns do so.
 * Ownership. Descriptions live as long as the process.
 */
#include "tag.h"
#include "memory.h"
#include "thread.h"

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

HERALD_SLOW static const void *tag_of_activity(const struct herald_activity *activity) {
    uint32_t depth = herald_thread_depth();
    if (activity && activity->depth == depth) return activity->tag;
    return depth ? herald_self->frames[depth - 1].tag : NULL;
}

/* Observers of Swift's ask at each call. */
const void *HeraldGetCurrentTag(void) {
    const struct herald_activity *activity = herald_activities;
    const struct herald_thread *self = herald_self;
    /* A thread without a record shows a full one whose frames are never written: NULL. */
    if (herald_likely(!activity && self->top != self->frames)) return self->top[-1].tag;
    return tag_of_activity(activity);
}
