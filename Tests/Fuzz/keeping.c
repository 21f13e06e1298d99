#include "keeping.h"
#include "handles.h"

#include <string.h>

static struct kept_post posts[REFERENCE_KEPT_POSTS];
static size_t post_count;

void keeping_begin(void) { post_count = 0; }

/* ---- What is kept ----------------------------------------------------------------------------------------------- */

struct kept_post *keeping_next(const struct center *center, const struct kept_post *after) {
    for (size_t i = after ? (size_t)(after - posts) + 1 : 0; i < post_count; i++)
        if (posts[i].is_kept && posts[i].center == center) return &posts[i];
    return NULL;
}

struct kept_post *keeping_find(const struct center *center, HeraldNameRef name, const void *object) {
    struct kept_post *at = keeping_next(center, NULL);
    while (at && (at->name != name || at->object != object)) at = keeping_next(center, at);
    return at;
}

size_t keeping_count(const struct center *center) {
    size_t count = 0;
    for (const struct kept_post *at = NULL; (at = keeping_next(center, at));) count++;
    return count;
}

void keeping_forget(struct kept_post *post) { post->is_kept = false; }

void keeping_forget_all(struct center *center) {
    for (struct kept_post *at; (at = keeping_next(center, NULL));) keeping_forget(at);
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------ */

bool keeping_is_followed(const struct registration *r, const struct kept_post *post) {
    return r->state == ACTIVE && r->follows && r->center == post->center && r->name == post->name &&
           (!r->object || r->object == post->object);
}

void keeping_follow(struct registration *r) {
    r->begins = true;
    r->until = 0;
    r->start_count = r->start_at = r->lane_count = 0;
    for (const struct kept_post *at = NULL; (at = keeping_next(r->center, at));)
        if (keeping_is_followed(r, at)) r->starts[r->start_count++] = (uint16_t)(at - posts);
}

void keeping_leave(struct registration *r) {
    r->begins = false;
    r->start_at = r->start_count;
    r->lane_count = 0;
}

static const struct kept_post *at_lane(const struct registration *r, size_t at) { return &posts[r->lane[at].post]; }

/* By the follower's behavior for posts that were kept while the center was suspended. */
static bool is_skipped(const struct registration *r, const struct kept_post *post) {
    if (!post->was_suspended) return false;
    return r->behavior == HeraldSuspensionDrop || (r->behavior == HeraldSuspensionCoalesce && post->is_superseded);
}

/* At the limit the oldest is dropped. What a follower begins with is not in the lane. */
static void append(struct registration *r, size_t number) {
    size_t heard = 0, oldest = 0;
    r->lane[r->lane_count++] = (struct lane_entry){(uint16_t)number, false};
    for (size_t i = r->lane_count; i-- > 0;) {
        if (r->lane[i].exceeds || is_skipped(r, at_lane(r, i))) continue;
        heard++;
        oldest = i;
    }
    if (heard <= r->center->limit) return;
    r->lane[oldest].exceeds = true;
    r->center->most_dropped++;
}

static void erase_front(struct registration *r, size_t count) {
    r->lane_count -= count;
    memmove(r->lane, r->lane + count, r->lane_count * sizeof r->lane[0]);
}

struct kept_post *keeping_add(const struct kept_post *wanted, bool hurries) {
    struct center *center = wanted->center;
    struct kept_post *older = keeping_find(center, wanted->name, wanted->object);
    if (!older && keeping_count(center) >= center->kept_limit) return NULL;
    struct kept_post *post = &posts[post_count++];
    *post = *wanted;
    post->number = post_count;
    post->is_kept = true;
    post->was_suspended = center->is_suspended && !hurries;
    if (older) {
        older->is_superseded = true;
        keeping_forget(older);
    }
    for (unsigned i = 0; i < reference_count(); i++) {
        struct registration *r = reference_at(i);
        if (!keeping_is_followed(r, post)) continue;
        append(r, post_count - 1);
        if (hurries && center->is_suspended) r->until = post->number;
    }
    return post;
}

/* The entry that is to be heard next, or lane_count. */
static size_t find_later(const struct registration *r) {
    size_t at = 0;
    while (at < r->lane_count && (r->lane[at].exceeds || is_skipped(r, at_lane(r, at)))) at++;
    return at;
}

static bool waits(const struct registration *r) {
    return r->center->is_suspended && r->behavior != HeraldSuspensionDeliverImmediately;
}

struct keeping_next keeping_next_of(const struct registration *r) {
    const struct keeping_next nothing = {KEEPING_NOTHING, NULL};
    if (r->state != ACTIVE) return nothing;
    if (r->begins) {
        if (waits(r) && !r->until) return nothing;
        if (r->start_at < r->start_count) return (struct keeping_next){KEEPING_MARKED, &posts[r->starts[r->start_at]]};
        if (r->has_began) return (struct keeping_next){KEEPING_BEGAN, NULL};
    }
    size_t at = find_later(r);
    if (at == r->lane_count || (waits(r) && at_lane(r, at)->number > r->until)) return nothing;
    return (struct keeping_next){KEEPING_LATER, at_lane(r, at)};
}

void keeping_take(struct registration *r) {
    switch (keeping_next_of(r).kind) {
    case KEEPING_MARKED: r->start_at++; return;
    case KEEPING_BEGAN: r->begins = false; return;
    case KEEPING_LATER: break;
    default: return;
    }
    r->begins = false;
    size_t at = find_later(r);
    for (size_t i = 0; i < at; i++)
        if (r->lane[i].exceeds && !is_skipped(r, at_lane(r, i))) r->center->least_dropped++;
    erase_front(r, at + 1);
}

void keeping_rest(struct registration *r) {
    if (r->state != ACTIVE || waits(r)) return;
    if (r->start_at == r->start_count && !r->has_began) r->begins = false;
    if (find_later(r) == r->lane_count) r->lane_count = 0; /* all are skipped */
}

/* ---- Handles ---------------------------------------------------------------------------------------------------- */

static bool is_in_lanes(const struct kept_post *post, bool even_if_skipped) {
    size_t number = (size_t)(post - posts);
    for (unsigned i = 0; i < reference_count(); i++) {
        const struct registration *r = reference_at(i);
        if (!keeping_is_followed(r, post)) continue;
        for (size_t at = r->start_at; at < r->start_count; at++)
            if (r->starts[at] == number) return true;
        for (size_t at = 0; at < r->lane_count; at++)
            if (r->lane[at].post == number && (even_if_skipped || !(r->lane[at].exceeds || is_skipped(r, post))))
                return true;
    }
    return false;
}

static bool must_be_retained(const struct kept_post *post) {
    return post->is_kept || post->in_queues || is_in_lanes(post, false);
}
static bool may_be_retained(const struct kept_post *post) {
    return post->is_kept || post->in_queues || is_in_lanes(post, true);
}

void keeping_check_handles(void) { handles_check_kept(must_be_retained, may_be_retained); }
