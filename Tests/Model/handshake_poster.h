/* A poster's steps. They follow call.h, deliver.h, name.c and the poster's side of handshake.c. Each step leads to the
 * one after it unless it sets another. */
#ifndef HANDSHAKE_POSTER_H
#define HANDSHAKE_POSTER_H

#include "handshake_world.h"

static const struct post *post_of(const struct thread *poster, int number) {
    return &scenario->posts[number][poster->job];
}

static void begin_post(struct state *state, int number, int job) {
    struct thread *poster = &state->thread[number];
    poster->job = (uint8_t)job;
    enum way_of_post way = job == POSTS ? NO_POST : scenario->posts[number][job].way;
    poster->step = way == NO_POST ? DONE : way == FIND ? FIND_MARK : POST_BEGIN;
    poster->found = poster->left = poster->place = poster->shown = poster->called = NONE;
    if (way == NO_POST) poster->asked = poster->heard = poster->section = poster->job = poster->after = 0;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* herald_handshake_poll(): continues at `next`, or answers first. */
static void hear(struct turn *turn, enum step next, bool kept) {
    struct thread *poster = self(turn);
    poster->step = (uint8_t)next;
    if (!kept || load(turn, ASKED + turn->thread, RELAXED) == 0) return;
    poster->after = (uint8_t)next;
    poster->step = ANSWER_LOAD;
}

/* herald_handshake_answer(). How many fencing posts a thread makes before it takes its ticket back is left open. */
static void answer(struct turn *turn) {
    struct thread *poster = self(turn);
    int asked = ASKED + turn->thread;
    switch (poster->step++) {
    case ANSWER_LOAD: poster->asked = (uint8_t)load(turn, asked, order_of(ASKED, ACQUIRE)); break;
    case ANSWER_TAKE:
        poster->stays = poster->asked & FENCING && choose(turn, 2) == 0;
        if (poster->stays) break;
        poster->asked = (uint8_t)newest(turn, asked);
        exchange(turn, asked, 0);
        break;
    case ANSWER_FENCE:
        fence(turn, does(ANSWER_FENCE));
        if (!poster->stays) poster->step = poster->asked & OFFLINE && does(GO_ONLINE) ? ANSWER_COME_BACK : ANSWER_STORE;
        break;
    case ANSWER_LOAD_AGAIN:
        if (!(load(turn, asked, RELAXED) & OFFLINE) || !does(GO_ONLINE)) poster->step = ANSWER_STORE;
        break;
    case ANSWER_COME_BACK:
        if (!lock(turn)) return;
        turn->state->offline &= (uint8_t)~bit(turn->thread);
        store(turn, asked, newest(turn, asked) & ~OFFLINE, RELAXED); /* only its thread and lock holders change it */
        unlock(turn);
        break;
    case ANSWER_STORE:
        poster->heard = poster->asked & (uint8_t)~FLAGS;
        store(turn, ANSWERED + turn->thread, poster->heard, order_of(ANSWERED, RELEASE));
        poster->asked = poster->stays = 0;
        poster->step = poster->after;
        poster->after = 0;
        break;
    }
}

/* ---- Looking up -------------------------------------------------------------------------------------------------- */

static void mark_section(struct turn *turn) {
    store(turn, SECTION + turn->thread, ++self(turn)->section, order_of(SECTION, RELEASE));
}

/* HeraldNameFind(), between posts or in a call. */
static void find(struct turn *turn) {
    struct thread *poster = self(turn);
    switch (poster->step++) {
    case FIND_MARK: mark_section(turn); break;
    case FIND_POLL: hear(turn, FIND_LOOK_UP, does(FIND_POLL) && does(POLL)); break;
    case FIND_LOOK_UP: poster->found = (uint8_t)load_table(turn, ACQUIRE); break;
    case FIND_UNMARK:
        if (poster->found) use(turn, SNAPSHOT);
        mark_section(turn);
        poster->found = NONE;
        if (poster->depth)
            poster->step = WALK_NEXT;
        else
            begin_post(turn->state, turn->thread, poster->job + 1);
        break;
    }
}

static void look_up(struct turn *turn) {
    struct thread *poster = self(turn);
    const struct post *post = post_of(poster, turn->thread);
    int again;
    switch (poster->step++) {
    case POST_BEGIN: store(turn, TOP + turn->thread, ++poster->depth, order_of(TOP_BEGIN, RELEASE)); break;
    case POST_POLL: {
        bool is_inner = poster->depth == 2;
        enum step next = is_inner || post->way == CALLS ? WALK_SHOW : post->way == BY_NAME ? POST_MARK : POST_LOOK_UP;
        hear(turn, next, does(POLL));
        break;
    }
    case POST_MARK: mark_section(turn); break;
    case POST_LOOK_UP: /* a topic has no section: it pins a snapshot that may be gone, and looks again */
        poster->found = (uint8_t)load_table(turn, post->way == BY_NAME ? ACQUIRE : RELAXED);
        if (!poster->found) poster->step = post->way == BY_NAME ? POST_UNMARK : POST_END;
        break;
    case POST_PIN:
        store(turn, pin_of(turn->thread, 0), poster->found, RELEASE);
        if (post->way == BY_NAME) poster->step = POST_UNMARK;
        break;
    case POST_PIN_AGAIN:
        again = load_table(turn, ACQUIRE);
        poster->found = (uint8_t)again;
        if (again) use(turn, SNAPSHOT);
        poster->step = !again || !post->slots[0] ? POST_UNPIN : WALK_SHOW;
        break;
    case POST_UNMARK:
        if (poster->found) use(turn, SNAPSHOT);
        mark_section(turn);
        poster->step = !poster->found ? POST_END : post->slots[0] ? WALK_SHOW : POST_UNPIN;
        break;
    case POST_UNPIN:
        if (poster->found) use(turn, SNAPSHOT);
        store(turn, pin_of(turn->thread, 0), NONE, RELEASE);
        break;
    case POST_END:
        store(turn, TOP + turn->thread, --poster->depth, order_of(TOP_END, RELEASE));
        if (poster->depth) {
            poster->shown = poster->outer;
            poster->outer = NONE;
            poster->called = 1;
            poster->step = WALK_POLL;
        } else {
            begin_post(turn->state, turn->thread, poster->job + 1);
        }
        break;
    }
}

/* ---- The walk ---------------------------------------------------------------------------------------------------- */

static void show(struct turn *turn, int slot, bool is_last) {
    int value = slot && is_last ? slot | LAST : slot;
    store(turn, hazard_of(turn->thread, self(turn)->depth - 1), value, order_of(LAST, RELEASE));
    self(turn)->shown = (uint8_t)slot;
}

/* A removed slot was left. The last poster that leaves it runs the release. */
static void leave(struct turn *turn, int slot) {
    struct state *state = turn->state;
    if (!(state->armed & bit(slot))) return;
    bool was_owed = state->owed[slot] != 0;
    state->owed[slot] &= (uint8_t)~bit(turn->thread);
    if (was_owed && !state->owed[slot]) end_life(turn, observer_thing(slot));
}

/* The slot that the post calls after the first one, or NONE. A nested post has only one slot. */
static int second_of(const struct thread *poster, const struct post *post) {
    return poster->depth == 1 ? post->slots[1] : NONE;
}

/* A slot has been left. */
static void walk_on(struct thread *poster, const struct post *post) {
    poster->left = NONE;
    if (poster->shown) {
        poster->step = WALK_STATE;
    } else if (post->stretches && poster->place == 0 && second_of(poster, post)) {
        poster->place = 1;
        poster->step = WALK_SHOW;
    } else {
        poster->step = poster->depth == 1 && post->way != CALLS ? POST_UNPIN : POST_END;
    }
}

static void walk(struct turn *turn) {
    struct thread *poster = self(turn);
    const struct post *post = post_of(poster, turn->thread);
    bool is_inner = poster->depth == 2;
    int second = second_of(poster, post), next = post->stretches || poster->place ? NONE : second;
    switch (poster->step++) {
    case WALK_SHOW: {
        bool is_last = !second || (post->stretches && !does(LAST_ONLY));
        show(turn, is_inner ? post->nested : post->slots[poster->place], is_last);
        break;
    }
    case WALK_STATE:
        poster->called = load_state(turn, poster->shown) == ACTIVE;
        poster->step = next ? WALK_POLL : WALK_NEXT;
        if (!poster->called) break;
        use(turn, observer_thing(poster->shown));
        if (is_inner || poster->place) break;
        if (post->finds) poster->step = FIND_MARK;
        if (!post->nested) break;
        poster->outer = poster->shown;
        poster->step = POST_BEGIN;
        break;
    case WALK_POLL: /* herald_handshake_poll_again(), at the turns of a walk */
        if (load(turn, ASKED + turn->thread, RELAXED) <= (poster->heard | FLAGS)) break;
        poster->after = WALK_NEXT;
        poster->step = ANSWER_LOAD;
        break;
    case WALK_NEXT: /* the call ends */
        if (poster->called) use(turn, observer_thing(poster->shown));
        poster->left = poster->shown;
        poster->called = 0;
        show(turn, next, false);
        if (next) poster->place = 1;
        break;
    case WALK_LOOK_BACK:
        if (load_state(turn, poster->left) == PENDING)
            poster->step = poster->shown ? WALK_HIDE : WALK_LEFT;
        else
            walk_on(poster, post);
        break;
    case WALK_HIDE: /* no remover shall wait for the next slot while this poster releases the last one */
        show(turn, NONE, false);
        break;
    case WALK_LEFT: {
        bool was_hidden = !is_inner && second && !post->stretches && poster->left == post->slots[0] && poster->place;
        if (!lock(turn)) return;
        leave(turn, poster->left);
        unlock(turn);
        if (!was_hidden) walk_on(poster, post);
        break;
    }
    case WALK_SHOW_AGAIN:
        show(turn, second, false);
        poster->left = NONE;
        poster->step = WALK_STATE;
        break;
    }
}

#endif
