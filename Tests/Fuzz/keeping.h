/* The model of what centers keep and of followers: registrations that begin with what is kept (R25). */
#ifndef FUZZ_KEEPING_H
#define FUZZ_KEEPING_H

#include "reference.h"

/* A post that was kept. All of an input stay in the model. */
struct kept_post {
    uint64_t number; /* the order of keeping */
    struct center *center;
    HeraldNameRef name;
    const void *object, *user_info, *tag; /* object and userInfo as the hooks have answered */
    bool is_kept, was_suspended, is_superseded;
    unsigned in_queues; /* deliveries to observers that are no followers */
};

void keeping_begin(void);

/* What is kept for exactly this name and object, or NULL. */
struct kept_post *keeping_find(const struct center *center, HeraldNameRef name, const void *object);
size_t keeping_count(const struct center *center);
struct kept_post *keeping_next(const struct center *center, const struct kept_post *after); /* NULL: the first */

/* Keeps a post, if the center has room for it, and adds it to the lanes of followers. Returns NULL without room. */
struct kept_post *keeping_add(const struct kept_post *post, bool hurries);
void keeping_forget(struct kept_post *post);
void keeping_forget_all(struct center *center);

/* ---- Followers ---- */

/* A registration takes what is kept. */
void keeping_follow(struct registration *follower);
bool keeping_is_followed(const struct registration *follower, const struct kept_post *post);
void keeping_leave(struct registration *follower);

/* The next thing that a follower is to be called with. */
struct keeping_next {
    enum { KEEPING_NOTHING, KEEPING_MARKED, KEEPING_BEGAN, KEEPING_LATER } kind;
    const struct kept_post *post;
};
struct keeping_next keeping_next_of(const struct registration *follower);
void keeping_take(struct registration *follower);

/* The follower has heard all that it can hear now. */
void keeping_rest(struct registration *follower);

/* What is retained for kept posts; only when no callback is running. */
void keeping_check_handles(void);

#endif
