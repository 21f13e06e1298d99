/* The search and the report, for all models of the host center.
 *
 * A model includes this after its struct state, which consists of bytes alone, and defines how many moves a state may
 * have. The search goes breadth first: from the initial state, every possible move leads to a next state. So it finds a
 * fault by a shortest way. States are kept whole and compared byte by byte, so none is missed. Memory between processes
 * is sequentially consistent, as is everything that the host center's processes share except the bytes of messages. So
 * a state describes everything. For the bytes of messages a state has memory as in host_views.h.
 *
 * Each model is explored as it is: no claim may be broken, and every order of events comes to an end (END), so no
 * process loops for ever. Then it is explored with each mutation, which leaves one step of the protocol out or puts it
 * in the wrong place: some claim must break. With the name of a mutation as an argument, the program prints the way to
 * the fault. */
#ifndef HOST_H
#define HOST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Defined by the model ---------------------------------------------------------------------------------------- */

static const char *scenario_name(int number);
static struct state beginning(void);               /* of the scenario */
static bool take(struct state *state, int move);   /* false: it cannot be taken now */
static void judge_rest(const struct state *state); /* no process has anything left to do */

struct mutation {
    const char *name, *claim; /* the claim that it must break; other claims are not checked */
    int scenario;             /* the scenario that shows it */
};

static int scenario; /* the number of the scenario that is explored */
static int mutation; /* the number of the mutation; 0: the protocol as it is */
#define wrong(step) (mutation == (step))

/* ---- For use in moves -------------------------------------------------------------------------------------------- */

static const char *broken; /* the claim that the last move has broken */
static const char *only;   /* the only claim that is checked; NULL: all */
static bool telling;       /* the way to a fault is being printed */

static void claim(bool kept, const char *name) {
    if (!kept && !broken && (!only || strcmp(only, name) == 0)) broken = name;
}

/* Describes a step when the way is printed. */
#define say(...) (telling ? (void)printf(__VA_ARGS__) : (void)0)

/* ---- The search ------------------------------------------------------------------------------------------------- */

enum { MOST_STATES = 1500000, TABLE_BITS = 22 };

static struct state *states;    /* in the order in which they were found */
static unsigned *parents;       /* the state from which each was found */
static unsigned char *by_moves; /* and the move */
static unsigned *table;         /* state numbers + 1, by the states' hashes */
static unsigned *ways;          /* the number of moves that lead to each */
static unsigned found;

static size_t place_of(const struct state *state) {
    unsigned long long hash = 0, word;
    for (size_t at = 0; at < sizeof *state; at += sizeof word) {
        size_t rest = sizeof *state - at;
        word = 0;
        memcpy(&word, (const char *)state + at, rest < sizeof word ? rest : sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (size_t)(hash * 0xd6e8feb86659fd93u >> (64 - TABLE_BITS));
}

/* The state's place in the table, or the place for it. */
static size_t look_up(const struct state *state) {
    size_t place = place_of(state);
    while (table[place] && memcmp(&states[table[place] - 1], state, sizeof *state) != 0)
        place = (place + 1) % (1 << TABLE_BITS);
    return place;
}

/* Adds the state if it is new. The search continues from it later. */
static void find(const struct state *state, unsigned parent, int move) {
    size_t place = look_up(state);
    if (!table[place]) {
        if (found == MOST_STATES) {
            printf("too many states\n");
            exit(EXIT_FAILURE);
        }
        states[found] = *state;
        parents[found] = parent;
        by_moves[found] = (unsigned char)move;
        ways[found] = 0;
        table[place] = ++found;
    }
    ways[table[place] - 1]++;
}

/* Whether every way comes to an end: removes states to which no way leads any more, with the ways from them, until none
 * is left to remove. The states that remain lie on a circle. */
static bool all_end(int moves) {
    unsigned *gone = parents, count = 0; /* the parents are not needed any more */
    if (--ways[0] == 0) gone[count++] = 0;
    for (unsigned i = 0; i < count; i++) {
        for (int move = 0; move < moves; move++) {
            struct state next = states[gone[i]];
            if (!take(&next, move)) continue;
            unsigned number = table[look_up(&next)] - 1;
            if (--ways[number] == 0) gone[count++] = number;
        }
    }
    return count == found;
}

static void show_way(unsigned number) {
    if (number == 0) return;
    show_way(parents[number]);
    struct state state = states[parents[number]];
    take(&state, by_moves[number]);
    printf("\n");
}

/* The last move leads to a state that is not among those found; -1: no move, the fault is in the state at rest. */
static void show(unsigned number, int move) {
    const char *name = broken;
    telling = true;
    show_way(number);
    if (move >= 0) {
        struct state state = states[number];
        take(&state, move);
        printf("\n");
    }
    telling = false;
    printf("    ... which breaks %s\n", name);
}

/* Explores every state of the scenario, or up to the first that breaks a claim. The first `steps` moves are steps of
 * processes; the others, up to `moves`, are faults that befall them. */
static bool explore(int steps, int moves, bool shown) {
    memset(table, 0, sizeof *table << TABLE_BITS);
    broken = NULL;
    found = 0;
    struct state start = beginning();
    find(&start, 0, 0);
    for (unsigned number = 0; number < found && !broken; number++) {
        bool rests = true;
        int move = 0;
        for (; move < moves && !broken; move++) {
            struct state next = states[number];
            if (!take(&next, move)) continue;
            if (move < steps) rests = false;
            if (!broken) find(&next, number, move);
        }
        if (rests && !broken) {
            judge_rest(&states[number]);
            move = 0;
        }
        if (broken && shown) show(number, move - 1);
    }
    if (!broken && !mutation) claim(all_end(moves), "END");
    return !broken;
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

struct model {
    const char *name, *kept; /* its subject, and the text for "no claim is broken" */
    int scenarios;
    int steps, moves;                 /* see explore() */
    const struct mutation *mutations; /* from 1; an entry without a name ends the list */
};

/* Returns false if a claim is broken. */
static bool report_protocol(const struct model *model, unsigned long long *sum) {
    for (scenario = 0; scenario < model->scenarios; scenario++) {
        bool kept = explore(model->steps, model->moves, true);
        printf("%-44s  %8u states%s%s\n", scenario_name(scenario), found,
               kept ? "" : "  <-- FAILED: ", kept ? "" : broken);
        if (!kept) return false;
        *sum += found;
    }
    return true;
}

/* Returns false if the mutation breaks nothing. */
static bool report_mutation(const struct model *model, const char *shown) {
    const struct mutation *it = &model->mutations[mutation];
    only = it->claim;
    scenario = it->scenario;
    bool kept = explore(model->steps, model->moves, shown && strcmp(shown, it->name) == 0);
    printf("  %-17s  breaks %-8s  %s%s\n", it->name, only, scenario_name(scenario), kept ? "  <-- SURVIVED" : "");
    return !kept;
}

static int report(const struct model *model, const char *shown) {
    unsigned long long sum = 0;
    int caught = 0, survived = 0;
    states = malloc(MOST_STATES * sizeof *states);
    parents = malloc(MOST_STATES * sizeof *parents);
    by_moves = malloc(MOST_STATES);
    ways = malloc(MOST_STATES * sizeof *ways);
    table = malloc(sizeof *table << TABLE_BITS);
    if (!states || !parents || !by_moves || !ways || !table) return EXIT_FAILURE;
    if (!report_protocol(model, &sum)) return EXIT_FAILURE;
    for (mutation = 1; model->mutations[mutation].name; mutation++) {
        bool is_caught = report_mutation(model, shown);
        caught += is_caught;
        survived += !is_caught;
    }
    printf("model, %s: %llu states, %s; mutations: %d caught, %d survived\n", model->name, sum, model->kept, caught,
           survived);
    return survived ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
