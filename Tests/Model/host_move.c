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
    RETIRE_OLD,
    COPY_STATE,
    CLEAR_BESIDE,
    MAKE_BESIDE,
    CHECK_AGAIN,
    DROP_BESIDE,
    RENAME,
    UNLOCK,
    /* arriving in another file */
    READ_CARRIED,
    READ_FLAG,
    READ_OLD_STATE,
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
};

/* Files and processes have numbers from 1; 0 is none. */
struct state {
    uint8_t path, beside; /* the file that lies there */
    struct file {
        uint8_t complete, retired, state, has_state;
        uint8_t carried; /* the file whose states are all here */
        uint8_t lock;    /* the process that is putting another in its place */
        uint8_t met;     /* the watchers that have their bits here */
        uint8_t news;    /* and those of them that have not read the posts since the last one */
    } files[FILES + 1];
    struct process {
        uint8_t step, job;
        uint8_t after;        /* its look: where the job goes on; REST: the look belongs to none */
        uint8_t renews;       /* on request: its renewal belongs to no look */
        uint8_t session, old; /* the file that it has mapped, and the one it comes from */
        uint8_t target;       /* the file that it has found, or renews */
        uint8_t before;       /* the file of the post or SetState that it has to make again */
        uint8_t posted;       /* since the last look that found everything in order */
        uint8_t watches, added;
        uint8_t theirs;     /* the state it has read in another file */
        uint8_t value;      /* it sets */
        uint8_t owed, sure; /* the judge's: posts not heard yet; and those that need no other step of their poster */
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
    RETIRE_LATE,
    NO_COPY,
    LINK_FIRST,
};
static const struct mutation mutations[] = {
    [NO_RETIRE] = {"NO_RETIRE", "LOSS", 0},
    [NO_RETIRED_LOOK] = {"NO_RETIRED_LOOK", "LOSS", 0},
    [NO_REPOST] = {"NO_REPOST", "LOSS", 0},
    [NO_RECALL] = {"NO_RECALL", "LOSS", 0},
    [STATE_NO_LOOK] = {"STATE_NO_LOOK", "STATE", 0},
    [CARRY_BEFORE_MARK] = {"CARRY_BEFORE_MARK", "STATE", 0},
    [CARRIED_FIRST] = {"CARRIED_FIRST", "STATE", 0},
    [RETIRE_LATE] = {"RETIRE_LATE", "STATE", 0},
    [NO_COPY] = {"NO_COPY", "STATE", 0},
    [LINK_FIRST] = {"LINK_FIRST", "COMPLETE", 0},
    {NULL, NULL, 0},
};

/* ---- Scenarios -------------------------------------------------------------------------------------------------- */

/* What processes do, one letter each: w it has been watching, W it comes to watch, P post, S SetState, R renew, U
 * unlink the file, E end. In small letters behind it: it may be killed or stopped (k), it has no file at first (o). The
 * file at first has a state, 1. */
struct script {
    const char *jobs;
    bool fragile, outside;
};
static const struct scene {
    struct script scripts[PROCESSES + 1];
    bool retired; /* at first: it was damaged, say */
} scenes[] = {
    {{{0}, {"R", true, 0}, {"w", true, 0}, {"PP", true, 0}}, false},
    {{{0}, {"wR", true, 0}, {"PE", 0, 0}, {"W", 0, true}}, false},
    {{{0}, {"R", true, 0}, {"w", true, 0}, {"PE", 0, true}}, false},
    {{{0}, {"wR", true, 0}, {"wR", true, 0}, {"P", true, 0}}, false},
    {{{0}, {"wRR", true, 0}, {"w", true, 0}, {"PE", 0, 0}}, false},
    {{{0}, {"U", 0, true}, {"w", true, 0}, {"P", true, 0}, {"W", 0, true}}, false},
    {{{0}, {"U", 0, true}, {"wR", true, 0}, {"w", true, 0}, {"P", true, 0}}, false},
    {{{0}, {"R", true, 0}, {"w", true, 0}, {"SS", 0, 0}}, false},
    {{{0}, {"RR", true, 0}, {"w", true, 0}, {"S", 0, 0}}, false},
    {{{0}, {"U", 0, true}, {"w", true, 0}, {"SS", 0, 0}, {"W", 0, true}}, false},
    {{{0}, {"w", true, 0}, {"PE", 0, 0}, {"S", 0, 0}}, true},
};
static const char *const scenarios[] = {
    "renewal, watcher, poster",
    "renewal, newcomer, poster that ends",
    "renewal, watcher, poster that comes and ends",
    "two renewals at once, poster",
    "two renewals, watcher, poster",
    "removal, watcher, newcomer, poster",
    "removal, renewal, watcher, poster",
    "states: renewal",
    "states: two renewals",
    "states: removal, newcomer",
    "a retired file at the path",
    NULL,
};

static int bit(int number) { return 1 << number; }
static const struct script *script(int number) { return &scenes[scenario].scripts[number]; }

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    state.path = 1;
    state.files[1] = (struct file){.complete = true, .retired = scenes[scenario].retired};
    for (int number = 1; number <= PROCESSES; number++) {
        struct process *process = &state.processes[number];
        if (!script(number)->jobs) continue;
        process->step = REST;
        process->session = !script(number)->outside;
        if (strchr(script(number)->jobs, 'S'))
            state.files[1].has_state = state.files[1].state = state.begun = state.achieved = 1;
        if (script(number)->jobs[0] != 'w') continue;
        process->job = process->watches = process->added = 1;
        state.files[1].met |= (uint8_t)bit(number);
    }
    return state;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

/* The files that somebody has, as a set. */
static int used(const struct state *state) {
    int set = bit(state->path) | bit(state->beside);
    for (int file = 1; file <= FILES; file++)
        if (state->files[file].lock) set |= bit(file);
    for (int number = 1; number <= PROCESSES; number++) {
        const struct process *process = &state->processes[number];
        set |= bit(process->session) | bit(process->old) | bit(process->target) | bit(process->before);
    }
    return set;
}

/* A file that nobody has is gone, and its number will be another's. */
static void forget_files(struct state *state) {
    int set = used(state);
    for (int file = 1; file <= FILES; file++)
        if (!(set & bit(file))) state->files[file] = (struct file){0};
}

/* A new file, to be given its name in the same step: until then it is nobody else's. */
static uint8_t make(struct state *state, uint8_t copy) {
    uint8_t file = 1;
    for (int set = used(state); set & bit(file);) file++;
    if (file > FILES) {
        printf("too many files\n");
        exit(EXIT_FAILURE);
    }
    state->files[file] = (struct file){.complete = !wrong(LINK_FIRST), .state = copy, .has_state = copy != 0};
    return file;
}

/* ---- Jobs ------------------------------------------------------------------------------------------------------- */

static void next_job(struct process *process) {
    process->step = REST;
    process->before = process->value = 0;
    process->job++;
}

static void begin_look(struct process *process, enum step after) {
    process->step = OPEN;
    process->after = (uint8_t)after;
}

static int number_of_post(int number, const struct process *process) {
    int post = (number - 1) * POSTS_EACH;
    for (int job = 0; job < process->job; job++) post += script(number)->jobs[job] == 'P';
    return post;
}

/* The watchers that are owed a call: of them those who have been in the poster's file, or are yet to leave theirs for
 * it, need nothing else of the poster. */
static void owe(struct state *state, int post, const struct process *poster, bool is_first) {
    for (int number = 1; number <= PROCESSES; number++) {
        struct process *watcher = &state->processes[number];
        bool is_sure = state->path == poster->session || state->files[poster->session].met & bit(number);
        if (is_first && watcher->added) watcher->owed |= (uint8_t)bit(post);
        watcher->sure &= (uint8_t)~bit(post);
        if (is_sure && watcher->owed & bit(post)) watcher->sure |= (uint8_t)bit(post);
    }
}

static void call(struct process *watcher) {
    say(", calls its observer");
    watcher->owed = watcher->sure = 0;
}

static void end_post(struct state *state, int number) {
    struct process *poster = &state->processes[number];
    state->complete |= (uint8_t)bit(number_of_post(number, poster));
    next_job(poster);
}

static void post(struct state *state, int number) {
    struct process *poster = &state->processes[number];
    struct file *file = &state->files[poster->session];
    switch (poster->step) {
    case COUNT:
        file->news = file->met;
        poster->posted = true;
        owe(state, number_of_post(number, poster), poster, !poster->before);
        poster->before = poster->session;
        poster->step = COUNTED;
        say("posts in file %d", poster->session);
        if (wrong(NO_RETIRED_LOOK)) end_post(state, number);
        break;
    case COUNTED:
        say("finds file %d %s", poster->session, file->retired ? "retired" : "good, and its post is complete");
        if (file->retired)
            begin_look(poster, COUNT);
        else
            end_post(state, number);
        break;
    }
}

static void end_set(struct state *state, struct process *setter) {
    state->achieved = setter->value;
    next_job(setter);
}

static void set(struct state *state, struct process *setter) {
    struct file *file = &state->files[setter->session];
    switch (setter->step) {
    case FLAG_STATE:
        if (!setter->before) setter->value = ++state->begun;
        file->has_state = true;
        setter->before = setter->session;
        setter->step = STORE_STATE;
        say("is to set state %d in file %d", setter->value, setter->session);
        break;
    case STORE_STATE:
        file->state = setter->value;
        setter->step = STORED;
        say("sets state %d", setter->value);
        if (wrong(STATE_NO_LOOK)) end_set(state, setter);
        break;
    case STORED:
        say("finds file %d %s", setter->session, file->retired ? "retired" : "good, and its state is set");
        if (file->retired)
            begin_look(setter, FLAG_STATE);
        else
            end_set(state, setter);
        break;
    }
}

/* ---- The end of a look ------------------------------------------------------------------------------------------ */

/* A post or a SetState is made again, in the file that there is now; if that is none or the same, it ends here. */
static void end_look(struct state *state, int number) {
    struct process *process = &state->processes[number];
    process->step = process->after;
    process->after = REST;
    process->old = process->target = 0;
    if (process->step == REST || process->session != process->before) return;
    if (process->step == COUNT && process->session)
        end_post(state, number);
    else
        next_job(process);
}

/* ---- Renewing --------------------------------------------------------------------------------------------------- */

static void end_renewal(struct process *process) {
    process->target = 0;
    if (process->renews)
        next_job(process);
    else
        process->step = OPEN; /* its look goes on */
    process->renews = false;
}

/* Without the lock it goes on in the file that is being renewed, if it is not there: that is at the path for now. */
static void give_up(struct state *state, int number);

static void renew(struct state *state, int number) {
    struct process *process = &state->processes[number];
    struct file *old = &state->files[process->target];
    switch (process->step++) {
    case LOCK:
        say("%s file %d", old->lock ? "cannot lock" : "locks", process->target);
        if (old->lock)
            give_up(state, number);
        else
            old->lock = (uint8_t)number;
        break;
    case CHECK:
        say("finds file %d at the path", state->path);
        if (wrong(RETIRE_LATE)) process->step = COPY_STATE;
        if (state->path != process->target) process->step = UNLOCK;
        break;
    case RETIRE_OLD:
        say("retires file %d", process->target);
        old->retired |= !wrong(NO_RETIRE);
        if (wrong(RETIRE_LATE)) process->step = UNLOCK;
        break;
    case COPY_STATE:
        if (!wrong(NO_COPY)) process->theirs = old->state;
        say("copies state %d from file %d", process->theirs, process->target);
        break;
    case CLEAR_BESIDE:
        say("unlinks what lies beside, %d", state->beside);
        state->beside = 0;
        break;
    case MAKE_BESIDE:
        process->step = CLEAR_BESIDE;
        say("finds file %d beside", state->beside);
        if (state->beside) break;
        state->beside = make(state, process->theirs);
        process->theirs = 0;
        process->step = CHECK_AGAIN;
        say(", makes file %d there", state->beside);
        break;
    case CHECK_AGAIN:
        say("finds file %d at the path", state->path);
        process->step = state->path == process->target ? RENAME : DROP_BESIDE;
        break;
    case DROP_BESIDE:
        say("unlinks file %d beside", state->beside);
        state->beside = 0;
        process->step = UNLOCK;
        break;
    case RENAME:
        say("renames file %d over file %d", state->beside, state->path);
        if (wrong(RETIRE_LATE)) process->step = RETIRE_OLD;
        if (state->beside)
            state->path = state->beside;
        else
            process->step = UNLOCK; /* another has taken it away */
        state->beside = 0;
        break;
    case UNLOCK:
        say("unlocks file %d", process->target);
        old->lock = 0;
        end_renewal(process);
        break;
    }
}

/* ---- Looking ---------------------------------------------------------------------------------------------------- */

/* It is in another file, and the states are there. */
static void arrive(struct state *state, int number) {
    struct process *process = &state->processes[number];
    bool posts_again = process->posted && !wrong(NO_REPOST);
    process->step = process->watches ? READ_POSTS : POST_AGAIN;
    if (!process->watches && !posts_again) end_look(state, number);
}

static void move(struct state *state, int number) {
    struct process *process = &state->processes[number];
    process->old = process->session;
    process->session = process->target;
    process->target = 0;
    process->step = READ_CARRIED;
    if (!process->old || !state->achieved) arrive(state, number);
}

static void look(struct state *state, int number) {
    struct process *process = &state->processes[number];
    int file = process->old ? process->old : process->session; /* the former: CARRY_BEFORE_MARK */
    switch (process->step) {
    case LOOK_AT_PATH:
        say("finds file %d at the path", state->path);
        process->step = wrong(CARRY_BEFORE_MARK) ? OPEN : RETIRE_OWN;
        if (state->path != process->session) break;
        process->posted = false;
        end_look(state, number);
        break;
    case RETIRE_OWN:
        say("retires file %d", file);
        state->files[file].retired |= !wrong(NO_RETIRE);
        process->step = OPEN;
        if (process->old) arrive(state, number);
        break;
    case OPEN:
        say("opens file %d", state->path);
        process->target = state->path;
        process->step = state->path ? READ_MARK : MAKE;
        break;
    case MAKE:
        process->step = OPEN;
        say("is to make a file and finds %d", state->path);
        if (!state->path) state->path = make(state, 0);
        break;
    case READ_MARK:
        say("finds file %d %s", process->target, state->files[process->target].retired ? "retired" : "good, moves");
        process->step = LOCK;
        if (!state->files[process->target].retired) move(state, number);
        break;
    }
}

static void give_up(struct state *state, int number) {
    struct process *process = &state->processes[number];
    if (process->renews)
        end_renewal(process);
    else if (process->target != process->session)
        move(state, number);
    else
        end_look(state, number);
}

/* ---- Arriving --------------------------------------------------------------------------------------------------- */

static void end_carry(struct state *state, int number) {
    struct process *process = &state->processes[number];
    process->theirs = 0;
    process->step = RETIRE_OWN;
    if (!wrong(CARRY_BEFORE_MARK)) arrive(state, number);
}

static void carry(struct state *state, int number) {
    struct process *process = &state->processes[number];
    struct file *old = &state->files[process->old], *file = &state->files[process->session];
    switch (process->step++) {
    case READ_CARRIED:
        say("finds that file %d has the states of file %d", process->session, file->carried);
        if (file->carried == process->old) end_carry(state, number);
        if (wrong(CARRIED_FIRST)) file->carried = process->old;
        break;
    case READ_FLAG:
        say("finds that file %d has %s state", process->session, file->has_state ? "a" : "no");
        if (file->has_state) process->step = SET_CARRIED;
        break;
    case READ_OLD_STATE:
        say("reads state %d in file %d", old->state, process->old);
        process->theirs = old->state;
        if (!old->state) process->step = SET_CARRIED;
        break;
    case SWAP_STATE:
        say("finds state %d in file %d", file->state, process->session);
        if (file->state) break;
        say(", makes it %d", process->theirs);
        file->state = process->theirs;
        break;
    case SET_FLAG:
        say("says that file %d has a state", process->session);
        file->has_state = true;
        break;
    case SET_CARRIED:
        say("says that file %d has the states of file %d", process->session, process->old);
        file->carried = process->old;
        end_carry(state, number);
        break;
    }
}

/* A watcher calls at least once, for posts may have come to this file before it; not one that has just come to watch.
 */
static void settle(struct state *state, int number) {
    struct process *process = &state->processes[number];
    struct file *file = &state->files[process->session];
    if (process->step == READ_POSTS) {
        say("reads the posts in file %d", process->session);
        if (process->added && (!wrong(NO_RECALL) || state->files[process->old].news & bit(number))) call(process);
        process->added = true;
        file->met |= (uint8_t)bit(number);
        file->news &= (uint8_t)~bit(number);
        process->step = POST_AGAIN;
        if (process->posted && !wrong(NO_REPOST)) return;
    } else {
        say("posts again in file %d", process->session);
        file->news = file->met;
    }
    end_look(state, number);
}

/* ---- At rest ---------------------------------------------------------------------------------------------------- */

static void walk(struct state *state, int number) {
    enum step step = state->processes[number].step;
    if (step <= READ_MARK)
        look(state, number);
    else if (step <= UNLOCK)
        renew(state, number);
    else if (step <= SET_CARRIED)
        carry(state, number);
    else if (step <= POST_AGAIN)
        settle(state, number);
    else if (step <= COUNTED)
        post(state, number);
    else
        set(state, &state->processes[number]);
}

static bool begin_job(struct state *state, int number) {
    struct process *process = &state->processes[number];
    switch (script(number)->jobs[process->job]) {
    case 'W':
        process->watches = true;
        process->job++;
        begin_look(process, REST);
        break;
    case 'P':
        process->step = COUNT;
        if (!process->session) begin_look(process, COUNT);
        break;
    case 'S': process->step = FLAG_STATE; break;
    case 'R':
        process->renews = true;
        process->target = process->session;
        process->step = LOCK;
        break;
    case 'U':
        say("unlinks file %d", state->path);
        state->path = 0;
        process->job++;
        return true;
    case 'E':
        say("ends");
        *process = (struct process){.step = ABSENT};
        return true;
    default: return false;
    }
    walk(state, number);
    return true;
}

/* A look that would find nothing is none, unless it confirms a post; and while another process has the lock. */
static bool begin_to_look(struct state *state, int number) {
    struct process *process = &state->processes[number];
    const struct file *own = &state->files[process->session];
    if (!process->session && !process->watches) return false;
    if (process->session == state->path && (own->retired ? own->lock : !process->posted)) return false;
    begin_look(process, REST);
    if (process->session && !own->retired) process->step = LOOK_AT_PATH;
    walk(state, number);
    return true;
}

/* Rung, or when its time is out. */
static bool hear(struct state *state, int number) {
    struct process *watcher = &state->processes[number];
    struct file *file = &state->files[watcher->session];
    if (!(file->news & bit(number))) return false;
    say("hears of posts in file %d", watcher->session);
    file->news &= (uint8_t)~bit(number);
    call(watcher);
    return true;
}

/* The kernel drops the locks of a process that is dead, and not those of one that is stopped. */
static bool befall(struct state *state, int number, bool stops) {
    bool has_locks = false;
    if (!script(number)->fragile || state->faults) return false;
    for (int file = 1; file <= FILES; file++) {
        if (state->files[file].lock != number) continue;
        has_locks = true;
        if (!stops) state->files[file].lock = 0;
    }
    if (stops && !has_locks) return false;
    say("is %s", stops ? "stopped" : "killed");
    state->processes[number] = (struct process){.step = ABSENT};
    state->faults = true;
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

enum choice { GO_ON, LOOK, HEAR, CHOICES, DIE = CHOICES, STOP, ALL };

static bool choose(struct state *state, int number, enum choice choice) {
    enum step step = state->processes[number].step;
    if (step == ABSENT) return false;
    if (choice >= DIE) return befall(state, number, choice == STOP);
    if (step == REST && choice == LOOK) return begin_to_look(state, number);
    if (step == REST && choice == HEAR) return hear(state, number);
    if (choice != GO_ON) return false;
    if (step == REST) return begin_job(state, number);
    walk(state, number);
    return true;
}

static bool take(struct state *state, int move) {
    int number = move % PROCESSES + 1;
    say("    %d (%s) ", number, script(number)->jobs);
    if (!choose(state, number, move / PROCESSES)) return false;
    forget_files(state);
    claim(!state->path || state->files[state->path].complete, "COMPLETE");
    return true;
}

static void judge_rest(const struct state *state) {
    const struct file *file = &state->files[state->path];
    int staying = 0; /* posts of processes that are still there */
    for (int number = 1; number <= PROCESSES; number++)
        if (state->processes[number].step != ABSENT) staying |= 3 << (number - 1) * POSTS_EACH;
    for (int number = 1; number <= PROCESSES; number++) {
        const struct process *process = &state->processes[number];
        bool has_file = process->session || process->watches;
        if (has_file) claim(process->session == state->path && (!file->retired || file->lock), "MEET");
        claim(!(process->owed & state->complete & (staying | process->sure)), "LOSS");
        if (script(number)->jobs && strchr(script(number)->jobs, 'S'))
            claim(file->state >= state->achieved && file->state <= state->begun, "STATE");
    }
}

int main(int count, char **arguments) {
    static const struct model model = {"move",          "all claims kept", CHOICES * PROCESSES,
                                       ALL * PROCESSES, scenarios,         mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
