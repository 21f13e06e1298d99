/* A run is named by its choices: a random walk by its seed, other runs by the unusual choices, each with its place. */
#include "choice.h"
#include "run.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1 << 16 };
enum { BOUNDED, RANDOM, REPLAY };

static struct {
    uint8_t chosen, options;
    bool costs;
} path[MOST];
static int depth, prefix, bound, mode;
static uint64_t seed, state;
static int rarity, hold_rarity, drain_rarity; /* of a random walk: one in so many */
static bool fits = true;

static uint64_t draw(void) { /* splitmix64 */
    uint64_t mixed = state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static int draw_choice(int options, bool costs) {
    if (!costs) return (int)(draw() % (uint64_t)options);
    return draw() % (uint64_t)rarity ? 0 : 1 + (int)(draw() % (uint64_t)(options - 1));
}

int choose(int options, bool costs) {
    if (options > 200) options = 200;
    if (depth == MOST) run_fail("it does not end: too many choices");
    int chosen = mode == RANDOM ? draw_choice(options, costs) : depth < prefix ? path[depth].chosen : 0;
    if (chosen >= options) {
        fits = false;
        run_fail("a choice of the seed is not there");
    }
    path[depth].chosen = (uint8_t)chosen;
    path[depth].options = (uint8_t)options;
    path[depth].costs = costs;
    depth++;
    return chosen;
}

bool choose_to_hold(void) {
    if (mode != RANDOM) return choose(2, true) != 0;
    return draw() % (uint64_t)hold_rarity == 0;
}

bool choose_to_drain(void) { return mode == RANDOM && draw() % (uint64_t)drain_rarity == 0; }

void choice_begin_bounded(int most) {
    mode = BOUNDED;
    bound = most;
    prefix = 0;
}

void choice_begin_random(uint64_t number) {
    mode = RANDOM;
    seed = number;
}

void choice_begin_run(void) {
    depth = 0;
    state = seed;
    static const int rarities[] = {2, 4, 10, 25, 100}, holds[] = {2, 4, 13, 50}, drains[] = {4, 16, 64, 256};
    rarity = rarities[seed % 5];
    drain_rarity = drains[seed / 5 % 4];
    hold_rarity = holds[seed / 20 % 4];
}

bool choice_has_next(void) {
    static int spent[MOST + 1];
    for (int i = 0; i < depth; i++) spent[i + 1] = spent[i] + (path[i].costs && path[i].chosen);
    for (int i = depth; i-- > 0;) {
        if (path[i].chosen + 1 >= path[i].options) continue;
        if (path[i].costs && spent[i] + 1 > bound) continue;
        path[i].chosen++;
        prefix = i + 1;
        return true;
    }
    return false;
}

/* ---- Names of runs ----------------------------------------------------------------------------------------------- */

const char *choice_seed(void) {
    static char name[4096];
    if (mode == RANDOM) {
        snprintf(name, sizeof name, "%llu", (unsigned long long)seed);
        return name;
    }
    size_t length = (size_t)snprintf(name, sizeof name, "at");
    for (int i = 0; i < depth && length < sizeof name - 32; i++)
        if (path[i].chosen)
            length += (size_t)snprintf(name + length, sizeof name - length, "-%d.%d", i, path[i].chosen);
    return name;
}

bool choice_seed_fits(void) { return fits && (mode != REPLAY || prefix <= depth); }

bool choice_begin_replay(const char *name) {
    char *end;
    if (isdigit((unsigned char)*name)) {
        choice_begin_random(strtoull(name, &end, 10));
        return !*end;
    }
    if (strncmp(name, "at", 2) != 0) return false;
    mode = REPLAY;
    prefix = 0;
    memset(path, 0, sizeof path);
    for (name += 2; *name == '-'; name = end) {
        long place = strtol(name + 1, &end, 10);
        if (*end != '.' || place < prefix || place >= MOST) return false;
        long chosen = strtol(end + 1, &end, 10);
        if (chosen < 1 || chosen > 199) return false;
        path[place].chosen = (uint8_t)chosen;
        prefix = (int)place + 1;
    }
    return !*name;
}
