/* The search: every state that a scenario can reach.
 *
 * The search goes depth first from the initial state. Every step that some thread can take, every store that may drain
 * and every message that a load may read leads to a next state. States are remembered by 64-bit fingerprints. The
 * chance that two of a million states share one, so that a state is missed, is about one in ten million.
 *
 * A model includes this after its definitions: `struct state`, which begins with `memory` and then `thread`; `struct
 * turn`; verdicts, the worst first, with MILD the first after which a run goes on, because it may lead to worse;
 * SET_BITS and MOST_STATES, the room for states. It defines the functions below. */
#ifndef SEARCH_H
#define SEARCH_H

#include "memory.h"

#include <stdio.h>

static void take_step(struct turn *turn);                 /* one step of one thread, with one of its outcomes */
static int running(const struct state *state);            /* the set of threads that may still do something */
static enum verdict judge_end(const struct state *state); /* all threads have ended */

enum { MOST_DEPTH = 100000 };
static uint64_t visited[1 << SET_BITS]; /* fingerprints; 0 is free */
static int states;
static enum verdict worst;

/* The way to the state that is being explored, for a model that prints it. */
enum { DRAINS = -1 };
static struct way { int thread, step, taken; /* `step` may be DRAINS; `taken`: its outcome */ } way[MOST_DEPTH];
static int depth;
static void (*when_worse)(void); /* or NULL */

static void note(enum verdict verdict) {
    if (verdict >= worst) return;
    worst = verdict;
    if (when_worse) when_worse();
}

/* Whether the state is a new one. Marks it as visited. */
static bool visit(const struct state *state) {
    uint64_t hash = memory_hash(&state->memory);
    hash = hash_bytes(hash, state->thread, sizeof *state - offsetof(struct state, thread)) | 1;
    size_t at = hash >> (64 - SET_BITS);
    for (; visited[at]; at = (at + 1) % (1 << SET_BITS))
        if (visited[at] == hash) return false;
    visited[at] = hash;
    states++;
    return true;
}

static void explore(const struct state *state);

static void push(int thread, int step, int taken) {
    assert(depth < MOST_DEPTH);
    way[depth++] = (struct way){thread, step, taken};
}

/* One thread's next step, with each outcome. Returns false when the thread must wait. */
static bool explore_step(const struct state *state, int thread) {
    bool moved = false;
    for (int taken = 0, count = 1; taken < count; taken++) {
        struct state next = *state;
        struct turn turn = {&next, thread, {taken, 1}, false, SAFE};
        take_step(&turn);
        count = turn.choice.count;
        if (turn.blocked) continue;
        moved = true;
        push(thread, state->thread[thread].step, taken);
        note(turn.verdict);
        if (turn.verdict >= MILD) {
            if (model == VIEWS) views_prune(&next.memory.views, running(&next));
            explore(&next);
        }
        depth--;
    }
    return moved;
}

static bool explore_drain(const struct state *state, int thread) {
    struct state next = *state;
    if (model != X86_TSO || !tso_drain_one(&next.memory.tso, thread)) return false;
    push(thread, DRAINS, 0);
    explore(&next);
    depth--;
    return true;
}

static void explore(const struct state *state) {
    if (states == MOST_STATES) note(TOO_MANY_STATES);
    if (states == MOST_STATES || !visit(state)) return;
    int threads = running(state);
    bool moved = false;
    for (int thread = 0; thread < THREADS; thread++) {
        if (explore_drain(state, thread)) moved = true;
        if (threads & 1 << thread && explore_step(state, thread)) moved = true;
    }
    if (threads && !moved) note(DEADLOCK);
    if (!threads) note(judge_end(state));
}

/* The worst verdict that a state can lead to. */
static enum verdict search(const struct state *state) {
    memset(visited, 0, sizeof visited);
    states = 0;
    depth = 0;
    worst = SAFE;
    explore(state);
    return worst;
}

#endif
