/* Trying to post: what a signal handler may do, whatever it has interrupted.
 *
 * Ordering. As other posts by topic, with full fences, so no question need be answered (ask.h). Its thread may stand
 * anywhere in another post, or with locks in a removal: the frame above the record's top is free at every instruction,
 * for a post moves `top` first and clears its frame before it moves it back; a section is odd before and after alike.
 * Progress. Lock-free: the look at a snapshot that a writer replaces, and the list of what is left. It takes no lock,
 * makes no system call and runs no hook: a release that falls to it is left to whoever comes next (release.h).
 * Ownership. As other posts.
 *
 * This file calls observers, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "deliver.h"
#include "first.h"
#include "topic.h"

enum { REFUSED = HERALD_KIND_QUEUE | HERALD_KIND_TRANSPORT };

struct attempt {
    struct herald_thread *self;
    struct herald_frame *frame;
    HeraldCenterRef center; /* its memory stays while its snapshots are pinned */
    bool appears;
};

/* Shows nothing any more, and leaves the slot that was shown. */
static void leave_shown(const struct attempt *attempt) {
    struct herald_slot *left = herald_frame_shows(attempt->frame);
    if (!left) return;
    herald_call_show(attempt->frame, NULL, true);
    if (!herald_call_owes(left)) return;
    herald_release_owe(attempt->center, left);
    herald_thread_remind(attempt->self);
}

static void attempt_end(struct attempt *attempt) {
    leave_shown(attempt);
    for (int i = 0; i < HERALD_PINS; i++) store_release(&attempt->frame->pins[i], (struct herald_snapshot *)NULL);
    store_release(&attempt->self->top, attempt->frame);
    if (attempt->appears) herald_ask_disappear(attempt->self);
}

/* Observers of any name that are for the topic's object must be looked up, perhaps in the midst of another look-up. */
static void find_any_name_for_object(HeraldTopicRef topic, const struct attempt *attempt, struct herald_found *found,
                                     uint64_t limit) {
    struct herald_index *index = &attempt->center->index;
    if (!topic->object || !load_acquire(&index->everything.objects)) return;
    uint64_t section = load_relaxed(&attempt->self->section);
    if (herald_does(SECTION)) store_release(&attempt->self->section, section | 1);
    if (herald_does(SECTION_LIGHT)) fence_full();
    struct herald_bucket *bucket = herald_index_find(index, NULL, topic->object);
    if (bucket) herald_found_pin(found, bucket, attempt->frame, 3, limit);
    herald_pause();
    store_release(&attempt->self->section, section);
}

/* False when the center refuses such posts by now. */
static bool find_all(HeraldTopicRef topic, const struct attempt *attempt, struct herald_found *found) {
    struct herald_index *index = &attempt->center->index;
    uint64_t limit = load_acquire(&index->committed);
    uint32_t kinds = load_acquire(&index->kinds); /* after the limit: who is added to a suspended center is beyond it */
    found->sources = 0;
    if (kinds & REFUSED && herald_does(QUEUE_AFTER)) return false;
    herald_found_add_held(found, topic->name_bucket, attempt->frame, 0, limit, true);
    if (topic->object_bucket) herald_found_add_held(found, topic->object_bucket, attempt->frame, 1, limit, true);
    if (!(kinds & HERALD_KIND_ANY_NAME)) return true;
    herald_found_add_held(found, &index->everything, attempt->frame, 2, limit, true);
    find_any_name_for_object(topic, attempt, found, limit);
    return true;
}

static size_t deliver_found(const struct attempt *attempt, struct herald_found *found, const struct herald_post *post) {
    size_t called = 0;
    for (struct herald_slot *slot; (slot = herald_found_next(found));) {
        if (!herald_call_is_allowed(slot)) continue; /* before it is shown: see may_be_owed() in release.c */
        herald_call_show(attempt->frame, slot, true);
        if (herald_call_is_allowed(slot)) {
            herald_deliver_to(slot, post);
            called++;
        }
        leave_shown(attempt);
    }
    return called;
}

HERALD_OWN(HeraldTopicTryPost)
bool HeraldTopicTryPost(HeraldTopicRef topic, const void *userInfo, size_t *called) {
    if (called) *called = 0;
    if (!topic) return false;
    const struct herald_functions *first = herald_first_known();
    if (herald_unlikely(first != NULL)) return first->HeraldTopicTryPost(topic, userInfo, called);
    if (herald_self == &herald_newcomer) return false; /* it may be another copy's topic */
    herald_topic_check(topic);
    struct herald_thread *self = herald_self;
    if (herald_thread_is_full(self) || load_relaxed(&topic->center->index.kinds) & REFUSED) return false;
    struct attempt attempt __attribute__((cleanup(attempt_end))) = {self, self->top, topic->center, false};
    store_release(&self->top, attempt.frame + 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    attempt.frame->tag = NULL;
    herald_release_expect_owed();
    attempt.appears = herald_ask_appear(self); /* has the fence */
    struct herald_found found;
    if (!find_all(topic, &attempt, &found)) return false;
    const struct herald_post post = {attempt.center, topic->name, topic->object, userInfo, NULL};
    size_t count = deliver_found(&attempt, &found, &post);
    if (called) *called = count;
    return true;
}
