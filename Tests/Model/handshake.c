/* A model checker for the handshake that replaces the heavy fence: herald_handshake() in handshake.c.
 *
 * Claim. In model.c the writers interrupt every poster with a full fence. The handshake refines that. When
 * herald_handshake() returns, the writer sees everything that a poster has shown while the poster could still read the
 * values from before the request. And no poster reads those values any more. This is checked at each read of a writer's
 * word by a poster (handshake_world.h), and at the two uses of the handshake. The remover marks a slot PENDING,
 * requests, and looks at the slot hazard pointers in all frames. The reclaimer unlinks a snapshot, requests, and looks
 * at sections and pins.
 *
 * Modelled. Up to two posters, with one or two posts each: by topic, by name, look-ups of names, walks over two slots,
 * stretches of two snapshots, a post or a look-up inside a call. A remover and a reclaimer. `top`, `section`, slot
 * hazard pointers with LAST, pins, `asked` with FENCING and OFFLINE, `answered`; the lists under the domain's lock. A
 * thread begins without a request, fencing, or offline. Membarrier interrupts one poster after the other. memory.h has
 * the two memory models, search.h the search.
 *
 * Left open, so that every value is covered: how long a writer waits (it may give up at any look, as it does when a
 * thread has missed a ticket before or there are too many threads), how many posts a fencing thread makes before it
 * takes its ticket back, and how often a thread must be found outside of posts before it goes offline.
 *
 * Abstracted away. The writers make no posts. A release is run by the remover or by the last poster that leaves the
 * slot. New and ending threads, overflow frames, fencing posts, unwinding and fork have no steps here; Tests/Explore
 * has them. All four threads at once are explored on x86 alone, where they have six million states. With views they
 * have more than sixty million, so views have any three of the threads.
 *
 * Results. Every scenario is safe. With any one step or order annotation left out, some scenario is not. A third table
 * has the annotations that are not needed here. `handshake NAME` prints the way to the worst result of leaving NAME
 * out. */
#include "handshake_poster.h"
#include "handshake_writer.h"
#include "search.h"

static const char *const verdict_names[SAFE + 1] = {
    [CALL_AFTER_HOOK] = "a call after the release hook",
    [FREED_SNAPSHOT] = "a freed snapshot is read",
    [HOOK_NEVER] = "the hook never runs",
    [DEADLOCK] = "deadlock",
    [UNMET] = "a thread has passed no barrier",
    [CALL_UNORDERED] = "a call races with its end",
    [READ_UNORDERED] = "a read races with the freeing",
    [TOO_MANY_STATES] = "too many states",
    [SAFE] = "safe",
};

static void take_step(struct turn *turn) {
    enum step step = self(turn)->step;
    if (step == DONE)
        turn->blocked = true;
    else if (step <= POST_UNMARK || step == POST_UNPIN || step == POST_END)
        look_up(turn);
    else if (step <= WALK_SHOW_AGAIN)
        walk(turn);
    else if (step <= FIND_UNMARK)
        find(turn);
    else if (step <= ANSWER_STORE)
        answer(turn);
    else if (step <= RECLAIM_UNLINK)
        write(turn);
    else if (step >= ASK_LOAD && step <= ASK_TAKE)
        ask_one(turn);
    else if (step <= ASK_RETURN)
        ask(turn);
    else
        look(turn);
}

/* ---- Scenarios -------------------------------------------------------------------------------------------------- */

enum {
    PLAIN_CALLS,
    PLAIN_TOPIC,
    PLAIN_NAME,
    PLAIN_FIND,
    PLAIN_TWICE,
    FENCING_CALLS,
    FENCING_TOPIC,
    FENCING_NAME,
    FENCING_FIND,
    FENCING_TWICE,
    OFFLINE_CALLS,
    OFFLINE_TOPIC,
    OFFLINE_NAME,
    OFFLINE_FIND,
    WALK,
    WALK_AND_POST,
    STRETCHES,
    POST_IN_POST,
    FIND_IN_POST,
    PINNED_LAST,
    BOTH_PLAIN,
    BOTH_FENCING,
    BOTH_OFFLINE,
    TWO_REMOVE,
    TWO_RECLAIM,
    ALL_FOUR,
    SCENARIOS
};

#define CALL                                                                                                           \
    {                                                                                                                  \
        .way = CALLS, .slots = { 1 }                                                                                   \
    }
#define SECOND                                                                                                         \
    {                                                                                                                  \
        .way = CALLS, .slots = { 2 }                                                                                   \
    }
#define TOPIC                                                                                                          \
    { .way = BY_TOPIC }
#define NAME                                                                                                           \
    { .way = BY_NAME }
#define LOOK_UP                                                                                                        \
    { .way = FIND }
#define FULL                                                                                                           \
    {                                                                                                                  \
        .way = BY_TOPIC, .slots = { 1 }                                                                                \
    }

static const struct scenario scenarios[SCENARIOS] = {
    [PLAIN_CALLS] = {"two calls, remove", .posts = {{CALL, CALL}}, .removed = {1}},
    [PLAIN_TOPIC] = {"two topic posts, reclaim", .posts = {{TOPIC, TOPIC}}, .reclaims = true},
    [PLAIN_NAME] = {"two name posts, reclaim", .posts = {{NAME, NAME}}, .reclaims = true},
    [PLAIN_FIND] = {"two look-ups, reclaim", .posts = {{LOOK_UP, LOOK_UP}}, .reclaims = true},
    [PLAIN_TWICE] = {"a call, remove two", .posts = {{SECOND, SECOND}}, .removed = {1, 2}},
    [FENCING_CALLS] = {"fencing: calls, remove", .posts = {{CALL, CALL}}, .removed = {1}, .ready = {FENCING_ALREADY}},
    [FENCING_TOPIC] = {"fencing: topic, reclaim", .posts = {{TOPIC, TOPIC}}, .reclaims = true,
                       .ready = {FENCING_ALREADY}},
    [FENCING_NAME] = {"fencing: name, reclaim", .posts = {{NAME, NAME}}, .reclaims = true, .ready = {FENCING_ALREADY}},
    [FENCING_FIND] = {"fencing: look-ups, reclaim", .posts = {{LOOK_UP, LOOK_UP}}, .reclaims = true,
                      .ready = {FENCING_ALREADY}},
    [FENCING_TWICE] = {"fencing: remove two", .posts = {{SECOND, SECOND}}, .removed = {1, 2},
                       .ready = {FENCING_ALREADY}},
    [OFFLINE_CALLS] = {"offline: calls, remove", .posts = {{CALL, CALL}}, .removed = {1}, .ready = {OFFLINE_ALREADY}},
    [OFFLINE_TOPIC] = {"offline: topic, reclaim", .posts = {{TOPIC, TOPIC}}, .reclaims = true,
                       .ready = {OFFLINE_ALREADY}},
    [OFFLINE_NAME] = {"offline: name, reclaim", .posts = {{NAME, NAME}}, .reclaims = true, .ready = {OFFLINE_ALREADY}},
    [OFFLINE_FIND] = {"offline: look-ups, reclaim", .posts = {{LOOK_UP, LOOK_UP}}, .reclaims = true,
                      .ready = {OFFLINE_ALREADY}},
    [WALK] = {"walk, remove two", .posts = {{{.way = CALLS, .slots = {1, 2}}}}, .removed = {2, 1}},
    [WALK_AND_POST] = {"fencing: walk, post in it", .posts = {{{.way = CALLS, .slots = {1, 2}, .nested = 3}}},
                       .removed = {2}, .ready = {FENCING_ALREADY}},
    [STRETCHES] = {"fencing: stretches", .posts = {{{.way = CALLS, .slots = {1, 2}, .stretches = true}}},
                   .removed = {2}, .ready = {FENCING_ALREADY}},
    [POST_IN_POST] = {"fencing: post in a post", .posts = {{{.way = CALLS, .slots = {1}, .nested = 3}}},
                      .removed = {3, 1}, .ready = {FENCING_ALREADY}},
    [FIND_IN_POST] = {"fencing: look-up in a post", .posts = {{{.way = CALLS, .slots = {1}, .finds = true}}},
                      .reclaims = true, .ready = {FENCING_ALREADY}},
    [PINNED_LAST] = {"fencing: last slot, reclaim", .posts = {{FULL, FULL}}, .reclaims = true,
                     .ready = {FENCING_ALREADY}},
    [BOTH_PLAIN] = {"remove and reclaim", .posts = {{FULL}}, .removed = {1}, .reclaims = true},
    [BOTH_FENCING] = {"fencing: both", .posts = {{FULL}}, .removed = {1}, .reclaims = true, .ready = {FENCING_ALREADY}},
    [BOTH_OFFLINE] = {"offline: both", .posts = {{FULL}}, .removed = {1}, .reclaims = true, .ready = {OFFLINE_ALREADY}},
    [TWO_REMOVE] = {"two posters, remove", .posts = {{CALL}, {CALL}}, .removed = {1},
                    .ready = {UNASKED, FENCING_ALREADY}},
    [TWO_RECLAIM] = {"two posters, reclaim", .posts = {{TOPIC}, {LOOK_UP}}, .reclaims = true,
                     .ready = {UNASKED, FENCING_ALREADY}},
    [ALL_FOUR] = {"all four", .posts = {{CALL}, {LOOK_UP}}, .removed = {1}, .reclaims = true},
};

/* ---- Mutations: the step that is left out, and the scenario that shows why it is needed -------------------------- */

static const struct omission {
    enum mutation mutation;
    const char *name;
    int scenario;
    bool needs_views; /* x86 keeps this order in any case: under TSO nothing may go wrong */
} omissions[] = {
    {DROP_HANDSHAKE_REMOVE, "HANDSHAKE_REMOVE", PLAIN_CALLS, false},
    {DROP_HANDSHAKE_RECLAIM, "HANDSHAKE_RECLAIM", PLAIN_TOPIC, false},
    {DROP_HANDSHAKE_FENCE, "HANDSHAKE_FENCE", FENCING_CALLS, true},
    {DROP_POLL, "POLL", FENCING_CALLS, false},
    {DROP_FIND_POLL, "FIND_POLL", OFFLINE_FIND, false},
    {DROP_ANSWER_FENCE, "ANSWER_FENCE", FENCING_CALLS, false},
    {DROP_AWAIT, "AWAIT", PLAIN_CALLS, false},
    {DROP_HEAVY, "HEAVY", PLAIN_CALLS, false},
    {DROP_OUTSIDE, "OUTSIDE", FENCING_CALLS, false},
    {DROP_OUTSIDE_SECTION, "outside: section", FENCING_FIND, false},
    {DROP_LAST_STATE, "LAST_STATE", FENCING_CALLS, false},
    {DROP_LAST_FRAMES, "LAST_FRAMES", WALK_AND_POST, false},
    {DROP_LAST_ONLY, "LAST_ONLY", STRETCHES, false},
    {DROP_LAST_SECTION, "last: section", FIND_IN_POST, true},
    {DROP_OFFLINE_LOOK, "OFFLINE_LOOK", FENCING_TWICE, false},
    {DROP_OFFLINE_FENCE, "fence before OFFLINE_LOOK", FENCING_TWICE, true},
    {DROP_GO_ONLINE, "GO_ONLINE", OFFLINE_CALLS, false},
    {DROP_ANSWERED_RELEASE, "answered: release", WALK, true},
    {DROP_ANSWERED_ACQUIRE, "answered: acquire", WALK, true},
    {DROP_TOP_END_RELEASE, "top at the end: release", PLAIN_TOPIC, true},
    {DROP_TOP_ACQUIRE, "top: acquire", PLAIN_TOPIC, true},
    {DROP_OUTSIDE_TOP_ACQUIRE, "top in the handshake: acquire", FENCING_CALLS, true},
    {DROP_SECTION_RELEASE, "section: release", PLAIN_NAME, true},
    {DROP_SECTION_ACQUIRE, "section: acquire", PLAIN_NAME, true},
    {DROP_OUTSIDE_SECTION_ACQUIRE, "section in the handshake: acquire", FENCING_FIND, true},
    {DROP_LAST_RELEASE, "hazard: release", PINNED_LAST, true},
    {DROP_LAST_HAZARD_ACQUIRE, "hazard in the handshake: acquire", PINNED_LAST, true},
};

/* Order annotations that are not needed: every scenario is safe without them. One scenario is run for each. */
static const struct omission unneeded[] = {
    {DROP_ASKED_ACQUIRE, "asked: acquire", FENCING_TWICE, true},
    {DROP_TOP_BEGIN_RELEASE, "top at the beginning: release", FENCING_TWICE, true},
};

/* ---- The start and the end of scenarios -------------------------------------------------------------------------- */

static int running(const struct state *state) {
    int set = 0;
    for (int thread = 0; thread < THREADS; thread++) {
        const struct thread *its = &state->thread[thread];
        if (its->step != DONE) set |= bit(thread);
    }
    return set;
}

static enum verdict judge_end(const struct state *state) {
    for (int slot = 1; slot <= SLOTS; slot++)
        if (state->owed[slot]) return HOOK_NEVER;
    return SAFE;
}

/* A fencing thread has answered the ticket that it keeps. */
static struct state beginning(void) {
    struct state state;
    uint8_t value[LOCATIONS];
    memset(&state, 0, sizeof state);
    memset(value, 0, sizeof value);
    value[TABLE] = LISTED;
    state.newest = TICKET;
    for (int poster = 0; poster < POSTERS; poster++) {
        enum readiness ready = scenario->ready[poster];
        if (!is_there(poster) || ready == UNASKED) continue;
        value[ASKED + poster] = (uint8_t)(TICKET | (ready == OFFLINE_ALREADY ? FLAGS : FENCING));
        value[ANSWERED + poster] = state.thread[poster].heard = TICKET;
        if (ready == OFFLINE_ALREADY) state.offline |= (uint8_t)bit(poster);
    }
    memory_begin(&state.memory, value);
    for (int poster = 0; poster < POSTERS; poster++) begin_post(&state, poster, 0);
    begin_task(&state, REMOVER, 0);
    begin_task(&state, RECLAIMER, 0);
    return state;
}

static enum verdict run(int number, enum mutation left_out, enum memory_model memory_model) {
    scenario = &scenarios[number];
    mutation = left_out;
    model = memory_model;
    struct state state = beginning();
    return search(&state);
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

static int passed, failed;

static const char *judge(bool as_expected) {
    if (as_expected)
        passed++;
    else
        failed++;
    return as_expected ? "" : "  <-- FAILED";
}

static void report_protocol(void) {
    printf("%-28s  %-12s  %9s  %s\n", "The handshake: scenario", "memory model", "states", "verdict");
    for (int i = 0; i < SCENARIOS; i++) {
        for (int m = 0; m < MODELS; m++) {
            if (i == ALL_FOUR && m == VIEWS) continue; /* too many states: see the head of the file */
            enum verdict verdict = run(i, DROP_NOTHING, m);
            printf("%-28s  %-12s  %9d  %s%s\n", scenarios[i].name, m == X86_TSO ? "x86-TSO" : "views", states,
                   verdict_names[verdict], judge(verdict == SAFE));
            fflush(stdout);
        }
    }
}

static void report_omission(const struct omission *omission, bool is_needed) {
    printf("%-29s  %-27s", omission->name, scenarios[omission->scenario].name);
    for (int m = 0; m < MODELS; m++) {
        enum verdict verdict = run(omission->scenario, omission->mutation, m);
        bool harmless = !is_needed || (omission->needs_views && m == X86_TSO);
        const char *name = harmless && verdict == SAFE ? "no harm" : verdict_names[verdict];
        printf("  %-*s%s", m == X86_TSO ? 29 : 0, name, judge(harmless ? verdict == SAFE : verdict < TOO_MANY_STATES));
    }
    printf("\n");
}

#define TABLE_OF(what) printf("\n%-29s  %-27s  %-29s  %s\n", what, "scenario", "x86-TSO", "views")
#define EACH(omission, of) (const struct omission *omission = of; omission < of + sizeof of / sizeof *of; omission++)

/* ---- The way to a fault ------------------------------------------------------------------------------------------ */

#define TEXT_OF(step) #step
static const char *const step_names[] = {STEPS(TEXT_OF)};
static const char *const thread_names[THREADS] = {"poster 1", "poster 2", "remover", "reclaimer"};

static struct way worst_way[MOST_DEPTH];
static int worst_depth;

static void keep_way(void) { memcpy(worst_way, way, (size_t)(worst_depth = depth) * sizeof *way); }

static int print_way(const struct omission *omission) {
    when_worse = keep_way;
    enum verdict verdict = run(omission->scenario, omission->mutation, omission->needs_views ? VIEWS : X86_TSO);
    printf("%s, %s, without %s:\n", scenarios[omission->scenario].name, model == VIEWS ? "views" : "x86-TSO",
           omission->name);
    for (int i = 0; i < worst_depth; i++) {
        int step = worst_way[i].step;
        printf("  %-10s %s", thread_names[worst_way[i].thread], step == DRAINS ? "(a store drains)" : step_names[step]);
        printf(worst_way[i].taken ? ", outcome %d\n" : "\n", worst_way[i].taken);
    }
    printf("%s\n", verdict_names[verdict]);
    return verdict != SAFE;
}

int main(int argc, char **argv) {
    for
        EACH(omission, omissions)
    if (argc > 1 && strcmp(omission->name, argv[1]) == 0) return print_way(omission);
    report_protocol();
    TABLE_OF("Left out");
    for
        EACH(omission, omissions) report_omission(omission, true);
    TABLE_OF("Left out, and not missed");
    for
        EACH(omission, unneeded) report_omission(omission, false);
    printf("\n%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
