/* A held post: a post that outlives its call. The hooks of its tag, or of its center, retain userInfo and object. A
 * suspended center holds posts in its queue (queue.h), and a center holds what it keeps (kept.h).
 */
#ifndef HERALD_HELD_H
#define HERALD_HELD_H

#include "ground_sanitizer.h"
#include "order.h"

struct herald_held {
    struct herald_held *next; /* in a list of held posts that are to be released */
    uint32_t references;      /* atomic */
    HeraldNameRef name;
    const void *object; /* as the hooks retained it, or NULL */
    const void *posted; /* the posted object, to compare with; if it could not be retained, this struct's address */
    /* A message names its object by a text. If this process has made no object for the text (HeraldObjectForString),
     * this is the text, which lies in `userInfo` and is compared like `posted`. Otherwise NULL. */
    const char *text;
    uint64_t about;       /* a hash of `text`, or `posted` as a number if `text` is NULL; equal numbers prove nothing */
    const void *userInfo; /* as the hooks retained it, or NULL */
    const void *tag;
    void (*releaseUserInfo)(const void *);
    void (*releaseObject)(const void *);
    /* For what a center keeps (kept.h); center's lock: */
    uint32_t lent;      /* references that were given out and are not counted in `references` yet */
    uint64_t number;    /* its place in the order of the center's kept posts */
    bool was_suspended; /* the center was suspended when it was kept */
    bool is_superseded; /* a newer post is kept in its place */
};

HERALD_BEGIN
/* Releases the held posts in the list `unused`. Call it under no lock. */
void herald_held_free_all(struct herald_held *unused);

static inline void herald_held_retain(struct herald_held *held) { add_relaxed(&held->references, 1u); }

/* Partner of the acquire: the release in the subtractions below. */
static inline uint32_t herald_held_count(const struct herald_held *held) {
    return HERALD_STEP(HELD_ACQUIRE) ? load_acquire(&held->references) : load_relaxed(&held->references);
}

/* Gives up a reference. If it was the last one, adds the held post to the list `unused`. The thread that gives up the
 * last reference has seen what all other threads did with the held post. A thread that reads a count of 1 has the only
 * reference. No other thread can add one then, so this thread does not subtract. */
static inline void herald_held_unuse(struct herald_held *held, struct herald_held **unused) {
    ground_watched_release(held);
    if (herald_held_count(held) != 1 && sub_acq_rel(&held->references, 1u) != 1) return;
    ground_watched_acquire(held);
    held->next = *unused;
    *unused = held;
}

/* A cell that keeps a post has HERALD_HELD_KEPT references to it. herald_held_lend gives out one of them, under the
 * center's lock, and counts it in `lent`, without an atomic instruction. The receiver gives it up by herald_held_unuse.
 * After HERALD_HELD_MOST_LENT of them the cell gets new ones, in one addition to `references`. So the count does not
 * come to 0 while the cell keeps the post. */
enum { HERALD_HELD_KEPT = 1 << 30, HERALD_HELD_MOST_LENT = 1 << 20 };

static inline void herald_held_lend(struct herald_held *held) {
    if (herald_likely(++held->lent < HERALD_HELD_MOST_LENT)) return;
    add_relaxed(&held->references, held->lent);
    held->lent = 0;
}

/* The cell keeps the post no longer. */
static inline void herald_held_unkeep(struct herald_held *held, struct herald_held **unused) {
    /* The cell's references, less those that were given out. */
    uint32_t given_up = HERALD_HELD_KEPT - (HERALD_STEP(HELD_LENT) ? held->lent : 0);
    ground_watched_release(held);
    if (herald_held_count(held) != given_up && sub_acq_rel(&held->references, given_up) != given_up) return;
    ground_watched_acquire(held);
    held->next = *unused;
    *unused = held;
}

/* As a clean-up: releases the held posts in the list, under no lock, also if an observer throws. */
static inline void herald_held_free_list(struct herald_held **unused) {
    if (herald_unlikely(*unused != NULL)) herald_held_free_all(*unused);
}

/* Gives up a reference, under no lock. `*held` may be NULL, and is NULL afterwards. As a clean-up it works also if an
 * observer throws. */
static inline void herald_held_release(struct herald_held **held) {
    struct herald_held *unused = NULL;
    if (*held) herald_held_unuse(*held, &unused);
    *held = NULL;
    if (unused) herald_held_free_all(unused);
}
HERALD_END
#endif
