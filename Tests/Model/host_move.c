/* A model of how the processes of the host center agree on the user's file (replace.c, userfile.c, move.c,
 * host_center.c, token.c).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/host_move Tests/Model/host_move.c && build/host_move [MUTATION]
 *
 * All processes meet in the file at the path. A full file is renewed: a new file is made next to it and renamed over
 * it. Any process may remove it, too. A process looks at the path. If another file is there, or its own is marked as
 * superseded, it marks its own, opens the file at the path or makes one, and moves there: a watcher calls its
 * observers, a poster posts again, and all carry the states. After a post or a set state, a process looks for the mark;
 * if it finds the mark, it does the same again in the new file. Everything depends on this mark, which is never
 * removed. The processes that come from a file find what was written before its mark. Writes after the mark are made
 * again.
 *
 *   renewing   open the file at the path; lock it, or give up, or go on without; is it still there?;
 *              link a new file next to it, under a name of its own; supersede the old one; copy its states;
 *              unlink all other such names, one by one; is the old one still at the path?;
 *              rename, unless the name was taken away; unlock
 *   looking    is it mine?; supersede mine; open the one at the path, or make one and look again;
 *              superseded itself? renew it, or go there all the same if another process does;
 *              then the states, the calls, the posts
 *   posting    count; is the file superseded? look, and post again if it is another
 *   SetState   show that there is a state; store it; is the file superseded? look, and set again if it is another,
 *              else it fails
 *
 * Claims. Every step can be taken at any time, so none waits for another process, and all come to rest. One process may
 * be killed before any step, which takes its locks away. Or it may be stopped for ever, which does not. A process that
 * is stopped and goes on is a slow one: for this, another may go on without the lock at any time, once, if none is
 * killed or stopped.
 *
 * COMPLETE: the file at the path is complete.
 *
 * MEET: in the end all processes have the file at the path, and it is not superseded, even if one was killed or
 * stopped.
 *
 * OVER: a new file is renamed over the file that it is to replace, and over no newer one. (Except where the file is
 * removed: see below.)
 *
 * LOSS: a watcher that was there before a post is called after it, once the post is complete and all have had time to
 * look, even if the poster ends right after it. If the file was removed, such a poster has reached the watchers that
 * have been in its file, and all watchers if its file was at the path. A poster that stays reaches all.
 *
 * STATE: in the end the file at the path has the state that was set last. A state that was being set, or could not be
 * set, may be there instead.
 *
 * Left out. Kept messages: they are carried at the same steps as states (carry.c). Waking: a watcher hears in the end,
 * as with its time-out; channels have reasons of their own (channel.h). Threads: each process does one thing after the
 * other, and may look at any time when it is at rest between two. Names: there is one, because neither posts nor states
 * of two names affect each other. States are not 0, and one process sets them. The eight names that a file may have. A
 * removal between the last look of a renewing process and its renaming: then a newer file is replaced, and a state that
 * was set in it is lost. Where the file is removed and renewed, no states are set here. Chance: if two processes have
 * taken each other's name away, one starts again first, and the other does not interfere again. The names of new files
 * are taken away at once, not one by one: for two it makes no difference.
 *
 * Lessons. Mark the old file as superseded and copy its states before the renaming. With NO_COPY the processes that
 * move carry the states, each from its own file. Then a process that has slept through the first of two renewals may be
 * the first in the last file, with a state that has been replaced since, and the processes with the newer state find
 * the place taken. Recording where a state comes from does not help, because origin and state are two words. And if the
 * mark comes after the renaming, a post between the two misses the processes that have moved to the new file. */
#include <stdbool.h>
#include <stdint.h>

enum { FILES = 5, PROCESSES = 4, POSTS_EACH = 2 };

enum step {
    ABSENT, /* ended, killed, stopped, or not in the scenario */
    REST,
    /* looking */
    LOOK_AT_PATH,
    RETIRE_OWN,
    OPEN,
    MAKE,
    READ_MARK,
    /* renewing */
    OPEN_OLD,
    LOCK,
    CHECK,
    MAKE_BESIDE,
    RETIRE_OLD,
    COPY_STATE,
    TAKE_AWAY,
    CHECK_AGAIN,
    RENAME,
    /* arriving */
    READ_CARRIED,
    READ_FLAG,
    READ_OLD_STATE,
    SWAP_STATE,
    SET_FLAG,
    SET_CARRIED,
    READ_POSTS,
    POST_AGAIN,
    /* posting, setting the state */
    COUNT,
    COUNTED,
    FLAG_STATE,
    STORE_STATE,
    STORED,
};

/* Files and processes have numbers from 1; 0 is none. A set has a bit for each. */
struct state {
    uint8_t path;                  /* the file that lies there */
    uint8_t beside[PROCESSES + 1]; /* the new file under the name of each process */
    struct file {
        uint8_t complete, superseded, state, has_state;
        uint8_t carried; /* the file whose states have all been carried here */
        uint8_t lock;    /* the process that is replacing the file */
        uint8_t met;     /* set of the watchers that have begun here */
        uint8_t news;    /* and of those that have not read the posts since the last one */
    } files[FILES + 1];
    struct process {
        uint8_t step, job;
        uint8_t session, old; /* the file that it has mapped, and the one that it comes from */
        uint8_t target;       /* the file that it has found, or is renewing */
        uint8_t fresh;        /* the file that it is making */
        uint8_t lost;         /* its new file's name was taken away, by a process that lost its own name, too */
        uint8_t after;        /* the step after a look */
        uint8_t before;       /* the file in which it has posted or set the state, until that is done */
        uint8_t renews;       /* on request, not as part of a look */
        uint8_t posted;       /* since the last look that found everything in order */
        uint8_t watches, added;
        uint8_t theirs;     /* the state that it has read in another file */
        uint8_t value;      /* the state that it sets */
        uint8_t owed, sure; /* only the judge knows: unheard posts, and those it must hear even if the poster ends */
    } processes[PROCESSES + 1];
    uint8_t befallen;
    /* Only the judge knows these: */
    uint8_t complete;       /* posts */
    uint8_t begun, settled; /* the last state that was to be set, and the last that was set */
};

#include "host.h"

static int bit(int number) { return 1 << number; }

/* ---- Scenarios -------------------------------------------------------------------------------------------------- */

/* The jobs of a process, in letters: w it has been watching, W it begins to watch, P post, S SetState, R renew, U
 * unlink the file, E end. Where states are set, the first file has one, 1. */
struct script {
    const char *jobs;
    enum { HAS_FILE, FRAGILE, COMES, COMES_FRAGILE } kind; /* possible faults, and whether it has no file at first */
};

enum {
    RENEWAL,
    NEWCOMER,
    COMMAND,
    TWO_RENEWERS,
    TWO_RENEWALS,
    REMOVAL,
    REMOVAL_RENEWAL,
    STATE_RENEWAL,
    STATE_TWO_RENEWALS,
    STATE_NEWCOMER,
    STATE_REMOVAL,
    RETIRED,
    SCENES
};
static const struct scene {
    const char *name;
    struct script scripts[PROCESSES];
    bool hurries; /* a process may go on without the lock of another one that runs */
} scenes[SCENES] = {
    [RENEWAL] = {"renewal", {{"R", FRAGILE}, {"w", FRAGILE}, {"PP", FRAGILE}}, true},
    [NEWCOMER] = {"renewal, a watcher comes, the poster ends",
                  {{"wR", FRAGILE}, {"W", COMES_FRAGILE}, {"PE", HAS_FILE}}},
    [COMMAND] = {"renewal and post by commands", {{"RE", COMES_FRAGILE}, {"w", FRAGILE}, {"PE", COMES}}},
    [TWO_RENEWERS] = {"renewal by two at once", {{"wR", FRAGILE}, {"R", FRAGILE}, {"P", FRAGILE}}, true},
    [TWO_RENEWALS] = {"two renewals", {{"wRR", FRAGILE}, {"w", FRAGILE}, {"PE", HAS_FILE}}},
    [REMOVAL] = {"removal, a watcher comes", {{"U", COMES}, {"w", FRAGILE}, {"P", FRAGILE}, {"W", COMES}}},
    [REMOVAL_RENEWAL] = {"removal and renewal", {{"U", COMES}, {"wR", FRAGILE}, {"w", HAS_FILE}, {"P", HAS_FILE}}},
    [STATE_RENEWAL] = {"states: renewal", {{"R", FRAGILE}, {"w", FRAGILE}, {"SS", HAS_FILE}}, true},
    [STATE_TWO_RENEWALS] = {"states: two renewals", {{"RR", FRAGILE}, {"w", FRAGILE}, {"S", HAS_FILE}}},
    [STATE_NEWCOMER] = {"states: two renewals, one by a newcomer", {{"R", FRAGILE}, {"WR", COMES}, {"S", HAS_FILE}}},
    [STATE_REMOVAL] = {"states: removal, a watcher comes",
                       {{"U", COMES}, {"w", FRAGILE}, {"SS", HAS_FILE}, {"W", COMES}}},
    [RETIRED] = {"a superseded file at the path", {{"w", FRAGILE}, {"PE", HAS_FILE}, {"S", HAS_FILE}}},
};

static const char *scenario_name(int number) { return scenes[number].name; }
static const struct script *script(int number) { return &scenes[scenario].scripts[number - 1]; }

static bool does(int number, char job) {
    const char *jobs = script(number)->jobs;
    return jobs && strchr(jobs, job);
}

static bool does_anybody(char job) {
    for (int number = 1; number <= PROCESSES; number++)
        if (does(number, job)) return true;
    return false;
}

enum {
    NO_RETIRE = 1,
    NO_RETIRED_LOOK,
    NO_REPOST,
    NO_RECALL,
    STATE_NO_LOOK,
    CARRY_BEFORE_MARK,
    CARRIED_FIRST,
    RETIRE_LATE,
    COPY_BEFORE_MARK,
    NO_COPY,
    LINK_FIRST,
    NO_TAKING_OVER,
    NO_TAKING_AWAY,
    NO_CHECK_AGAIN,
};
static const struct mutation mutations[] = {
    /* no file is marked */
    [NO_RETIRE] = {"NO_RETIRE", "LOSS", RENEWAL},
    /* a poster does not look for the mark after it has counted */
    [NO_RETIRED_LOOK] = {"NO_RETIRED_LOOK", "LOSS", RENEWAL},
    /* a poster that moves posts nothing again */
    [NO_REPOST] = {"NO_REPOST", "LOSS", REMOVAL},
    /* a watcher that moves calls only for posts that it finds in its old file */
    [NO_RECALL] = {"NO_RECALL", "LOSS", RENEWAL},
    /* SetState does not look for the mark */
    [STATE_NO_LOOK] = {"STATE_NO_LOOK", "STATE", STATE_RENEWAL},
    /* a process that moves marks its own file after it has carried the states */
    [CARRY_BEFORE_MARK] = {"CARRY_BEFORE_MARK", "STATE", STATE_REMOVAL},
    /* it sets the flag for the states before they are there */
    [CARRIED_FIRST] = {"CARRIED_FIRST", "STATE", STATE_REMOVAL},
    /* a process that renews a file marks it after the renaming */
    [RETIRE_LATE] = {"RETIRE_LATE", "LOSS", NEWCOMER},
    /* it marks it before the renaming, but after it has copied the states */
    [COPY_BEFORE_MARK] = {"COPY_BEFORE_MARK", "STATE", STATE_RENEWAL},
    /* it copies no states: the processes that move carry them, as after a removal */
    [NO_COPY] = {"NO_COPY", "STATE", STATE_TWO_RENEWALS},
    /* a file has a name before it is complete */
    [LINK_FIRST] = {"LINK_FIRST", "COMPLETE", RENEWAL},
    /* the lock is waited for, even if its owner is stopped */
    [NO_TAKING_OVER] = {"NO_TAKING_OVER", "MEET", RENEWAL},
    /* the names of other processes' new files stay */
    [NO_TAKING_AWAY] = {"NO_TAKING_AWAY", "OVER", TWO_RENEWERS},
    /* no look whether the old file is still at the path after these names have been taken away */
    [NO_CHECK_AGAIN] = {"NO_CHECK_AGAIN", "OVER", TWO_RENEWERS},
    {NULL, NULL, 0},
};

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    state.path = 1;
    state.files[1] = (struct file){.complete = true, .superseded = scenario == RETIRED};
    if (does_anybody('S')) state.files[1].state = state.files[1].has_state = state.begun = state.settled = 1;
    for (int number = 1; number <= PROCESSES; number++) {
        struct process *process = &state.processes[number];
        if (!script(number)->jobs) continue;
        process->step = REST;
        process->session = script(number)->kind < COMES;
        if (!does(number, 'w')) continue;
        process->job = process->watches = process->added = 1;
        state.files[1].met |= (uint8_t)bit(number);
    }
    return state;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

/* The set of files that some process has. */
static int used(const struct state *state) {
    int set = bit(state->path);
    for (int file = 1; file <= FILES; file++)
        if (state->files[file].lock) set |= bit(file);
    for (int number = 1; number <= PROCESSES; number++) {
        const struct process *process = &state->processes[number];
        set |= bit(process->session) | bit(process->old) | bit(process->target) | bit(process->before);
        set |= bit(process->fresh) | bit(state->beside[number]);
    }
    return set;
}

/* A file that no process has is gone, and its number will be used again. */
static void forget_files(struct state *state) {
    int set = used(state);
    for (int file = 1; file <= FILES; file++)
        if (!(set & bit(file))) state->files[file] = (struct file){0};
}

/* A new file, which gets its name in the same step: before that no other process has it. */
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

static const char *mark(const struct file *file) { return file->superseded ? "superseded" : "good"; }

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

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

/* The judge notes which watchers are to be called, and which of them even if the poster ends: see LOSS. */
static void owe(struct state *state, int post, const struct process *poster) {
    int all = state->path == poster->session || !does_anybody('U') ? ~0 : state->files[poster->session].met;
    for (int number = 1; number <= PROCESSES; number++) {
        struct process *watcher = &state->processes[number];
        if (watcher->added && !poster->before) watcher->owed |= (uint8_t)bit(post);
        watcher->sure &= (uint8_t)~bit(post);
        if (all & bit(number)) watcher->sure |= watcher->owed & (uint8_t)bit(post);
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
        say("posts in file %d", poster->session);
        file->news = file->met;
        owe(state, number_of_post(number, poster), poster);
        poster->posted = true;
        poster->before = poster->session;
        poster->step = COUNTED;
        if (wrong(NO_RETIRED_LOOK)) end_post(state, number);
        break;
    case COUNTED:
        say("finds file %d %s after its post", poster->session, mark(file));
        if (file->superseded)
            begin_look(poster, COUNT);
        else
            end_post(state, number);
        break;
    }
}

/* ---- Setting the state ------------------------------------------------------------------------------------------ */

static void end_set(struct state *state, struct process *setter) {
    state->settled = setter->value;
    next_job(setter);
}

static void set(struct state *state, struct process *setter) {
    struct file *file = &state->files[setter->session];
    switch (setter->step++) {
    case FLAG_STATE:
        if (!setter->before) setter->value = ++state->begun;
        say("is to set state %d in file %d", setter->value, setter->session);
        file->has_state = true;
        setter->before = setter->session;
        break;
    case STORE_STATE:
        say("sets state %d in file %d", setter->value, setter->session);
        file->state = setter->value;
        if (wrong(STATE_NO_LOOK)) end_set(state, setter);
        break;
    case STORED:
        say("finds file %d %s after its state", setter->session, mark(file));
        if (file->superseded)
            begin_look(setter, FLAG_STATE);
        else
            end_set(state, setter);
        break;
    }
}

/* ---- Looking ---------------------------------------------------------------------------------------------------- */

/* A post or SetState continues in another file. With the same file, or none, it ends here. */
static void end_look(struct state *state, int number) {
    struct process *process = &state->processes[number];
    process->step = process->after;
    process->after = REST;
    process->old = process->target = 0;
    if (process->step == REST || process->session != process->before) return;
    if (process->step == COUNT && process->session)
        end_post(state, number);
    else
        next_job(process); /* it has failed */
}

/* The states have been carried. */
static void settle(struct state *state, int number) {
    struct process *process = &state->processes[number];
    bool posts_again = process->posted && !wrong(NO_REPOST);
    process->step = process->watches ? READ_POSTS : POST_AGAIN;
    if (!process->watches && !posts_again) end_look(state, number);
}

static void move_to_target(struct state *state, int number) {
    struct process *process = &state->processes[number];
    process->old = process->session;
    process->session = process->target;
    process->target = 0;
    process->step = READ_CARRIED;
    if (!process->old || !does_anybody('S')) settle(state, number);
}

static void look(struct state *state, int number) {
    struct process *process = &state->processes[number];
    int own = process->old ? process->old : process->session; /* the former: CARRY_BEFORE_MARK */
    switch (process->step) {
    case LOOK_AT_PATH:
        say("finds file %d at the path", state->path);
        process->step = wrong(CARRY_BEFORE_MARK) ? OPEN : RETIRE_OWN;
        if (state->path != process->session) break;
        process->posted = false;
        end_look(state, number);
        break;
    case RETIRE_OWN:
        say("retires file %d", own);
        state->files[own].superseded |= !wrong(NO_RETIRE);
        process->step = OPEN;
        if (process->old) settle(state, number);
        break;
    case OPEN:
        say("opens file %d", state->path);
        process->target = state->path;
        process->step = state->path ? READ_MARK : MAKE;
        break;
    case MAKE:
        say("is to make a file, and finds file %d", state->path);
        if (!state->path) state->path = make(state, 0);
        process->step = OPEN;
        break;
    case READ_MARK:
        say("finds file %d %s", process->target, mark(&state->files[process->target]));
        process->step = LOCK;
        if (!state->files[process->target].superseded) move_to_target(state, number);
        break;
    }
}

/* ---- Renewing --------------------------------------------------------------------------------------------------- */

static void end_renewal(struct process *process) {
    process->target = process->fresh = process->lost = 0;
    if (process->renews)
        next_job(process);
    else
        process->step = OPEN; /* its look goes on */
    process->renews = false;
}

/* Another process is renewing the file. Until it is done, all meet in the old file. */
static void give_up(struct state *state, int number) {
    struct process *process = &state->processes[number];
    process->fresh = 0;
    if (process->renews)
        end_renewal(process);
    else if (process->target != process->session)
        move_to_target(state, number);
    else
        end_look(state, number);
}

static void unlock(struct state *state, int number) {
    struct process *process = &state->processes[number];
    struct file *old = &state->files[process->target];
    say(", unlocks file %d", process->target);
    if (old->lock == number) old->lock = 0;
    if (process->lost)
        give_up(state, number);
    else
        end_renewal(process);
}

static void rename_own(struct state *state, int number) {
    struct process *process = &state->processes[number];
    uint8_t own = state->beside[number];
    say("renames file %d over file %d", own, state->path);
    if (own) claim(state->path == process->target || does_anybody('U'), "OVER");
    if (own) state->path = own;
    if (!own) process->lost = state->path == process->target; /* its name was taken away */
    state->beside[number] = 0;
    process->step = RETIRE_OLD;
    if (!wrong(RETIRE_LATE)) unlock(state, number);
}

static void renew(struct state *state, int number) {
    struct process *process = &state->processes[number];
    struct file *old = &state->files[process->target];
    switch (process->step++) {
    case OPEN_OLD:
        say("opens file %d", state->path);
        process->target = state->path;
        if (!state->path) end_renewal(process);
        break;
    case LOCK:
        process->lost = false;
        if (!old->lock) {
            say("locks file %d", process->target);
            old->lock = (uint8_t)number;
        } else if (state->processes[old->lock].step == ABSENT && !wrong(NO_TAKING_OVER)) {
            say("goes on without the lock of file %d", process->target); /* its patience is over */
        } else {
            say("cannot lock file %d", process->target);
            give_up(state, number);
        }
        break;
    case CHECK:
        say("finds file %d at the path", state->path);
        if (state->path != process->target) unlock(state, number);
        break;
    case MAKE_BESIDE:
        process->fresh = state->beside[number] = make(state, 0);
        say("makes file %d beside", process->fresh);
        if (wrong(RETIRE_LATE) || wrong(COPY_BEFORE_MARK)) process->step = COPY_STATE;
        break;
    case RETIRE_OLD:
        say("retires file %d", process->target);
        old->superseded |= !wrong(NO_RETIRE);
        if (!does_anybody('S') || wrong(COPY_BEFORE_MARK)) process->step = TAKE_AWAY;
        if (wrong(RETIRE_LATE)) unlock(state, number);
        break;
    case COPY_STATE:
        say("copies state %d of file %d", old->state, process->target);
        if (!wrong(NO_COPY)) state->files[process->fresh].state = old->state;
        if (!wrong(NO_COPY)) state->files[process->fresh].has_state = old->state != 0;
        if (wrong(COPY_BEFORE_MARK)) process->step = RETIRE_OLD;
        break;
    case TAKE_AWAY:
        say("takes the names of others away");
        for (int other = 1; other <= PROCESSES; other++)
            if (other != number && !wrong(NO_TAKING_AWAY)) state->beside[other] = 0;
        if (wrong(NO_CHECK_AGAIN)) process->step = RENAME;
        break;
    case CHECK_AGAIN:
        say("finds file %d at the path", state->path);
        if (state->path == process->target) break;
        say(", unlinks file %d beside", state->beside[number]);
        state->beside[number] = 0;
        unlock(state, number);
        break;
    case RENAME: rename_own(state, number); break;
    }
}

/* ---- Arriving --------------------------------------------------------------------------------------------------- */

static void end_carry(struct state *state, int number) {
    struct process *process = &state->processes[number];
    process->theirs = 0;
    process->step = RETIRE_OWN;
    if (!wrong(CARRY_BEFORE_MARK)) settle(state, number);
}

/* A renewed file has its states already. One that was made because none was there gets the states of the first process
 * that comes. */
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

/* A watcher that moves calls at least once, because posts may have come to this file before it. One that has just begun
 * to watch does not.
 */
static void read_posts(struct state *state, int number) {
    struct process *watcher = &state->processes[number];
    struct file *file = &state->files[watcher->session];
    say("reads the posts in file %d", watcher->session);
    if (watcher->added && (!wrong(NO_RECALL) || state->files[watcher->old].news & bit(number))) call(watcher);
    watcher->added = true;
    file->met |= (uint8_t)bit(number);
    file->news &= (uint8_t)~bit(number);
    watcher->step = POST_AGAIN;
    if (!watcher->posted) end_look(state, number);
}

/* Its last post may be in a file that other processes had left. */
static void post_again(struct state *state, int number) {
    struct file *file = &state->files[state->processes[number].session];
    say("posts again in file %d", state->processes[number].session);
    file->news = file->met;
    end_look(state, number);
}

/* ---- A process -------------------------------------------------------------------------------------------------- */

static void step(struct state *state, int number) {
    enum step step = state->processes[number].step;
    if (step <= READ_MARK)
        look(state, number);
    else if (step <= RENAME)
        renew(state, number);
    else if (step <= SET_CARRIED)
        carry(state, number);
    else if (step == READ_POSTS)
        read_posts(state, number);
    else if (step == POST_AGAIN)
        post_again(state, number);
    else if (step <= COUNTED)
        post(state, number);
    else
        set(state, &state->processes[number]);
}

/* Begins its next job, and takes the first step of it. */
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
        process->step = OPEN_OLD;
        break;
    case 'U':
        say("unlinks file %d at the path", state->path);
        state->path = 0;
        process->job++;
        return true;
    case 'E':
        say("ends");
        *process = (struct process){.step = ABSENT};
        return true;
    default: return false;
    }
    step(state, number);
    return true;
}

/* Whether a running process is renewing a file, or about to. */
static bool is_anybody_at_it(const struct state *state) {
    for (int number = 1; number <= PROCESSES; number++) {
        enum step step = state->processes[number].step;
        if (step >= LOOK_AT_PATH && step <= RENAME) return true;
    }
    return false;
}

/* Whether the process leaves its superseded file alone: while a running process has the file's lock; if its name was
 * taken away, while any process is renewing. */
static bool is_let_be(const struct state *state, const struct process *process, const struct file *own) {
    bool locked = own->lock && (state->processes[own->lock].step != ABSENT || wrong(NO_TAKING_OVER));
    return locked || (process->lost && is_anybody_at_it(state));
}

/* A look that would find nothing is left out, unless it confirms a post; so is a repeated look at a file that is
 * locked. */
static bool begin_to_look(struct state *state, int number) {
    struct process *process = &state->processes[number];
    const struct file *own = &state->files[process->session];
    if (!process->session && !process->watches) return false;
    if (process->session == state->path && (own->superseded ? is_let_be(state, process, own) : !process->posted))
        return false;
    begin_look(process, REST);
    if (process->session && !own->superseded) process->step = LOOK_AT_PATH;
    step(state, number);
    return true;
}

/* A watcher hears when it is woken, or its time-out is over. */
static bool hear(struct state *state, int number) {
    struct process *watcher = &state->processes[number];
    struct file *file = &state->files[watcher->session];
    if (!(file->news & bit(number))) return false;
    say("reads the posts in file %d", watcher->session);
    file->news &= (uint8_t)~bit(number);
    call(watcher);
    return true;
}

/* It has waited for a running process that has the lock, and goes on without it. */
static bool insist(struct state *state, int number) {
    struct process *process = &state->processes[number];
    uint8_t holder = state->files[process->target].lock;
    if (process->step != LOCK || !holder || state->processes[holder].step == ABSENT || state->befallen) return false;
    if (wrong(NO_TAKING_OVER) || !scenes[scenario].hurries) return false;
    state->befallen = true;
    say("does not wait for the lock of file %d", process->target);
    process->step = CHECK;
    process->lost = false;
    return true;
}

/* The kernel drops the locks of a process that is dead, not of one that is stopped. */
static bool befall(struct state *state, int number, bool stops) {
    bool has_lock = false;
    if (!(script(number)->kind & FRAGILE) || state->befallen) return false;
    for (int file = 1; file <= FILES; file++) {
        if (state->files[file].lock != number) continue;
        has_lock = true;
        if (!stops) state->files[file].lock = 0;
    }
    if (stops && !has_lock) return false; /* it would make no difference */
    say("is %s", stops ? "stopped" : "killed");
    state->processes[number] = (struct process){.step = ABSENT};
    state->beside[number] = 0; /* it will not be renamed */
    state->befallen = true;
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

/* The possible moves of a process: at rest there is a choice. */
enum next { GO_ON, LOOK, HEAR, INSIST, STEPS, DIE = STEPS, STOP, ALL };

static bool go(struct state *state, int number, enum next next) {
    bool rests = state->processes[number].step == REST;
    if (state->processes[number].step == ABSENT) return false;
    switch (next) {
    case GO_ON:
        if (rests) return begin_job(state, number);
        step(state, number);
        return true;
    case LOOK: return rests && begin_to_look(state, number);
    case HEAR: return rests && hear(state, number);
    case INSIST: return insist(state, number);
    default: return befall(state, number, next == STOP);
    }
}

static bool take(struct state *state, int move) {
    int number = move % PROCESSES + 1;
    if (script(number)->jobs) say("    process %d (%s) ", number, script(number)->jobs);
    if (!go(state, number, move / PROCESSES)) return false;
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
        bool is_there = process->session || process->watches;
        if (is_there) claim(process->session == state->path && !file->superseded, "MEET");
        claim(!(process->owed & state->complete & (staying | process->sure)), "LOSS");
        if (does(number, 'S')) claim(file->state >= state->settled && file->state <= state->begun, "STATE");
    }
}

int main(int count, char **arguments) {
    static const struct model model = {"move",          "all claims kept", SCENES, STEPS * PROCESSES,
                                       ALL * PROCESSES, mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
