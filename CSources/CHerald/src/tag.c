/* Descriptions of tags (R21), and the tag of the post that a thread is in. HeraldTagSetOptions makes a description. The
 * list of descriptions only grows. It stays short, because a language has only a few tags.
 *
 * Ordering: A description is written before the release store to `described`. Partner: the acquire load in
 * herald_tag_find. Without this pair, a post that is held could call a retain hook that is not written yet.
 * Progress: herald_tag_find takes no lock and never waits. Only a post to a center whose queue is in use calls it.
 * Ownership: Descriptions live as long as the process.
 */
#include "error.h"
#include "tag.h"
#include "copy.h"
#include "entry_points.h"
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
    if (tag == &herald_message_tag) return &herald_message_options;
    struct description *at = tag ? load_acquire(&described) : NULL;
    while (at && at->tag != tag) at = at->next;
    return at ? &at->options : NULL;
}

HeraldStatus herald_own_HeraldTagSetOptions(const void *tag, const HeraldTagOptions *options) {
    if (!tag || !options || !herald_size_is_possible(options, options->size, sizeof *options))
        return herald_fail(HeraldInvalidArgument, "the tag is NULL, or its options are, or have an impossible size");
    struct description *new = malloc(sizeof *new);
    if (!new) return herald_fail_of_memory();
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
    return known ? herald_fail(HeraldInvalidArgument, "the tag has been described already") : HeraldOK;
}

HERALD_SLOW struct herald_current herald_tag_current(void) {
    const struct herald_frame *frame = herald_thread_frame();
    const struct herald_activity *activity = herald_activities;
    if (frame) return (struct herald_current){frame->tag, frame->userInfo};
    if (activity) return (struct herald_current){activity->tag, activity->userInfo};
    return (struct herald_current){NULL, NULL};
}

/* Observers in Swift call this at every call, so it has a fast path. */
const void *herald_own_HeraldGetCurrentTag(void) {
    const struct herald_thread *self = herald_self;
    /* A thread without a record has a stand-in (thread.h). A stand-in's frames all count as used, but nothing writes to
     * them. So the tag read here is NULL. */
    if (herald_likely(!herald_activities && self->top != self->frames)) return self->top[-1].tag;
    return herald_tag_current().tag;
}
