/* The writer's steps. They follow observe.c, release.c, snapshot.c, bucket.c and reclaim.c. */
#ifndef WRITER_H
#define WRITER_H

#include "world.h"

/* ---- The writer ------------------------------------------------------------------------------------------------- */

static void heavy_then(struct thread *writer, bool kept, enum step after) {
    writer->after = (uint8_t)after;
    writer->step = (uint8_t)(kept ? HEAVY : after);
}

/* The guarantee of herald_handshake() in its plainest form: handshake.c shows that it holds. Interrupts the posters one
 * after the other; each executes a full fence at whichever step it is. */
static void heavy(struct turn *turn) {
    struct thread *writer = self(turn);
    struct memory *memory = &turn->state->memory;
    memory_fence(memory, WRITER);
    if (!scenario->fencing) {
        memory_fence(memory, writer->peer);
        memory_fence(memory, WRITER);
        if (next_peer(writer)) return;
    }
    writer->step = writer->after;
}

/* Sleeps. The thread that makes the slot RELEASED does so under the lock, and wakes this one. Then no call is running
 * or will begin, and the hook, if there is one, has run. */
static bool wait(struct turn *turn, int slot) {
    if (!lock(turn)) return false;
    turn->blocked = load(turn, state_of(slot), RELAXED) != RELEASED && does(WAIT);
    unlock(turn);
    if (turn->blocked) return false;
    turn->state->awaited |= (uint8_t)bit(slot);
    if (!has_hook(slot))
        end_life(turn, observer_thing(slot));
    else if (!(turn->state->hooked & bit(slot)))
        object(turn, WAIT_TOO_SHORT);
    return true;
}

/* The slot's entry becomes the tombstone, and the snapshot counts the end. */
static void bury(struct turn *turn, int slot) {
    struct state *state = turn->state;
    int snapshot = state->newest, place = size_of(state->listed[snapshot] & (bit(slot) - 1));
    int before = state->ends[snapshot], after = before + ONE_END;
    if (!scenario->by_ends) return;
    state->ends[snapshot] = (uint8_t)after;
    if (does(ENDS) && does(ENDING)) store(turn, ends_of(snapshot), before | SAYS_ENDING, RELAXED);
    if (!does(ENDS_LAST)) store(turn, ends_of(snapshot), after, RELEASE);
    store(turn, entry_of(snapshot, place), TOMBSTONE, order_of(TOMBSTONE, RELEASE));
    if (does(ENDS) && does(ENDS_LAST)) store(turn, ends_of(snapshot), after, order_of(ENDS, RELEASE));
}

static void remove_slot(struct turn *turn) {
    struct thread *writer = self(turn);
    bool waits = scenario->tasks[writer->job].task == REMOVE_AND_WAIT;
    int slot = writer->slot;
    switch (writer->step++) {
    case REMOVE_MARK:
        bury(turn, slot);
        turn->state->active &= (uint8_t)~bit(slot);
        if (has_hook(slot) || waits) {
            store(turn, armed_of(slot), 0, RELAXED);
            store(turn, state_of(slot), PENDING, RELEASE);
            heavy_then(writer, does(HEAVY_REMOVE), REMOVE_ARM);
        } else {
            store(turn, state_of(slot), REMOVED, RELEASE);
            next_job(turn);
        }
        break;
    case REMOVE_ARM:
        if (lock(turn)) store(turn, armed_of(slot), 1, RELAXED);
        break;
    case REMOVE_SCAN:
        if (load(turn, SHOWN + writer->peer, ACQUIRE) == slot && does(FRAME_CHECK)) writer->shown = 1;
        writer->step = REMOVE_SCAN;
        if (next_peer(writer)) break;
        writer->step = writer->after = REMOVE_RETURN;
        if (writer->shown)
            unlock(turn); /* the last poster that leaves it will release it */
        else
            claim(turn, slot);
        break;
    case REMOVE_RETURN:
        if (waits && !wait(turn, slot)) return;
        next_job(turn);
        break;
    }
}

/* Appends to the current snapshot: state and entry, count, committed sequence. */
static void add(struct turn *turn) {
    struct state *state = turn->state;
    int slot = self(turn)->slot, count = size_of(state->listed[state->newest]);
    store(turn, state_of(slot), ACTIVE, RELAXED);
    store(turn, entry_of(state->newest, count), slot, RELAXED);
    store(turn, count_of(state->newest), count + 1, order_of(COUNT, RELEASE));
    store(turn, COMMITTED, slot, order_of(COMMITTED, RELEASE));
    state->listed[state->newest] |= (uint8_t)bit(slot);
    state->active |= (uint8_t)bit(slot);
    next_job(turn);
}

/* Dead slots that the next snapshot does not list leave with this one. */
static void retire_newest(struct turn *turn, int next) {
    struct state *state = turn->state;
    if (scenario->by_ends && does(REPLACED))
        store(turn, ends_of(state->newest), state->ends[state->newest] | SAYS_REPLACED, RELAXED);
    for (int slot = 1; slot <= SLOTS; slot++)
        if (state->listed[state->newest] & ~state->active & bit(slot)) state->left_with[slot] = state->newest;
    state->retired |= (uint8_t)bit(snapshot_thing(state->newest));
    state->newest = (uint8_t)next;
}

/* Copies the live slots to fresh memory at the lowest free address, so that addresses are reused soon. */
static void replace(struct turn *turn) {
    struct state *state = turn->state;
    int fresh = 1, count = 0;
    while (!(state->gone & bit(snapshot_thing(fresh)))) fresh++;
    assert(fresh <= SNAPSHOTS);
    state->gone &= (uint8_t)~bit(snapshot_thing(fresh));
    state->listed[fresh] = state->listed[state->newest] & state->active;
    for (int slot = 1; slot <= SLOTS; slot++)
        if (state->listed[fresh] & bit(slot)) store(turn, entry_of(fresh, count++), slot, RELAXED);
    store(turn, count_of(fresh), count, RELAXED);
    state->ends[fresh] = 0;
    if (scenario->by_ends) store(turn, ends_of(fresh), 0, RELAXED);
    store(turn, NEWEST, fresh, order_of(PUBLISH, RELEASE));
    retire_newest(turn, fresh);
    next_job(turn);
}

/* An empty bucket leaves the table, and its snapshot leaves the bucket. */
static void unlink_bucket(struct turn *turn) {
    store(turn, TABLE, NONE, RELEASE);
    store(turn, NEWEST, NONE, RELEASE);
    retire_newest(turn, NONE);
    turn->state->retired |= (uint8_t)bit(BUCKET);
    next_job(turn);
}

/* Dead slots are freed with the snapshot, or pass to an older one that still lists them and may be pinned. */
static void free_snapshot(struct turn *turn, int snapshot) {
    struct state *state = turn->state;
    end_life(turn, snapshot_thing(snapshot));
    for (int slot = 1; slot <= SLOTS; slot++) {
        if (state->left_with[slot] != snapshot) continue;
        state->left_with[slot] = NONE;
        for (int older = 1; older <= SNAPSHOTS && does(LINEAGE); older++)
            if (!(state->gone & bit(snapshot_thing(older))) && state->listed[older] & bit(slot))
                state->left_with[slot] = (uint8_t)older;
        if (state->left_with[slot] == NONE) end_life(turn, slot_thing(slot));
    }
}

static void free_batch(struct turn *turn) {
    struct thread *writer = self(turn);
    int unseen = writer->batch & ~writer->pinned;
    turn->state->retired |= writer->batch & writer->pinned; /* for the next batch */
    if (unseen & bit(BUCKET)) end_life(turn, BUCKET);
    for (int snapshot = 1; snapshot <= SNAPSHOTS; snapshot++)
        if (unseen & bit(snapshot_thing(snapshot))) free_snapshot(turn, snapshot);
}

/* While a noted section lasts, the batch stays and the writer comes back to it. In the model it just blocks. */
static void reclaim(struct turn *turn) {
    struct thread *writer = self(turn);
    int section = SECTION + writer->peer, value;
    switch (writer->step++) {
    case RECLAIM_DETACH:
        if (!lock(turn)) return;
        writer->batch = turn->state->retired;
        turn->state->retired = 0;
        unlock(turn);
        heavy_then(writer, does(HEAVY_RECLAIM), RECLAIM_NOTE);
        break;
    case RECLAIM_NOTE:
        value = load(turn, section, ACQUIRE);
        writer->noted[writer->peer] = value & 1 ? (uint8_t)value : 0;
        if (next_peer(writer)) writer->step = RECLAIM_NOTE;
        break;
    case RECLAIM_SECTION:
        value = writer->noted[writer->peer];
        turn->blocked = value && load(turn, section, ACQUIRE) == value && does(SECTION_CHECK);
        if (next_peer(writer)) writer->step = RECLAIM_SECTION;
        break;
    case RECLAIM_PIN:
        value = load(turn, PIN + writer->peer, ACQUIRE);
        if (value != NONE && does(PIN_CHECK)) writer->pinned |= (uint8_t)bit(snapshot_thing(value));
        if (next_peer(writer)) writer->step = RECLAIM_PIN;
        break;
    case RECLAIM_FREE:
        free_batch(turn);
        next_job(turn);
        break;
    }
}

#endif
