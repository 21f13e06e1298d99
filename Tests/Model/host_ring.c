/* A model of how the memory of rings is taken, used and given back (ring.c, outbox.c, channel.c, watched.c).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/host_ring Tests/Model/host_ring.c && build/host_ring [MUTATION]
 *
 * Messages lie in rings, and an index leads to them. The file does not record which process has read what: a reader
 * copies a record when it comes to it. So a process that gives a ring's memory back must know that no reader will read
 * there. Each reader has a channel, where it shows the place from which it reads; 0 is any place.
 *
 *   posting       is the ring ready?; lock it, or give up; is it still as it was?; if it is not ready, take memory and
 *                 set it ready; write; publish at the tail; move the tail; unlock, at once or in the end
 *   coming        lock a channel; show 0 there; set that it has a process; read the tail, and begin there; show that
 *   changing      as coming, with another channel, but without the tail; count the change; then leave the one before
 *   reading       copy the record; show the next
 *   giving back   lock the ring, or give up; is it ready?; read how many changes there were; read the tail; for each
 *                 channel: has it a process? what does it show? is it locked? (else its process is dead); was there
 *                 another change? then give up; does the index lead to this ring, from the least of all that to the
 *                 tail?; set it not ready; give the memory back; unlock
 *
 * Claims. Every step can be taken at any time, so none waits for another process, and all come to rest. One process may
 * be killed before any step, which takes its locks away.
 *
 * GONE: no reader comes to a record whose memory was given back.
 *
 * MEMORY: a poster writes only where memory is, and publishes only records that are still there.
 *
 * LOSS: in the end each reader has come to the end.
 *
 * Left out. There is one ring that may be given back; another that is never given back stands for all others. The index
 * is long enough. A record's bytes, and readers that are overtaken: host_log.c. Shared channels, which always show 0.
 * The one ring that is kept for the next poster.
 *
 * Lesson. One look at each channel is not enough. A reader that changes to a channel that was already looked at, from
 * one that is looked at later, is seen in neither. So changes are counted, between the two. */
#include <stdbool.h>
#include <stdint.h>

enum { RECORDS = 4, CHANNELS = 3, PROCESSES = 4 };

enum step {
    ABSENT, /* ended, killed, or not in the scenario */
    REST,
    /* posting */
    FIND,
    LOCK,
    CHECK,
    TAKE_MEMORY,
    SAY_READY,
    WRITE,
    FIND_TAIL,
    PUBLISH,
    MOVE_TAIL,
    UNLOCK,
    /* a reader's channel */
    TAKE_CHANNEL,
    RESET,
    APPEAR,
    BEGIN,
    SHOW_FIRST,
    COUNT_CHANGE,
    DISAPPEAR,
    LEAVE_CHANNEL,
    /* reading */
    COPY,
    SHOW,
    /* giving back */
    LOCK_FREE,
    IS_READY,
    READ_CHANGES,
    READ_TAIL,
    HAS_PROCESS,
    READ_SHOWN,
    IS_LOCKED,
    READ_CHANGES_AGAIN,
    LOOK_AT_INDEX,
    SAY_NOT_READY,
    GIVE_BACK,
    UNLOCK_FREE,
};

enum record { NONE, HERE, ELSEWHERE, GONE }; /* in the ring, in the other one, in memory that was given back */

/* Processes and channels have numbers from 1; 0 is none. */
struct state {
    uint8_t index[RECORDS + 1], tail; /* from 1 on */
    uint8_t ready, memory, lock;      /* the ring; `lock`: the process that has it */
    uint8_t changes;
    struct channel {
        uint8_t owned, lock, shown;
    } channels[CHANNELS + 1];
    struct process {
        uint8_t step, job;
        uint8_t was_ready, keeps; /* what a poster has found; it keeps the lock for life */
        uint8_t at;               /* in the index: where a poster publishes, or a reader reads; 0: it is no reader */
        uint8_t channel, before;  /* a reader's, and the one that it leaves */
        uint8_t oldest, looks_at; /* of a process that gives back: the oldest record that may be read, and a channel, */
        uint8_t changes;          /* and how many changes there were */
    } processes[PROCESSES + 1];
    uint8_t befallen;
};

#include "host.h"

/* ---- Scenarios -------------------------------------------------------------------------------------------------- */

/* The jobs of a process, in letters: r it has been reading, R it begins to read, M it changes its channel, O post with
 * the ring and keep it, B post with it once, N post with the other ring, G give back, E end. */
struct script {
    const char *jobs;
    bool is_fragile;
};
enum { OWNER, BORROWERS, NEWCOMER, NEWCOMER_AGAIN, CHANGE, CHANGE_TWICE, SUCCESSOR, TWO_GIVE, SCENES };
static const struct scene {
    const char *name;
    struct script scripts[PROCESSES];
    int left; /* a channel left by a dead process, which had shown a late place in it */
} scenes[SCENES] = {
    [OWNER] = {"an owner that ends", {{"OOE", true}, {"r", true}, {"GG", true}}, 0},
    [BORROWERS] = {"borrowers", {{"BB", true}, {"B", true}, {"r", false}, {"G", true}}, 0},
    [NEWCOMER] = {"a reader comes", {{"OE", true}, {"R", true}, {"G", false}, {"N", false}}, 0},
    [NEWCOMER_AGAIN] = {"a reader comes, messages go on", {{"BB", true}, {"R", false}, {"G", false}}, 1},
    [CHANGE] = {"a reader changes its channel", {{"OE", true}, {"rM", true}, {"G", false}}, 2},
    [CHANGE_TWICE] = {"a reader changes its channel twice", {{"BB", false}, {"rMM", true}, {"G", false}}, 2},
    [SUCCESSOR] = {"one reader ends, another comes", {{"BB", false}, {"rE", true}, {"R", false}, {"G", false}}, 2},
    [TWO_GIVE] = {"two give back", {{"B", true}, {"r", false}, {"G", true}, {"G", true}}, 0},
};

static const char *scenario_name(int number) { return scenes[number].name; }
static const struct script *script(int number) { return &scenes[scenario].scripts[number - 1]; }

enum {
    NO_READER_LOOK = 1,
    NO_RESET,
    LEAVE_FIRST,
    APPEAR_LATE,
    NO_CHANGES,
    COUNT_LATE,
    TAIL_LATE,
    SHORT_OF_TAIL,
    SHOW_FIRST_COPY_THEN,
    NO_GIVER_LOCK,
    NO_CHECK,
    GIVE_BACK_FIRST,
};
static const struct mutation mutations[] = {
    /* a process that gives back does not look from where readers read */
    [NO_READER_LOOK] = {"NO_READER_LOOK", "GONE", OWNER},
    /* a reader leaves the place that the last process has shown in its channel */
    [NO_RESET] = {"NO_RESET", "GONE", NEWCOMER_AGAIN},
    /* it leaves its channel before it appears in the other */
    [LEAVE_FIRST] = {"LEAVE_FIRST", "GONE", CHANGE},
    /* it reads the tail before it appears */
    [APPEAR_LATE] = {"APPEAR_LATE", "GONE", NEWCOMER_AGAIN},
    /* a process that gives back does not look whether readers have changed their channels during its look */
    [NO_CHANGES] = {"NO_CHANGES", "GONE", CHANGE_TWICE},
    /* a reader counts the change after it has left its channel */
    [COUNT_LATE] = {"COUNT_LATE", "GONE", CHANGE_TWICE},
    /* a process that gives back reads the tail after the channels */
    [TAIL_LATE] = {"TAIL_LATE", "GONE", NEWCOMER},
    /* it looks at the index up to the tail, but not at the tail's own record */
    [SHORT_OF_TAIL] = {"SHORT_OF_TAIL", "GONE", NEWCOMER},
    /* a reader shows the next place before it has copied */
    [SHOW_FIRST_COPY_THEN] = {"SHOW_EARLY", "GONE", OWNER},
    /* a process that gives back does not lock the ring */
    [NO_GIVER_LOCK] = {"NO_GIVER_LOCK", "MEMORY", BORROWERS},
    /* a poster does not check again, under the lock, whether the ring is ready */
    [NO_CHECK] = {"NO_CHECK", "MEMORY", BORROWERS},
    /* the memory goes before the ring is set not ready */
    [GIVE_BACK_FIRST] = {"GIVE_BACK_FIRST", "MEMORY", BORROWERS},
    {NULL, NULL, 0},
};

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    state.tail = 1;
    if (scenes[scenario].left)
        state.channels[scenes[scenario].left] = (struct channel){.owned = true, .shown = RECORDS};
    for (int number = 1; number <= PROCESSES; number++) {
        struct process *process = &state.processes[number];
        if (!script(number)->jobs) continue;
        process->step = REST;
        if (script(number)->jobs[0] != 'r') continue;
        *process = (struct process){.step = REST, .job = 1, .at = 1, .channel = 1};
        state.channels[1] = (struct channel){.owned = true, .lock = (uint8_t)number, .shown = 1};
    }
    return state;
}

static void next_job(struct process *process) {
    process->step = REST;
    process->job++;
}

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

static void move_tail(struct state *state, uint8_t at) {
    say(", moves the tail behind %d", at);
    if (state->tail == at) state->tail++;
}

static void post(struct state *state, int number) {
    struct process *process = &state->processes[number];
    char job = script(number)->jobs[process->job];
    switch (process->step++) {
    case FIND:
        say("finds the ring %s", state->ready ? "ready" : "not ready");
        process->was_ready = state->ready;
        break;
    case LOCK:
        say("%s it", state->lock ? "cannot lock" : "locks");
        if (state->lock)
            next_job(process); /* it takes another ring, or the post is refused */
        else
            state->lock = (uint8_t)number;
        break;
    case CHECK:
        say("finds it %s under the lock", state->ready ? "ready" : "not ready");
        if (process->was_ready) process->step = WRITE;
        if (!wrong(NO_CHECK) && state->ready != process->was_ready) process->step = UNLOCK;
        break;
    case TAKE_MEMORY:
        say("takes memory");
        state->memory = true;
        break;
    case SAY_READY:
        say("says that it is ready");
        state->ready = true;
        break;
    case WRITE:
        say("writes");
        claim(state->memory, "MEMORY");
        process->keeps = job == 'O';
        break;
    case FIND_TAIL:
        say("finds the tail at %d", state->tail);
        process->at = state->tail;
        break;
    case PUBLISH:
        say("publishes at %d", process->at);
        process->step = MOVE_TAIL;
        if (state->index[process->at]) {
            say(", where there is one");
            move_tail(state, process->at);
            process->step = FIND_TAIL;
            break;
        }
        claim(job == 'N' || state->memory, "MEMORY");
        state->index[process->at] = job == 'N' ? ELSEWHERE : HERE;
        break;
    case MOVE_TAIL:
        say("is done");
        move_tail(state, process->at);
        process->at = 0;
        if (job != 'B') next_job(process);
        break;
    case UNLOCK:
        say("unlocks");
        state->lock = 0;
        next_job(process);
        break;
    }
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static uint8_t free_channel(const struct state *state) {
    uint8_t channel = 1;
    while (channel <= CHANNELS && state->channels[channel].lock) channel++;
    return channel;
}

static void change(struct state *state, int number) {
    struct process *reader = &state->processes[number];
    struct channel *channel = &state->channels[reader->channel], *before = &state->channels[reader->before];
    switch (reader->step++) {
    case TAKE_CHANNEL:
        reader->before = reader->channel;
        reader->channel = free_channel(state);
        state->channels[reader->channel].lock = (uint8_t)number;
        say("locks channel %d", reader->channel);
        if (wrong(NO_RESET)) reader->step = APPEAR;
        if (wrong(LEAVE_FIRST) && reader->before) reader->step = DISAPPEAR;
        if (wrong(APPEAR_LATE) && !reader->before) reader->step = BEGIN;
        break;
    case RESET:
        say("shows 0 there");
        channel->shown = 0;
        break;
    case APPEAR:
        say("says that channel %d has a process", reader->channel);
        channel->owned = true;
        if (reader->at) reader->step = SHOW_FIRST;
        break;
    case BEGIN:
        say("begins at the tail, %d", state->tail);
        reader->at = state->tail;
        if (wrong(APPEAR_LATE) && !channel->owned) reader->step = RESET;
        break;
    case SHOW_FIRST:
        say("shows %d", reader->at);
        channel->shown = reader->at;
        if (wrong(COUNT_LATE)) reader->step = DISAPPEAR;
        if (!reader->before) next_job(reader);
        break;
    case COUNT_CHANGE:
        say("counts the change");
        state->changes++;
        if (wrong(COUNT_LATE)) next_job(reader);
        break;
    case DISAPPEAR:
        say("says that channel %d has none", reader->before);
        before->owned = false;
        break;
    case LEAVE_CHANNEL:
        say("unlocks channel %d", reader->before);
        before->lock = 0;
        reader->before = 0;
        if (wrong(LEAVE_FIRST) && !channel->owned)
            reader->step = RESET;
        else if (wrong(COUNT_LATE))
            reader->step = COUNT_CHANGE;
        else
            next_job(reader);
        break;
    }
}

static void read_on(struct state *state, int number) {
    struct process *reader = &state->processes[number];
    struct channel *channel = &state->channels[reader->channel];
    bool copies = (reader->step == COPY) != wrong(SHOW_FIRST_COPY_THEN);
    if (copies) {
        say("copies record %d", reader->at);
        claim(state->index[reader->at] != GONE, "GONE");
        if (!wrong(SHOW_FIRST_COPY_THEN)) reader->at++;
    } else {
        say("shows %d", reader->at + wrong(SHOW_FIRST_COPY_THEN));
        channel->shown = (uint8_t)(reader->at + wrong(SHOW_FIRST_COPY_THEN));
    }
    if (reader->step == SHOW && wrong(SHOW_FIRST_COPY_THEN)) reader->at++;
    reader->step = reader->step == COPY ? SHOW : REST;
}

/* ---- Giving back ------------------------------------------------------------------------------------------------ */

/* Goes to the next channel, or to the step after the last. */
static void look_at_next(struct process *giver) {
    giver->step = HAS_PROCESS;
    if (giver->looks_at++ < CHANNELS) return;
    giver->looks_at = 0;
    giver->step = wrong(TAIL_LATE) ? READ_TAIL : READ_CHANGES_AGAIN;
}

static bool leads_here(const struct state *state, uint8_t oldest) {
    for (int at = oldest; at <= state->tail - wrong(SHORT_OF_TAIL) && at <= RECORDS; at++)
        if (state->index[at] == HERE) return true;
    return false;
}

static void give_memory_back(struct state *state) {
    say("gives the memory back");
    state->memory = false;
    for (int at = 1; at <= RECORDS; at++)
        if (state->index[at] == HERE) state->index[at] = GONE;
}

static void give(struct state *state, int number) {
    struct process *giver = &state->processes[number];
    struct channel *channel = &state->channels[giver->looks_at];
    switch (giver->step++) {
    case LOCK_FREE:
        say("%s the ring", state->lock ? "cannot lock" : "locks");
        if (wrong(NO_GIVER_LOCK)) break;
        if (state->lock)
            next_job(giver);
        else
            state->lock = (uint8_t)number;
        break;
    case IS_READY:
        say("finds it %s", state->ready ? "ready" : "not ready");
        if (!state->ready) giver->step = UNLOCK_FREE;
        giver->oldest = RECORDS + 1;
        giver->looks_at = 1;
        break;
    case READ_CHANGES:
        say("finds %d changes", state->changes);
        giver->changes = state->changes;
        if (wrong(TAIL_LATE)) giver->step = HAS_PROCESS;
        break;
    case READ_TAIL:
        say("reads the tail, %d", state->tail);
        if (state->tail < giver->oldest) giver->oldest = state->tail;
        giver->step = wrong(TAIL_LATE) || wrong(NO_READER_LOOK) ? READ_CHANGES_AGAIN : HAS_PROCESS;
        break;
    case HAS_PROCESS:
        say("finds %s in channel %d", channel->owned ? "a process" : "nobody", giver->looks_at);
        if (!channel->owned) look_at_next(giver);
        break;
    case READ_SHOWN:
        say("finds that it reads from %d", channel->shown);
        if (channel->shown >= giver->oldest)
            look_at_next(giver);
        else
            giver->before = channel->shown; /* the place that counts if its process is alive */
        break;
    case IS_LOCKED:
        say("finds it %s", channel->lock ? "alive" : "dead");
        if (channel->lock) giver->oldest = giver->before;
        giver->before = 0;
        look_at_next(giver);
        break;
    case READ_CHANGES_AGAIN:
        say("finds %d changes", state->changes);
        if (giver->changes != state->changes && !wrong(NO_CHANGES)) giver->step = UNLOCK_FREE;
        giver->changes = 0;
        break;
    case LOOK_AT_INDEX:
        say("looks at the index from %d on", giver->oldest);
        if (leads_here(state, giver->oldest)) giver->step = UNLOCK_FREE;
        giver->looks_at = giver->oldest = 0;
        break;
    case SAY_NOT_READY:
        if (wrong(GIVE_BACK_FIRST)) {
            give_memory_back(state);
            break;
        }
        say("says that it is not ready");
        state->ready = false;
        break;
    case GIVE_BACK:
        if (wrong(GIVE_BACK_FIRST)) {
            say("says that it is not ready");
            state->ready = false;
            break;
        }
        give_memory_back(state);
        break;
    case UNLOCK_FREE:
        say("unlocks it");
        if (state->lock == number) state->lock = 0;
        giver->oldest = giver->looks_at = 0;
        next_job(giver);
        break;
    }
}

/* ---- A process -------------------------------------------------------------------------------------------------- */

static void step(struct state *state, int number) {
    enum step step = state->processes[number].step;
    if (step <= UNLOCK)
        post(state, number);
    else if (step <= LEAVE_CHANNEL)
        change(state, number);
    else if (step <= SHOW)
        read_on(state, number);
    else
        give(state, number);
}

/* The kernel drops its locks. */
static void end(struct state *state, int number) {
    if (state->lock == number) state->lock = 0;
    for (int channel = 1; channel <= CHANNELS; channel++)
        if (state->channels[channel].lock == number) state->channels[channel].lock = 0;
    state->processes[number] = (struct process){.step = ABSENT};
}

/* Begins its next job, and takes the first step of it. */
static bool begin_job(struct state *state, int number) {
    struct process *process = &state->processes[number];
    switch (script(number)->jobs[process->job]) {
    case 'O': process->step = process->keeps ? WRITE : FIND; break;
    case 'B': process->step = FIND; break;
    case 'N': process->step = FIND_TAIL; break;
    case 'R':
    case 'M': process->step = TAKE_CHANNEL; break;
    case 'G': process->step = LOCK_FREE; break;
    case 'E':
        say("ends");
        end(state, number);
        return true;
    default: return false;
    }
    step(state, number);
    return true;
}

static bool begin_to_read(struct state *state, int number) {
    struct process *reader = &state->processes[number];
    if (!reader->channel || reader->at > RECORDS || !state->index[reader->at]) return false;
    reader->step = COPY;
    step(state, number);
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

/* The possible moves of a process: at rest there is a choice. */
enum next { GO_ON, READ, STEPS, DIE = STEPS, ALL };

static bool take(struct state *state, int move) {
    int number = move % PROCESSES + 1;
    struct process *process = &state->processes[number];
    bool rests = process->step == REST;
    if (process->step == ABSENT) return false;
    say("    process %d (%s) ", number, script(number)->jobs);
    switch (move / PROCESSES) {
    case GO_ON:
        if (rests) return begin_job(state, number);
        step(state, number);
        return true;
    case READ: return rests && begin_to_read(state, number);
    default:
        if (!script(number)->is_fragile || state->befallen) return false;
        say("is killed");
        end(state, number);
        state->befallen = true;
        return true;
    }
}

static void judge_rest(const struct state *state) {
    for (int number = 1; number <= PROCESSES; number++) {
        const struct process *reader = &state->processes[number];
        if (reader->channel) claim(reader->at > RECORDS || !state->index[reader->at], "LOSS");
    }
}

int main(int count, char **arguments) {
    static const struct model model = {"rings",           "all claims kept", SCENES,
                                       STEPS * PROCESSES, ALL * PROCESSES,   mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
