/* The steps of the remover and the reclaimer. They follow herald_handshake() in handshake.c, claim() in release.c, and
 * reclaim.c. */
#ifndef HANDSHAKE_WRITER_H
#define HANDSHAKE_WRITER_H

#include "handshake_world.h"

static bool is_reclaimer(const struct turn *turn) { return turn->thread == RECLAIMER; }
static int removed_by(const struct turn *turn) { return scenario->removed[turn->state->thread[turn->thread].job]; }
static int mark_of(const struct turn *turn) { return is_reclaimer(turn) ? bit(0) : mark_of_slot(removed_by(turn)); }

static void begin_task(struct state *state, int number, int job) {
    struct thread *writer = &state->thread[number];
    memset(writer, 0, sizeof *writer);
    if (number == RECLAIMER) {
        writer->step = scenario->reclaims && job == 0 ? RECLAIM_UNLINK : DONE;
    } else if (job < REMOVALS && scenario->removed[job]) {
        writer->job = (uint8_t)job;
        writer->step = REMOVE_MARK;
    }
}

/* The next poster in the list, from `peer` on; POSTERS if the list has no more. */
static int listed_from(const struct turn *turn, int peer) {
    for (; peer < POSTERS; peer++)
        if (is_there(peer) && !(turn->state->offline & bit(peer))) return peer;
    return POSTERS;
}

static int questioned_from(const struct thread *writer, int peer) {
    while (peer < POSTERS && !(writer->questioned & bit(peer))) peer++;
    return peer;
}

/* Continues at `step` with the peer, or at `end` if the list has no more. */
static void with(struct thread *writer, int peer, enum step step, enum step end) {
    writer->peer = (uint8_t)(peer == POSTERS ? 0 : peer);
    writer->step = (uint8_t)(peer == POSTERS ? end : step);
}

static void ask_next(struct turn *turn) {
    struct thread *writer = self(turn);
    writer->top = writer->look = 0;
    with(writer, listed_from(turn, writer->peer + 1), ASK_LOAD, ASK_UNLOCK);
}

/* is_quiescent() and is_at_last_slot(). */
static int look_at_top(struct turn *turn) {
    return load(turn, TOP + self(turn)->peer, does(OUTSIDE_TOP_ACQUIRE) ? order_of(TOP, ACQUIRE) : RELAXED);
}

static bool is_in_section(struct turn *turn) {
    enum order order = does(OUTSIDE_SECTION_ACQUIRE) ? order_of(SECTION, ACQUIRE) : RELAXED;
    return load(turn, SECTION + self(turn)->peer, order) & 1;
}

static void go_offline(struct turn *turn) {
    turn->state->offline |= (uint8_t)bit(self(turn)->peer);
    turn->state->thread[RECLAIMER].noted[self(turn)->peer] = 0; /* its sections are over */
}

/* The request to one thread, under the domain's lock. */
static void ask_one(struct turn *turn) {
    struct thread *writer = self(turn);
    int peer = writer->peer, asked = ASKED + peer, value, frame = writer->look;
    switch (writer->step++) {
    case ASK_LOAD: /* is the thread fencing? */
        writer->top = (uint8_t)load(turn, asked, RELAXED);
        if (!(writer->top & FENCING))
            writer->step = ASK_TAKE;
        else if (!does(OUTSIDE))
            writer->step = OFFLINE_TAKE;
        break;
    case ASK_TOP:
        if (look_at_top(turn) != 0) writer->step = LAST_TOP;
        break;
    case ASK_SECTION: writer->step = is_in_section(turn) && does(OUTSIDE_SECTION) ? LAST_TOP : OFFLINE_TAKE; break;
    case OFFLINE_TAKE: /* how often it must have been outside is left open */
        if (writer->top & OFFLINE || choose(turn, 2) == 0 || newest(turn, asked) != writer->top) {
            ask_next(turn);
            break;
        }
        exchange(turn, asked, writer->top | OFFLINE);
        break;
    case OFFLINE_FENCE:
        fence(turn, does(OFFLINE_FENCE));
        if (does(OFFLINE_LOOK)) break;
        go_offline(turn);
        ask_next(turn);
        break;
    case OFFLINE_TOP:
        if (look_at_top(turn) != 0) ask_next(turn);
        break;
    case OFFLINE_SECTION:
        if (!is_in_section(turn) || !does(OUTSIDE_SECTION)) go_offline(turn);
        ask_next(turn);
        break;
    case LAST_TOP: writer->top = (uint8_t)look_at_top(turn); break;
    case LAST_SECTION:
        if (is_in_section(turn) && does(LAST_SECTION)) {
            writer->step = ASK_TAKE;
            break;
        }
        writer->look = (uint8_t)(does(LAST_FRAMES) || !writer->top ? 0 : writer->top - 1);
        if (!writer->top) ask_next(turn); /* it has ended in the meantime */
        break;
    case LAST_HAZARD:
        value = load(turn, hazard_of(peer, frame), order_of(LAST_HAZARD, ACQUIRE));
        if (!(value & LAST)) {
            writer->step = ASK_TAKE;
            break;
        }
        writer->seen = (uint8_t)(value & ~LAST);
        break;
    case LAST_STATE:
        value = load(turn, state_of(writer->seen), ACQUIRE);
        frame = writer->look++;
        if (value == PENDING && !(turn->state->armed & bit(writer->seen)) && does(LAST_STATE))
            writer->step = ASK_TAKE;
        else if (frame + 1 < writer->top)
            writer->step = LAST_HAZARD;
        else
            ask_next(turn);
        writer->seen = 0;
        break;
    case ASK_TAKE:
        value = newest(turn, asked) & FENCING;
        exchange(turn, asked, writer->ticket | value);
        writer->questioned |= (uint8_t)bit(peer);
        if (value) writer->fencing |= (uint8_t)bit(peer);
        ask_next(turn);
        break;
    }
}

/* herald_handshake(). */
static void ask(struct turn *turn) {
    struct thread *writer = self(turn);
    int peer = writer->peer, value;
    switch (writer->step++) {
    case HANDSHAKE_FENCE: fence(turn, does(HANDSHAKE_FENCE)); break;
    case ASK_LOCK:
        if (!lock(turn)) return;
        writer->ticket = turn->state->newest += TICKET;
        with(writer, listed_from(turn, 0), ASK_LOAD, ASK_UNLOCK);
        break;
    case ASK_UNLOCK:
        unlock(turn);
        with(writer, questioned_from(writer, 0), AWAIT_ANSWER, ASK_RETURN);
        if (!does(AWAIT)) writer->step = ASK_RETURN;
        break;
    /* The writer's patience may end at any time: this covers threads that have missed a ticket before, and too many
     * threads.
     */
    case AWAIT_ANSWER:
        if (turn->choice.taken == 0) {
            writer->peer = 0;
            writer->step = HEAVY;
            turn->choice.count = 2;
            break;
        }
        turn->choice = (struct choice){turn->choice.taken - 1, 1};
        value = load(turn, ANSWERED + peer, order_of(ANSWERED, ACQUIRE));
        turn->choice = (struct choice){turn->choice.taken + 1, turn->choice.count + 1};
        if (value >= writer->ticket)
            with(writer, questioned_from(writer, peer + 1), AWAIT_ANSWER, ASK_RETURN);
        else if (!(writer->fencing & bit(peer)))
            writer->step = AWAIT_ANSWER;
        break;
    case AWAIT_TOP:
        if (look_at_top(turn)) writer->step = AWAIT_ANSWER;
        break;
    case AWAIT_SECTION:
        if (is_in_section(turn) && does(OUTSIDE_SECTION))
            writer->step = AWAIT_ANSWER;
        else
            with(writer, questioned_from(writer, peer + 1), AWAIT_ANSWER, ASK_RETURN);
        break;
    case HEAVY: /* one thread after the other */
        writer->step = HEAVY;
        if (is_there(peer) && does(HEAVY)) {
            memory_fence(&turn->state->memory, turn->thread);
            memory_fence(&turn->state->memory, peer);
            memory_fence(&turn->state->memory, turn->thread);
        }
        if (++writer->peer < POSTERS) break;
        writer->peer = 0;
        writer->step = GUARD_LOCK;
        break;
    case GUARD_LOCK:
        if (!lock(turn)) return;
        with(writer, listed_from(turn, 0), GUARD, ASK_RETURN);
        if (writer->step == ASK_RETURN) unlock(turn);
        break;
    case GUARD:
        value = newest(turn, ASKED + peer);
        if ((value & ~FLAGS) == writer->ticket) exchange(turn, ASKED + peer, value | FENCING);
        with(writer, listed_from(turn, peer + 1), GUARD, ASK_RETURN);
        if (writer->step == ASK_RETURN) unlock(turn);
        break;
    case ASK_RETURN:
        check_return(turn, mark_of(turn));
        writer->ticket = writer->questioned = writer->fencing = writer->peer = 0;
        break;
    }
}

/* ---- The writers' looks after the handshake ---------------------------------------------------------------------- */

static enum step after_of(enum step step) {
    return step == LOOK_NOTE ? LOOK_ENDED : step == LOOK_ENDED ? LOOK_TOP : LOOK_END;
}

/* At `step` with the first listed poster, or at the step that follows `step`. */
static void look_first(struct turn *turn, enum step step) {
    with(self(turn), listed_from(turn, 0), step, after_of(step));
}

/* The next listed poster. */
static void look_on(struct turn *turn, enum step step) {
    struct thread *writer = self(turn);
    writer->top = 0;
    with(writer, listed_from(turn, writer->peer + 1), step, after_of(step));
    if (writer->step == after_of(step) && writer->step != LOOK_END) look_first(turn, after_of(step));
}

static void look(struct turn *turn) {
    struct thread *writer = self(turn);
    int peer = writer->peer, value, frames = 2;
    switch (writer->step++) {
    case LOOK_LOCK:
        if (!lock(turn)) return;
        if (!is_reclaimer(turn)) turn->state->armed |= (uint8_t)bit(removed_by(turn));
        look_first(turn, !is_reclaimer(turn) ? LOOK_TOP : writer->seen & 128 ? LOOK_ENDED : LOOK_NOTE);
        break;
    case LOOK_NOTE:
        value = load(turn, SECTION + peer, order_of(SECTION, ACQUIRE));
        writer->noted[peer] = value & 1 ? (uint8_t)value : 0;
        writer->seen = 128; /* noted */
        look_on(turn, LOOK_NOTE);
        break;
    case LOOK_ENDED: /* a batch whose sections have not ended waits for the next look */
        if (writer->noted[peer]) {
            if (load(turn, SECTION + peer, order_of(SECTION, ACQUIRE)) == writer->noted[peer]) {
                unlock(turn);
                writer->peer = 0;
                writer->step = LOOK_LOCK;
                break;
            }
            writer->noted[peer] = 0;
        }
        look_on(turn, LOOK_ENDED);
        break;
    case LOOK_TOP:
        writer->look = 0;
        if (load(turn, TOP + peer, order_of(TOP, ACQUIRE)) == 0) look_on(turn, LOOK_TOP);
        break;
    case LOOK_FRAME:
        if (is_reclaimer(turn)) {
            if (load(turn, pin_of(peer, writer->look), ACQUIRE) == LISTED) writer->seen |= (uint8_t)bit(peer);
        } else if ((load(turn, hazard_of(peer, writer->look), ACQUIRE) & ~LAST) == removed_by(turn)) {
            writer->seen |= (uint8_t)bit(peer);
        }
        if (++writer->look < frames) {
            writer->step = LOOK_FRAME;
            break;
        }
        writer->look = 0;
        look_on(turn, LOOK_TOP);
        break;
    case LOOK_END: {
        int seen = writer->seen & ~128;
        if (is_reclaimer(turn)) {
            if (!seen) end_life(turn, SNAPSHOT); /* else it waits for the next batch */
        } else {
            turn->state->owed[removed_by(turn)] = (uint8_t)seen;
            if (!seen) end_life(turn, observer_thing(removed_by(turn)));
        }
        unlock(turn);
        begin_task(turn->state, turn->thread, writer->job + 1);
        break;
    }
    }
}

static void write(struct turn *turn) {
    struct thread *writer = self(turn);
    bool asks = is_reclaimer(turn) ? does(HANDSHAKE_RECLAIM) : does(HANDSHAKE_REMOVE);
    if (is_reclaimer(turn))
        store(turn, TABLE, NONE, RELEASE);
    else
        store(turn, state_of(removed_by(turn)), PENDING, RELEASE);
    writer->step = asks ? HANDSHAKE_FENCE : ASK_RETURN;
}

#endif
