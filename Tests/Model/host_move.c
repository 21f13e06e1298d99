/* A model of how processes of the host center get from one file to another (move.c, userfile.c, center.c, token.c).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/host_move Tests/Model/host_move.c && build/host_move [MUTATION]
 */
#include <stdbool.h>
#include <stdint.h>

enum { FILES = 4, PROCESSES = 4, POSTS_EACH = 2 };

enum step {
    ABSENT, /* it has ended, has been killed or stopped, or is none of the scenario */
    REST,
    /* a look */
    LOOK_AT_PATH,
    RETIRE_OWN,
    OPEN,
    MAKE,
    READ_MARK,
    /* a renewal */
    LOCK,
    CHECK,
    CLEAR_BESIDE,
    MAKE_BESIDE,
    CHECK_AGAIN,
    DROP_BESIDE,
    RENAME,
    RETIRE_OLD,
    UNLOCK,
    /* arriving in another file */
    READ_CARRIED,
    READ_OLD_STATE,
    READ_STATE,
    READ_FLAG,
    SWAP_STATE,
    SET_FLAG,
    SET_CARRIED,
    READ_POSTS,
    POST_AGAIN,
    /* jobs */
    COUNT,
    COUNTED,
    FLAG_STATE,
    STORE_STATE,
    STORED,
    /* mutations */
    COMPLETE,
    RETIRE_LATE,
};

/* Files and processes have numbers from 1; 0 is none. */
struct state {
    uint8_t path, beside; /* the file that lies there */
    struct file {
        uint8_t complete, retired, posts, state, has_state;
        uint8_t from, carried; /* the file that it was to replace, and the one whose states are all here */
        uint8_t lock;          /* the process that is putting another in its place */
        uint8_t met;           /* the judge's: the watchers that have been here */
    } files[FILES + 1];
    struct process {
        uint8_t step, job;
        uint8_t after;        /* its look: where the job goes on; REST: the look belongs to none */
        uint8_t renews;       /* on request: its renewal belongs to no look */
        uint8_t session, old; /* the file that it has mapped, and the one it comes from */
        uint8_t target;       /* the file that it has found, or renews */
        uint8_t before;       /* the file of the post or SetState that it has to make again */
        uint8_t posted;       /* since the last look that found everything in order */
        uint8_t seen;         /* a watcher's, of the posts */
        uint8_t watches, added;
        uint8_t theirs, mine; /* states it has read */
        uint8_t value;        /* it sets */
        uint8_t owed, sure;   /* the judge's: posts not heard yet; and those that need no other step of their poster */
    } processes[PROCESSES + 1];
    uint8_t faults;
    /* What only the judge knows. */
    uint8_t complete;        /* posts */
    uint8_t begun, achieved; /* SetState: the last value of each kind */
};

#include "host.h"

enum {
    NO_RETIRE = 1,
    NO_RETIRED_LOOK,
    NO_REPOST,
    NO_RECALL,
    STATE_NO_LOOK,
    CARRY_BEFORE_MARK,
    CARRIED_FIRST,
    CARRY_FROM_ANY,
    FLAG_BEFORE_STATE,
    NO_SWAP_AGAIN,
    LINK_FIRST,
};
static const struct mutation mutations[] = {
    [NO_RETIRE] = {"NO_RETIRE", "LOSS"},                  /* no file is marked */
    [NO_RETIRED_LOOK] = {"NO_RETIRED_LOOK", "LOSS"},      /* a poster does not look for the mark when it has counted */
    [NO_REPOST] = {"NO_REPOST", "LOSS"},                  /* a poster that moves posts nothing again */
    [NO_RECALL] = {"NO_RECALL", "LOSS"},                  /* a watcher that moves calls only for what it has seen */
    [STATE_NO_LOOK] = {"STATE_NO_LOOK", "STATE"},         /* SetState does not look for the mark */
    [CARRY_BEFORE_MARK] = {"CARRY_BEFORE_MARK", "STATE"}, /* a mover marks its file when it has carried the states */
    [CARRIED_FIRST] = {"CARRIED_FIRST", "STATE"},         /* it says that they are there before they are */
    [CARRY_FROM_ANY] = {"CARRY_FROM_ANY", "STATE"},       /* states from an older file count as the last one's */
    [FLAG_BEFORE_STATE] = {"FLAG_BEFORE_STATE", "STATE"}, /* a mover looks whether the state was set, then reads it */
    [NO_SWAP_AGAIN] = {"NO_SWAP_AGAIN", "STATE"},         /* it gives up when the state has changed meanwhile */
    [LINK_FIRST] = {"LINK_FIRST", "COMPLETE"},            /* a file gets its name before it is complete */
    {NULL, NULL},
};

/* ---- Scenarios -------------------------------------------------------------------------------------------------- */

/* What processes do, one letter each: w it has been watching, W it comes to watch, P post, S SetState, R renew, U unlink
 * the file, E end. In small letters behind it: it may be killed or stopped (k), it has no file at first (o). The file at
 * first has a state, 1. */
struct script {
    const char *jobs;
    bool fragile, outside;
};
static const struct scene {
    struct script scripts[PROCESSES + 1];
    bool retired; /* at first: it was damaged, say */
} scenes[] = {
    {{{0}, {"R", true, 0}, {"w", true, 0}, {"PP", true, 0}}, false},
    {{{0}, {"R", true, 0}, {"w", true, 0}, {"PE", 0, 0}, {"W", 0, true}}, false},
    {{{0}, {"R", true, 0}, {"w", true, 0}, {"PE", 0, true}}, false},
    {{{0}, {"R", true, 0}, {"R", true, 0}, {"w", true, 0}, {"P", true, 0}}, false},
    {{{0}, {"U", 0, true}, {"w", true, 0}, {"P", true, 0}, {"W", 0, true}}, false},
    {{{0}, {"U", 0, true}, {"R", true, 0}, {"w", true, 0}, {"P", true, 0}}, false},
    {{{0}, {"R", true, 0}, {"w", true, 0}, {"SS", 0, 0}}, false},
    {{{0}, {"RR", true, 0}, {"w", true, 0}, {"S", 0, 0}}, false},
    {{{0}, {"U", 0, true}, {"w", true, 0}, {"SS", 0, 0}}, false},
    {{{0}, {"U", 0, true}, {"R", 0, 0}, {"w", 0, 0}, {"S", 0, 0}}, false},
    {{{0}, {"w", true, 0}, {"PE", 0, 0}, {"S", 0, 0}}, true},
};
static const char *const scenarios[] = {
    "renewal, watcher, poster",
    "renewal, watcher, newcomer, poster that ends",
    "renewal, watcher, poster that comes and ends",
    "two renewals at once, watcher, poster",
    "removal, watcher, newcomer, poster",
    "removal, renewal, watcher, poster",
    "states: renewal",
    "states: two renewals",
    "states: removal",
    "states: removal and renewal",
    "a retired file at the path",
    NULL,
};

static int bit(int number) { return 1 << number; }
static const struct script *script(int number) { return &scenes[scenario].scripts[number]; }

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    state.path = state.begun = state.achieved = 1;
    state.files[1] = (struct file){.complete = true, .state = 1, .has_state = true};
    state.files[1].retired = scenes[scenario].retired;
    for (int number = 1; number <= PROCESSES; number++) {
        struct process *process = &state.processes[number];
        if (!script(number)->jobs) continue;
        process->step = REST;
        process->session = !script(number)->outside;
        if (script(number)->jobs[0] != 'w') continue;
        process->job = process->watches = process->added = 1;
        state.files[1].met |= (uint8_t)bit(number);
    }
    return state;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static bool is_used(const struct state *state, int file) {
    if (state->path == file || state->beside == file || state->files[file].lock) return true;
    for (int number = 1; number <= PROCESSES; number++) {
        const struct process *process = &state->processes[number];
        if (process->session == file || process->old == file || process->target == file || process->before == file)
            return true;
    }
    return false;
}

/* A file that nobody has is gone, and its number is another's. */
static void forget_files(struct state *state) {
    for (int file = 1; file <= FILES; file++)
        if (!is_used(state, file)) state->files[file] = (struct file){0};
}

/* Makes a file and gives it its name, in one step: before that it is nobody else's. */
static int make(struct state *state, int from) {
    int file = 1;
    while (file <= FILES && is_used(state, file)) file++;
    if (file > FILES) {
        printf("too many files\n");
        exit(EXIT_FAILURE);
    }
    state->files[file] = (struct file){.complete = !wrong(LINK_FIRST), .from = (uint8_t)from};
    return file;
}

/* ---- Jobs ------------------------------------------------------------------------------------------------------- */

static void next_job(struct process *process) {
    process->step = REST;
    process->after = process->before = process->value = 0;
    process->job++;
}

static void begin_look(struct process *process, enum step after) {
    process->step = OPEN;
    process->after = (uint8_t)after;
}

/* A post or a SetState is made again in the new file; when there is no other, that is all that can be done. */
static void end_look(struct process *process) {
    process->old = process->target = process->theirs = process->mine = 0;
    process->step = process->after;
    process->after = 0;
    if (process->step == REST) return;
    if (process->step == ADDED || process->session == process->before) next_job(process);
}
