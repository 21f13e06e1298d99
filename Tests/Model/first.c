/* A model of how the copies of the library in one process agree on the first copy (first.c of the core).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/first Tests/Model/first.c && build/first [MUTATION]
 *
 * Three copies begin at any moments; or two of them begin, and the third never does. Each looks at the others one by
 * one, in the linker's order, and one access is a step. Memory is sequentially consistent: a full fence stands between
 * a copy's claim and its look, and the protocol depends on no other order.
 *
 * Claims.
 *   ONE      At most one copy is the first.
 *   AGREED   At rest, all copies that have begun have the first one's centers.
 *
 * Left out. A copy whose process forked while it claimed: the others give it up after a while. Copies that do not fit:
 * they are as if they were not there.
 *
 * Lesson. A copy that has withdrawn its claim must not claim again while another claims. Otherwise the two may
 * alternate for ever. */
#include <stdbool.h>
#include <stdint.h>

enum { COPIES = 3, NOBODY = 0 };
enum { NO_CLAIM, CLAIMS, IS_FIRST };
enum { ABSENT, LOOKS, DECIDES, WAITS, DONE };

struct state {
    struct copy {
        uint8_t claim;
        uint8_t step, at;  /* LOOKS: the copy that it looks at next */
        uint8_t has_claim; /* its own memory of its claim */
        uint8_t first;     /* from this look: the copy whose claim is IS_FIRST, its number + 1 */
        uint8_t before, behind;
        uint8_t seen[COPIES];
        uint8_t result; /* number + 1 */
    } copy[COPIES];
};

#include "host.h"

enum { NO_CLAIMING = 1, CLAIM_LAST, IN_FRONT, BEHIND, SAME_LOOK };
static const struct mutation mutations[] = {
    [NO_CLAIMING] = {"NO_CLAIMING", "ONE", 0}, /* it becomes the first when it has seen no other */
    [CLAIM_LAST] = {"CLAIM_LAST", "ONE", 0},   /* it claims, and does not look again */
    [IN_FRONT] = {"IN_FRONT", "ONE", 0},       /* it does not withdraw for a copy in front of it */
    [BEHIND] = {"BEHIND", "ONE", 0},           /* it does not wait for a copy behind it */
    [SAME_LOOK] = {"SAME_LOOK", "AGREED", 0},  /* it withdraws, and takes the one that claims for the first */
    {NULL, NULL, 0},
};

enum { SCENARIOS = 2 };
static const char *scenario_name(int number) {
    static const char *const names[SCENARIOS] = {"three copies", "two copies"};
    return names[number];
}

static void look_again(struct copy *copy) {
    copy->step = LOOKS;
    copy->at = copy->first = copy->before = copy->behind = 0;
    memset(copy->seen, 0, sizeof copy->seen);
}

static void look(struct state *state, int who) {
    struct copy *copy = &state->copy[who];
    int other = copy->at++;
    uint8_t claim = copy->seen[other] = other == who ? NO_CLAIM : state->copy[other].claim;
    if (claim == IS_FIRST && !copy->first) copy->first = (uint8_t)(other + 1);
    if (claim == CLAIMS) *(other < who ? &copy->before : &copy->behind) = (uint8_t)(other + 1);
    say("    copy %d: looks at %d", who, other);
    if (copy->at == COPIES) copy->step = DECIDES;
}

static void be(struct copy *copy, int who, int first) {
    copy->result = (uint8_t)(first + 1);
    copy->step = DONE;
    if (first == who) copy->claim = IS_FIRST;
    say("    copy %d: the first is %d", who, first);
}

static void set_claim(struct copy *copy, int who, uint8_t claim) {
    copy->claim = claim;
    copy->has_claim = claim == CLAIMS;
    say("    copy %d: %s", who, claim == CLAIMS ? "claims" : "stands back");
}

static void decide(struct copy *copy, int who) {
    bool before = copy->before && !wrong(IN_FRONT), behind = copy->behind && !wrong(BEHIND);
    if (copy->has_claim && (copy->first || before)) {
        set_claim(copy, who, NO_CLAIM);
        if (wrong(SAME_LOOK) && !copy->first) copy->first = copy->before;
        if (!copy->first) copy->step = WAITS;
    } else if (copy->first) {
        be(copy, who, copy->first - 1);
    } else if (before || behind) {
        copy->step = WAITS;
    } else if (copy->has_claim || wrong(NO_CLAIMING)) {
        be(copy, who, who);
    } else {
        set_claim(copy, who, CLAIMS);
        look_again(copy);
        if (wrong(CLAIM_LAST)) be(copy, who, who);
    }
}

/* It naps and looks again. A look that would see the same is no step. */
static bool has_waited(const struct state *state, int who) {
    for (int other = 0; other < COPIES; other++)
        if (other != who && state->copy[other].claim != state->copy[who].seen[other]) return true;
    return false;
}

static bool take(struct state *state, int who) {
    struct copy *copy = &state->copy[who];
    if (copy->step == DONE || (scenario == 1 && who == COPIES - 1)) return false;
    if (copy->step == ABSENT) {
        say("    copy %d: begins", who);
        look_again(copy);
    } else if (copy->step == WAITS) {
        if (!has_waited(state, who)) return false;
        say("    copy %d: has waited", who);
        look_again(copy);
    } else if (copy->step == LOOKS) {
        look(state, who);
    } else {
        decide(copy, who);
    }
    int firsts = 0;
    for (int i = 0; i < COPIES; i++) firsts += state->copy[i].claim == IS_FIRST;
    claim(firsts <= 1, "ONE");
    return true;
}

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    return state;
}

static void judge_rest(const struct state *state) {
    int first = NOBODY;
    for (int i = 0; i < COPIES; i++)
        if (state->copy[i].claim == IS_FIRST) first = i + 1;
    for (int i = 0; i < COPIES; i++)
        claim(state->copy[i].step == ABSENT || (first && state->copy[i].result == first), "AGREED");
}

int main(int count, char **arguments) {
    static const struct model model = {"first", "one first", SCENARIOS, COPIES, COPIES, mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
