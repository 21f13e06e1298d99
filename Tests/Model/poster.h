/* A poster's steps. They follow post.c and deliver.h. */
#ifndef POSTER_H
#define POSTER_H

#include "world.h"

/* ---- Posters. Each step leads to the one after it unless it sets another. ---------------------------------------- */

/* Slots are numbered in the order of registration. All slots up to the committed number that are not removed are
 * found. */
static void check_limit(struct turn *turn) {
    const struct thread *poster = self(turn);
    int listed = turn->state->listed[poster->snapshot];
    for (int slot = 1; slot <= poster->limit; slot++) {
        bool found = listed & bit(slot) && size_of(listed & (bit(slot) - 1)) < poster->count;
        if (turn->state->active & bit(slot) && !found) object(turn, MISSED);
    }
}

static void begin_walk(struct thread *poster) {
    poster->watchful = !scenario->by_ends;
    poster->step = !poster->count ? WALK_UNPIN : scenario->by_ends ? WALK_ENDS : WALK_ENTRY;
}

static void by_name(struct turn *turn) {
    struct thread *poster = self(turn);
    int section = SECTION + turn->thread, pin = PIN + turn->thread;
    switch (poster->step++) {
    case NAME_MARK:
        if (does(SECTION)) store(turn, section, 2 * poster->job + 1, RELAXED);
        light(turn, does(SECTION_LIGHT));
        break;
    case NAME_COMMITTED: poster->limit = (uint8_t)load(turn, COMMITTED, ACQUIRE); break;
    case NAME_FIND:
        if (load(turn, TABLE, ACQUIRE) == NONE) poster->step = NAME_UNMARK;
        break;
    case NAME_READ:
        use(turn, BUCKET);
        poster->snapshot = (uint8_t)load(turn, NEWEST, ACQUIRE);
        if (poster->snapshot == NONE) poster->step = NAME_UNMARK;
        break;
    case NAME_PIN:
        if (does(PIN)) store(turn, pin, poster->snapshot, RELEASE);
        break;
    case NAME_COUNT:
        use(turn, snapshot_thing(poster->snapshot));
        poster->count = (uint8_t)load(turn, count_of(poster->snapshot), ACQUIRE);
        check_limit(turn);
        break;
    case NAME_UNMARK:
        if (does(SECTION)) store(turn, section, 2 * poster->job + 2, order_of(SECTION, RELEASE));
        begin_walk(poster);
        break;
    }
}

static void by_topic(struct turn *turn) {
    struct thread *poster = self(turn);
    int pin = PIN + turn->thread, again;
    switch (poster->step++) {
    case TOPIC_READ: poster->snapshot = (uint8_t)load(turn, NEWEST, RELAXED); break;
    case TOPIC_PIN:
        if (does(TOPIC_PIN)) store(turn, pin, poster->snapshot, RELEASE);
        break;
    case TOPIC_READ_AGAIN:
        again = load(turn, NEWEST, order_of(RECHECK, ACQUIRE));
        if (again != poster->snapshot && does(TOPIC_RECHECK)) {
            poster->snapshot = (uint8_t)again;
            poster->step = TOPIC_PIN;
        } else if (poster->snapshot == NONE) {
            poster->step = WALK_UNPIN;
        }
        break;
    case TOPIC_COUNT:
        use(turn, snapshot_thing(poster->snapshot));
        poster->count = (uint8_t)load(turn, count_of(poster->snapshot), ACQUIRE);
        begin_walk(poster);
        break;
    }
}

/* The slot's turn is over: goes to the next entry, or shows nothing. */
static void go_on(struct thread *poster) {
    poster->left = poster->slot;
    poster->slot = NONE;
    poster->step = poster->place < poster->count ? WALK_ENTRY : WALK_SHOW;
}

static void show(struct turn *turn, int slot) {
    if (does(HAZARD)) store(turn, SHOWN + turn->thread, slot, order_of(HAZARD, RELEASE));
    light(turn, does(LIGHT));
}

/* A slot is shown, or none after the last. Checks whether the ends are as they were when the walk began. */
static void check_ends(struct turn *turn) {
    struct thread *poster = self(turn);
    use(turn, snapshot_thing(poster->snapshot));
    bool is_last = !poster->slot, looks = is_last ? does(ENDS_BACK) : does(ENDS_CHECK);
    poster->watchful = load(turn, ends_of(poster->snapshot), RELAXED) != poster->ends && looks;
    if (poster->watchful) {
        poster->step = poster->left ? WALK_LOOK_BACK : WALK_CALL;
    } else if (is_last) {
        poster->step = WALK_UNPIN;
    } else if (poster->slot == TOMBSTONE) {
        if (!poster->ends) object(turn, MISCOUNTED); /* a tombstone is called, and nothing counts that */
        go_on(poster);
    } else {
        use(turn, slot_thing(poster->slot));
        use(turn, observer_thing(poster->slot));
        poster->step = WALK_CALL_ENDS;
    }
}

static void walk(struct turn *turn) {
    struct thread *poster = self(turn);
    switch (poster->step++) {
    case WALK_ENDS:
        use(turn, snapshot_thing(poster->snapshot));
        poster->ends = (uint8_t)load(turn, ends_of(poster->snapshot), order_of(BEGIN, ACQUIRE));
        poster->watchful = (poster->ends & (SAYS_REPLACED | SAYS_ENDING)) != 0;
        break;
    case WALK_ENTRY:
        use(turn, snapshot_thing(poster->snapshot));
        poster->slot = (uint8_t)load(turn, entry_of(poster->snapshot, poster->place++),
                                     scenario->by_ends ? order_of(ENTRY, ACQUIRE) : RELAXED);
        break;
    case WALK_SHOW:
        show(turn, poster->slot);
        if (!poster->watchful)
            poster->step = WALK_CHECK;
        else
            poster->step = poster->left ? WALK_LOOK_BACK : WALK_CALL;
        break;
    case WALK_CHECK: check_ends(turn); break;
    case WALK_LOOK_BACK:
        if (poster->left == TOMBSTONE) {
            poster->step = poster->slot ? WALK_CALL : WALK_UNPIN;
            break;
        }
        use(turn, slot_thing(poster->left));
        poster->after = poster->slot ? WALK_SHOW_AGAIN : WALK_UNPIN;
        if (load(turn, state_of(poster->left), RELAXED) == PENDING && does(LOOK_BACK))
            poster->step = poster->slot ? WALK_HIDE : LEFT_STATE;
        else
            poster->step = poster->slot ? WALK_CALL : WALK_UNPIN;
        break;
    case WALK_HIDE: /* no remover shall wait for the next slot while this poster releases the last one */
        show(turn, NONE);
        poster->step = LEFT_STATE;
        break;
    case WALK_SHOW_AGAIN: show(turn, poster->slot); break;
    case WALK_CALL: /* looks at the state, and the call begins */
        if (poster->slot == TOMBSTONE) {
            go_on(poster);
            break;
        }
        use(turn, slot_thing(poster->slot));
        if (load(turn, state_of(poster->slot), RELAXED) == ACTIVE || !does(STATE_CHECK))
            use(turn, observer_thing(poster->slot));
        else
            go_on(poster);
        break;
    case WALK_CALL_ENDS: /* the observer is in use until the call ends */
        use(turn, observer_thing(poster->slot));
        go_on(poster);
        break;
    case WALK_UNPIN:
        store(turn, PIN + turn->thread, NONE, order_of(PIN, RELEASE));
        next_job(turn);
        break;
    }
}

/* herald_release_left(): the slot that was left is PENDING. If no other post is calling it, its release is this
 * thread's. */
static void left(struct turn *turn) {
    struct thread *poster = self(turn);
    bool mine = true; /* as far as this thread knows */
    switch (poster->step++) {
    case LEFT_STATE: /* acquire: `armed` was reset before PENDING, and may be set by the slot's last registration */
        if (!lock(turn)) return;
        mine = load(turn, state_of(poster->left), order_of(LEFT, ACQUIRE)) == PENDING;
        break;
    case LEFT_ARMED: mine = load(turn, armed_of(poster->left), RELAXED) || !does(ARMED); break;
    case LEFT_SCAN:
        mine = load(turn, SHOWN + poster->peer, ACQUIRE) != poster->left || !does(LAST_USER_CHECK);
        if (!mine) break;
        if (next_peer(poster))
            poster->step = LEFT_SCAN;
        else
            claim(turn, poster->left);
        break;
    }
    if (mine) return;
    unlock(turn);
    poster->peer = 0;
    poster->step = poster->after;
}

#endif
