/* A model of what a center's transport is told: levels with versions (told.c, and add_and_tell() in observe.c).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/told Tests/Model/told.c && build/told [MUTATION]
 *
 * Two threads add and remove observers of one name, each twice. What a thread does under the center's lock is one step,
 * and what the transport does in its hook is one step. Between two steps of a thread the others take any number of
 * theirs, so hooks overtake each other in every way. The transport begins to refuse, and takes it back, at any moments.
 * The bucket of the name is evicted whenever it may be. The first thread forks at any moment: then the other one
 * vanishes, and the transport reaches out for nothing, because its threads are gone; it keeps its memory.
 *
 * Claims.
 *   KNOWN    While a registration of this process is published, the transport reaches out for the name.
 *   QUIET    At rest, the transport does not reach out for the name.
 *   SAME     A refused add has changed nothing: it is told nothing more, unless it was accepted before.
 *
 * Left out. Prefixes, and observers of all names: they are names of their own. The end of a center: it takes back each
 * name as a removal does. Memory that is out: such an add takes back as a refused one does.
 *
 * Lessons. An add must tell the transport again if another thread has taken the name back during its hook; and if the
 * transport then refuses, the add must take the name back itself, because a transport that forgets names without
 * observers may have heard its first call last. */
#include <stdbool.h>
#include <stdint.h>

enum { ADDERS = 2, ROUNDS = 2 };
enum move { REFUSES = ADDERS, EVICTS, FORKS, MOVES };
enum { ADD, IN_HOOK, HOOK_RETURNED, HAS_ADDED, REMOVED, TAKES_BACK, SETTLES, GONE };

struct state {
    uint8_t version, inherited, forgotten;   /* the center's */
    uint8_t told, reached, noted, observers; /* the bucket's */
    struct {
        uint8_t is_on, newest, refuses, refusals;
    } transport;
    uint8_t forked;
    struct adder {
        uint8_t step, rounds;
        uint8_t version, accepted; /* of the hook that it is in; of the hook that has accepted */
        uint8_t answer, published;
        uint8_t told; /* it takes back with this version; 0: nothing */
    } adder[ADDERS];
};

#include "host.h"

enum { STALE_ANSWER = 1, TAKE_BACK, OLDER_VERSION, EARLY, COUNTS_REFUSALS, UNHELD, INHERITED, NO_RETURN, ALWAYS_BACK };
static const struct mutation mutations[] = {
    [STALE_ANSWER] = {"STALE_ANSWER", "KNOWN", 0},       /* an add takes an answer although it has been overtaken */
    [TAKE_BACK] = {"TAKE_BACK", "QUIET", 0},             /* a removal tells nothing */
    [OLDER_VERSION] = {"OLDER_VERSION", "KNOWN", 0},     /* the transport does what an older version says */
    [EARLY] = {"EARLY", "KNOWN", 0},                     /* an add publishes before the hook */
    [COUNTS_REFUSALS] = {"COUNTS_REFUSALS", "KNOWN", 0}, /* the transport keeps the version of a call that it refuses */
    [UNHELD] = {"UNHELD", "KNOWN", 0},                   /* a bucket is evicted while an add tells of it */
    [INHERITED] = {"INHERITED", "KNOWN", 0},             /* a child takes what its parent told for told */
    [NO_RETURN] = {"NO_RETURN", "QUIET", 1},             /* an add that is refused at last takes nothing back */
    [ALWAYS_BACK] = {"ALWAYS_BACK", "SAME", 0},          /* every refused add takes back */
    {NULL, NULL, 0},
};

enum { SCENARIOS = 2 };
static const char *scenario_name(int number) {
    static const char *const names[SCENARIOS] = {"a transport that remembers versions",
                                                 "a transport that forgets names without observers"};
    return names[number];
}

/* ---- The transport ----------------------------------------------------------------------------------------------- */

/* Returns whether it accepts. */
static bool hear(struct state *state, bool is_observed, uint8_t version) {
    if (is_observed && state->transport.refuses) {
        if (wrong(COUNTS_REFUSALS) && version > state->transport.newest) state->transport.newest = version;
        return false;
    }
    if (version < state->transport.newest && !wrong(OLDER_VERSION)) return true;
    state->transport.newest = version;
    state->transport.is_on = is_observed;
    if (scenario == 1 && !is_observed) state->transport.newest = 0;
    return true;
}

/* ---- The center, under its lock ---------------------------------------------------------------------------------- */

static bool is_newest(const struct state *state, uint8_t version) {
    return (version > state->inherited || wrong(INHERITED)) && (version > state->told || wrong(STALE_ANSWER));
}

/* herald_told_begin() and herald_told_holds(), and the add itself if the transport knows. */
static void add(struct state *state, struct adder *adder, int who) {
    bool knows = state->reached && (state->told > state->inherited || wrong(INHERITED));
    if (!knows && adder->accepted && is_newest(state, adder->accepted)) {
        state->reached = true;
        state->told = adder->accepted;
        knows = true;
    }
    if (knows) {
        adder->accepted = 0;
        adder->published = true;
        state->observers++;
        adder->step = HAS_ADDED;
        say("    adder %d: publishes", who);
        return;
    }
    adder->version = ++state->version;
    adder->step = IN_HOOK;
    if (wrong(EARLY)) adder->published = true;
    say("    adder %d: draws version %d", who, adder->version);
}

static void note(struct state *state) {
    if (state->reached && !state->observers && !wrong(TAKE_BACK)) state->noted = true;
}

/* The next noted name: draws a version if it has no observer. */
static void settle(struct state *state, struct adder *adder, int who) {
    if (!state->noted) {
        adder->step = adder->rounds == ROUNDS ? GONE : ADD;
        say("    adder %d: nothing is noted", who);
        return;
    }
    state->noted = false;
    if (state->observers) {
        say("    adder %d: the name is observed again", who);
        return;
    }
    state->reached = false;
    adder->told = state->told = ++state->version;
    adder->step = TAKES_BACK;
    say("    adder %d: draws version %d to take back", who, adder->told);
}

/* herald_told_end(), for an add that was refused at last. */
static void take_back(struct state *state, struct adder *adder, int who) {
    adder->accepted = 0;
    adder->step = SETTLES;
    if (state->reached) {
        note(state);
        say("    adder %d: notes the name", who);
        return;
    }
    state->told = adder->told = ++state->version;
    adder->step = TAKES_BACK;
    say("    adder %d: draws version %d to take back", who, adder->told);
}

/* ---- The moves --------------------------------------------------------------------------------------------------- */

static void end_round(struct adder *adder) {
    adder->rounds++;
    adder->step = SETTLES;
    adder->published = false;
}

static void return_from_hook(struct state *state, struct adder *adder, int who) {
    if (adder->answer) {
        adder->accepted = adder->version;
        add(state, adder, who);
        return;
    }
    bool was_accepted = adder->accepted != 0;
    end_round(adder);
    if (was_accepted ? !wrong(NO_RETURN) : wrong(ALWAYS_BACK)) {
        claim(was_accepted, "SAME");
        take_back(state, adder, who);
    } else {
        adder->accepted = 0;
        say("    adder %d: is refused", who);
    }
}

static bool step(struct state *state, int who) {
    struct adder *adder = &state->adder[who];
    switch (adder->step) {
    case ADD: add(state, adder, who); break;
    case IN_HOOK:
        adder->answer = hear(state, true, adder->version);
        adder->step = HOOK_RETURNED;
        say("    adder %d: its hook %s version %d", who, adder->answer ? "accepts" : "refuses", adder->version);
        break;
    case HOOK_RETURNED: return_from_hook(state, adder, who); break;
    case HAS_ADDED:
        state->observers--;
        end_round(adder);
        note(state);
        say("    adder %d: removes", who);
        break;
    case SETTLES: settle(state, adder, who); break;
    case TAKES_BACK:
        hear(state, false, adder->told);
        adder->told = 0;
        adder->step = SETTLES;
        say("    adder %d: its hook takes back", who);
        break;
    default: return false;
    }
    return true;
}

/* Twice: it begins to refuse, and takes it back. */
static bool refuse(struct state *state) {
    if (state->transport.refusals == 2) return false;
    state->transport.refusals++;
    state->transport.refuses = !state->transport.refuses;
    say("    the transport %s", state->transport.refuses ? "refuses from now on" : "accepts again");
    return true;
}

static bool is_held(const struct adder *adder) { return adder->step == IN_HOOK || adder->step == HOOK_RETURNED; }

static bool evict(struct state *state) {
    bool held = (is_held(&state->adder[0]) || is_held(&state->adder[1])) && !wrong(UNHELD);
    if (held || state->reached || state->noted || state->observers || !state->told) return false;
    state->told = 0;
    say("    the bucket is evicted");
    return true;
}

/* The first thread's registration is inherited: the transport need not know it. */
static bool fork_now(struct state *state) {
    if (state->forked || state->adder[0].step == GONE) return false;
    state->forked = true;
    state->inherited = state->version;
    state->transport.is_on = false;
    if (state->adder[1].step == HAS_ADDED) state->observers--; /* as if it were removed in the child at once */
    state->adder[1].step = GONE;
    state->adder[1].published = state->adder[0].published = false;
    note(state);
    say("    the first adder's thread forks");
    return true;
}

static bool take(struct state *state, int move) {
    bool taken = move < ADDERS     ? step(state, move)
                 : move == REFUSES ? refuse(state)
                 : move == EVICTS  ? evict(state)
                                   : fork_now(state);
    if (!taken) return false;
    for (int i = 0; i < ADDERS; i++) claim(!state->adder[i].published || state->transport.is_on, "KNOWN");
    return true;
}

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    return state;
}

static void judge_rest(const struct state *state) { claim(!state->transport.is_on, "QUIET"); }

int main(int count, char **arguments) {
    static const struct model model = {"told",   "each name known while it is observed", SCENARIOS, ADDERS, MOVES,
                                       mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
