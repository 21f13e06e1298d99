/* A model of what the host center keeps (cell.c, value.c, log.c, ring.c, outbox.c, replace.c).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/host_kept Tests/Model/host_kept.c && build/host_kept [MUTATION]
 *
 * A kept message is a record in the log. The record leads to a value, and whoever finds the record at the tail puts the
 * value into its cell, before the tail moves on. Processes are killed at any step. Then the next owner of the ring
 * finishes what the dead one was doing, from two words in the ring's head, `hand` and `old`.
 *
 *   keeping    for each value: is it free?; note it in `hand`; claim it; write it; write a record; publish, or help and
 *              try again; help; clear `hand` and `old`
 *   helping    read the tail; what was published there?; read its part, and its number; then for the cell: read its
 *              word; is the tail the same?; read the generation of the value there; is the word the same?; note the
 *              value in `old`; put; free the value that was there; is the tail the same?; is ours in the cell?; mark it
 *              as published; move the tail
 *   taking a   lock it; free the value in `old` if it is in no cell; help what was published; mark the value in `hand`,
 *   ring       or free it
 *   reading    read the tail; is a record there, and of this cell? take its value; else read the cell's word, the
 *              value's generation, and the word again; copy; read the generation again
 *   moving     help; end the log; copy each cell
 *
 * Claims. Every order of steps comes to an end.
 *   WHOLE     What is read is one message, the one of the record that led there.
 *   NEWEST    What is read is not older than what was published before the reading began: so not older than a message
 *             that was heard, that was read before, or whose keeping has returned.
 *   APART     A value in a cell is in no other cell, and is not free.
 *   LAST      At rest, after settling, each cell has the message that was published last for it.
 *   LEAK      At rest, after settling, each value that is in use is in a cell.
 *   MOVED     The next file has the message that was published last in this one.
 *
 * Memory is sequentially consistent here, as in the code, with two exceptions. A value's bytes are relaxed, with fences
 * as in host_log.c; here they are two halves, which are written and read one after the other. A record's part is
 * relaxed, too. A late reading of its second word is a mutation (PART_FENCE).
 *
 * Left out. Laps of the log: a record's place is used again by the next record of its ring, which is all that a helper
 * can notice. Finding cells, sizes, slabs, hints, resting: values are claimed in their order, so they are used again as
 * soon as possible, which is worse. A mover leaves the value that it has replaced if it is killed; nobody claims values
 * in that file any more. Damage: that a value is put only if it was claimed for the record, and that a value names its
 * cell and its record, makes no difference here.
 *
 * Lessons. When a ring is taken, what is in `hand` was never put into a cell without being marked as published, because
 * helping comes before. So the look whether it is in its cell (cell.c) makes no difference, except after damage. The
 * second look at the word in helping is not for the exchange, which fails anyway: it is for the generation in `old`. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { CELLS = 2, VALUES = 4, RINGS = 2, RECORDS = 8, PROCESSES = 4, JUDGE = PROCESSES + 1 };
enum owner { FREE, PUBLISHED, HELD /* + ring */ };
enum { NOTHING, BY_RING /* + ring */, ENDED = 9, NO_RING = 9 }; /* what the log has at a place */

enum step {
    ABSENT, /* killed, or not in the scenario */
    REST,
    /* taking a ring */
    TAKE_RING,
    READ_OLD,
    IS_OLD_IN_CELL,
    FREE_OLD,
    CLEAR_OLD,
    READ_HAND,
    IS_HAND_IN_CELL,
    CHANGE_HAND,
    /* keeping */
    LOOK_FOR_VALUE,
    NOTE_HAND,
    CLAIM,
    NOTE_HAND_LATE,
    WRITE,
    WRITE_MORE,
    WRITE_RECORD,
    NUMBER,
    PUBLISH,
    FREE_UNPUBLISHED,
    CLEAR_HAND,
    CLEAR_HAND_OLD,
    /* helping */
    READ_TAIL,
    READ_SLOT,
    READ_PART,
    READ_NUMBER,
    READ_WORD,
    IS_TAIL,
    READ_PART_LATE,
    READ_GENERATION,
    IS_WORD,
    NOTE_OLD,
    PUT,
    NOTE_OLD_LATE,
    FREE_REPLACED,
    IS_STILL_TAIL,
    IS_PUT,
    SAY_PUBLISHED,
    MOVE_TAIL,
    END_LOG,
    /* reading */
    FIND_TAIL,
    FIND_SLOT,
    FIND_PART,
    FIND_NUMBER,
    FIND_TAIL_AGAIN,
    IS_EMPTY,
    FIND_WORD,
    FIND_GENERATION,
    FIND_WORD_AGAIN,
    COPY,
    COPY_MORE,
    COMPARE,
};

struct part {
    uint8_t cell, value, generation, if_empty; /* value 0: forgets */
};
struct word {
    uint8_t sequence, value;
};

/* Values, records and processes have numbers from 1; 0 is none. Rings have numbers from 0. */
struct state {
    uint8_t log[RECORDS + 1], tail;
    struct word cells[CELLS];
    struct value {
        uint8_t owner, generation, cell, halves[2];
    } values[VALUES + 1];
    struct ring {
        uint8_t lock, hand, old, old_generation;
        uint8_t sequence; /* of its record */
        struct part part;
    } rings[RINGS];
    struct process {
        uint8_t step, job, ring;
        uint8_t mine, mine_is;  /* the value that it has claimed, and its generation */
        uint8_t settles, owns;  /* why it helps: it takes a ring; the record is its own */
        uint8_t sequence, from; /* of the record that it has found, and the record's ring */
        struct part part;
        struct word word;                /* as read in a cell */
        uint8_t value, value_is, answer; /* a value that it has found, its generation; what it knows of the value */
        uint8_t cell, half;              /* a reader's: what it reads, and what it has copied */
        uint8_t since;                   /* known to the judge: the newest message when it began to read */
    } processes[JUDGE + 1];
    uint8_t killed;
    /* Known to the judge alone: */
    uint8_t published, ids[RECORDS + 1], newest[CELLS], moved, copies[CELLS];
};

#include "host.h"

/* ---- Scenarios -------------------------------------------------------------------------------------------------- */

/* The jobs of a process, in letters: a and b keep in this cell, f forget in a, e keep in a if it is empty, r read a,
 * m end the log and copy the cells. An heir takes a ring before it keeps: one whose owner was killed. */
struct script {
    const char *jobs;
    enum { LASTING, FRAGILE, HEIR, FRAGILE_HEIR } kind;
};
enum { ONE, TWO, HELPER, READ, READ_TWO, FORGET, EMPTY, MOVE, SCENES };
static const struct scene {
    const char *name;
    struct script scripts[PROCESSES];
    int rings, values, kills;
} scenes[SCENES] = {
    [ONE] = {"one keeps, and its heirs", {{"aab", FRAGILE}, {"aa", FRAGILE_HEIR}, {"b", HEIR}}, 1, 3, 2},
    [TWO] = {"two keep", {{"a", FRAGILE}, {"aa", FRAGILE}}, 2, 4, 2},
    [HELPER] = {"one keeps, another helps, and its heir", {{"aaa"}, {"b", FRAGILE}, {"", HEIR}}, 2, 4, 1},
    [READ] = {"one keeps, and one reads", {{"aaa", FRAGILE}, {"rr"}, {"b", HEIR}}, 1, 2, 1},
    [READ_TWO] = {"two keep, and one reads", {{"a"}, {"a", FRAGILE}, {"r"}}, 2, 3, 1},
    [FORGET] = {"one keeps and forgets, and one reads", {{"afaa", FRAGILE}, {"rr"}}, 1, 2, 1},
    [EMPTY] = {"one keeps if there is nothing", {{"aea", FRAGILE}, {"b"}}, 2, 4, 1},
    [MOVE] = {"one keeps, and one moves", {{"ab", FRAGILE}, {"m"}, {"a", HEIR}}, 1, 3, 1},
};
static const char *scenario_name(int number) { return scenes[number].name; }
static const struct script *script(int number) { return &scenes[scenario].scripts[number - 1]; }

enum {
    NO_CELL = 1,
    NO_HAND,
    HAND_LATE,
    NO_OLD,
    OLD_LATE,
    NO_SETTLE,
    NO_SETTLE_OLD,
    HELP_FIRST,
    NO_HELP_BEFORE_USE,
    NO_TAIL_CHECK,
    NO_WORD_AGAIN,
    PART_LATE,
    FREE_ANY,
    NO_GENERATION,
    NO_LOOK_AGAIN,
    NO_PENDING,
    CELL_FIRST,
    NO_EMPTY,
    NO_END,
};
static const struct mutation mutations[] = {
    [NO_CELL] = {"CELL", "NEWEST", READ},                    /* whoever helps puts nothing into the cell */
    [NO_HAND] = {"HAND", "LEAK", ONE},                       /* a value is claimed without a note */
    [HAND_LATE] = {"HAND_LATE", "LEAK", ONE},                /* the note is made after the claim */
    [NO_OLD] = {"OLD", "LEAK", ONE},                         /* a value is replaced without a note */
    [OLD_LATE] = {"OLD_LATE", "LEAK", ONE},                  /* the note is made after the exchange */
    [NO_SETTLE] = {"SETTLES", "LEAK", ONE},                  /* what a dead owner had in its hand stays */
    [NO_SETTLE_OLD] = {"SETTLE_ORDER", "LEAK", ONE},         /* what it was replacing stays */
    [HELP_FIRST] = {"HELP_FIRST", "LEAK", TWO},              /* that is freed after helping, which writes there */
    [NO_HELP_BEFORE_USE] = {"HELP_BEFORE_USE", "LAST", ONE}, /* a ring is used though its last record was not put */
    [NO_TAIL_CHECK] = {"TAIL_CHECK", "LAST", HELPER},        /* a helper that was slow does not notice it */
    [NO_WORD_AGAIN] = {"WORD_AGAIN", "APART", HELPER},       /* the generation in `old` may be of a later claim */
    [PART_LATE] = {"PART_FENCE", "APART", EMPTY},            /* the part's second word is read after the tail */
    [FREE_ANY] = {"FREE_ANY", "APART", HELPER},              /* a value is freed whatever its generation is */
    [NO_GENERATION] = {"GENERATION", "WHOLE", READ},         /* a reader does not look at the generation again */
    [NO_LOOK_AGAIN] = {"LOOK_AGAIN", "WHOLE", READ},         /* nor at the word */
    [NO_PENDING] = {"PENDING", "NEWEST", READ},              /* it does not look at the record at the tail */
    [CELL_FIRST] = {"CELL_FIRST", "NEWEST", READ},           /* it does, but after it has read the cell */
    [NO_EMPTY] = {"EMPTY", "LAST", EMPTY},                   /* what is kept if a cell is empty replaces others */
    [NO_END] = {"END", "MOVED", MOVE},                       /* the cells are copied while others go on */
    {NULL, NULL, 0},
};

static bool is_heir(int number) { return script(number)->kind >= HEIR; }

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    state.tail = 1;
    for (int number = 1; number <= PROCESSES; number++) {
        struct process *process = &state.processes[number];
        if (!script(number)->jobs) continue;
        *process = (struct process){.step = is_heir(number) ? TAKE_RING : REST, .ring = NO_RING};
        if (is_heir(number) || !strpbrk(script(number)->jobs, "abef")) continue;
        process->ring = (uint8_t)(number - 1);
        state.rings[process->ring].lock = (uint8_t)number;
    }
    return state;
}

/* ---- The judge -------------------------------------------------------------------------------------------------- */

static char job_of(const struct state *state, int number) {
    return number == JUDGE ? 0 : script(number)->jobs[state->processes[number].job];
}
static int id_of(const struct state *state, int number) { return number << 3 | (state->processes[number].job + 1); }

static void judge_published(struct state *state, int number, struct part part) {
    uint8_t sequence = ++state->published;
    assert(sequence < RECORDS && sequence == state->processes[number].sequence);
    if (part.value) state->ids[sequence] = (uint8_t)id_of(state, number);
    if (!part.if_empty || !state->newest[part.cell]) state->newest[part.cell] = sequence;
}

static void judge_cells(const struct state *state) {
    claim(!state->cells[0].value || state->cells[0].value != state->cells[1].value, "APART");
    for (int cell = 0; cell < CELLS; cell++) {
        uint8_t value = state->cells[cell].value;
        claim(!value || state->values[value].owner != FREE, "APART");
    }
}

/* `id`: what both halves say; 0: nothing is kept. */
static void judge_read(const struct state *state, const struct process *reader, int id) {
    say(": message %d", reader->sequence);
    claim(reader->sequence >= reader->since, "NEWEST");
    claim(id == state->ids[reader->sequence], "WHOLE");
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static void free_value(struct state *state, int number, int generation) {
    struct value *value = &state->values[number];
    if ((value->generation != generation && !wrong(FREE_ANY)) || value->owner == FREE) return;
    say(", frees value %d", number);
    value->owner = FREE;
}

static void change_value(struct state *state, int number, int generation, int before, int after) {
    struct value *value = &state->values[number];
    if (value->generation != generation || value->owner != before) return;
    say(", value %d is %s", number, after == FREE ? "free" : "published");
    value->owner = (uint8_t)after;
}

static bool is_in_cell(const struct state *state, int number) {
    return state->cells[state->values[number].cell].value == number;
}
static bool are_same(struct word one, struct word other) {
    return one.sequence == other.sequence && one.value == other.value;
}

/* ---- Taking a ring ---------------------------------------------------------------------------------------------- */

/* Forgets what the process does not need any more, so that fewer states differ. */
static void turn_to(struct process *process, int step) {
    struct process next = {.step = (uint8_t)step, .job = process->job, .ring = process->ring};
    next.settles = process->settles;
    next.mine = process->mine;
    next.mine_is = process->mine_is;
    next.cell = process->cell;
    next.since = process->since;
    *process = next;
}

static bool take_ring(struct state *state, int number) {
    struct process *process = &state->processes[number];
    int ring = 0;
    while (ring < scenes[scenario].rings && state->rings[ring].lock) ring++;
    if (ring == scenes[scenario].rings) return false;
    say("takes ring %d", ring + 1);
    state->rings[ring].lock = (uint8_t)number;
    process->ring = (uint8_t)ring;
    process->settles = true;
    turn_to(process, wrong(HELP_FIRST) || wrong(NO_SETTLE_OLD) ? READ_TAIL : READ_OLD);
    return true;
}

static void settle(struct state *state, int number) {
    struct process *process = &state->processes[number];
    struct ring *ring = &state->rings[process->ring];
    switch (process->step++) {
    case READ_OLD:
        say("finds value %d in old", ring->old);
        process->value = ring->old;
        process->value_is = ring->old_generation;
        if (!ring->old) process->step = CLEAR_OLD;
        break;
    case IS_OLD_IN_CELL:
        say("finds it %s", is_in_cell(state, process->value) ? "in its cell" : "in no cell");
        if (is_in_cell(state, process->value)) process->step = CLEAR_OLD;
        break;
    case FREE_OLD:
        say("settles");
        free_value(state, process->value, process->value_is);
        break;
    case CLEAR_OLD:
        say("clears old");
        ring->old = ring->old_generation = 0;
        turn_to(process, wrong(HELP_FIRST) || wrong(NO_HELP_BEFORE_USE) ? READ_HAND : READ_TAIL);
        break;
    case READ_HAND:
        say("finds value %d in hand", ring->hand);
        process->value = ring->hand;
        if (!ring->hand || wrong(NO_SETTLE)) turn_to(process, CLEAR_HAND);
        break;
    case IS_HAND_IN_CELL:
        process->answer = is_in_cell(state, process->value);
        process->value_is = state->values[process->value].generation;
        say("finds it %s", process->answer ? "in its cell" : "in no cell");
        break;
    case CHANGE_HAND:
        say("settles");
        change_value(state, process->value, process->value_is, HELD + process->ring,
                     process->answer ? PUBLISHED : FREE);
        turn_to(process, CLEAR_HAND);
        break;
    }
}

/* ---- Keeping ---------------------------------------------------------------------------------------------------- */

static void keep(struct state *state, int number) {
    struct process *process = &state->processes[number];
    struct ring *ring = &state->rings[process->ring];
    struct value *mine = &state->values[process->mine];
    char job = job_of(state, number);
    switch (process->step++) {
    case LOOK_FOR_VALUE:
        mine = &state->values[++process->mine];
        if (process->mine > scenes[scenario].values) {
            say("finds no value");
            process->mine = process->mine_is = 0;
            turn_to(process, CLEAR_HAND);
            break;
        }
        say("looks at value %d", process->mine);
        process->mine_is = mine->generation;
        if (mine->owner != FREE)
            process->step = LOOK_FOR_VALUE;
        else if (wrong(NO_HAND) || wrong(HAND_LATE))
            process->step = CLAIM;
        break;
    case NOTE_HAND:
        say("notes it in hand");
        ring->hand = process->mine;
        break;
    case CLAIM:
        if (mine->owner != FREE || mine->generation != process->mine_is) {
            say("cannot claim it");
            process->step = LOOK_FOR_VALUE;
            break;
        }
        say("claims it");
        mine->owner = (uint8_t)(HELD + process->ring);
        process->mine_is = ++mine->generation;
        if (!wrong(HAND_LATE)) process->step = WRITE;
        break;
    case NOTE_HAND_LATE:
        say("notes it in hand");
        ring->hand = process->mine;
        break;
    case WRITE:
        say("writes a half");
        mine->cell = job == 'b';
        mine->halves[0] = (uint8_t)id_of(state, number);
        break;
    case WRITE_MORE:
        say("writes the other half");
        mine->halves[1] = (uint8_t)id_of(state, number);
        break;
    case WRITE_RECORD:
        say("writes its record");
        ring->part = (struct part){job == 'b', process->mine, process->mine_is, job == 'e'};
        turn_to(process, READ_TAIL);
        break;
    case NUMBER:
        say("gives it the number %d", process->sequence);
        ring->sequence = process->sequence;
        break;
    case PUBLISH:
        if (state->log[process->sequence]) {
            say("finds another there");
            turn_to(process, READ_TAIL);
            break;
        }
        say("publishes %d", process->sequence);
        state->log[process->sequence] = BY_RING + process->ring;
        judge_published(state, number, ring->part);
        process->mine = process->mine_is = 0;
        process->from = process->ring;
        process->owns = true;
        process->step = READ_PART;
        break;
    case FREE_UNPUBLISHED:
        say("finds the end of the log");
        if (process->mine) free_value(state, process->mine, process->mine_is);
        process->mine = process->mine_is = 0;
        turn_to(process, CLEAR_HAND);
        break;
    case CLEAR_HAND:
        say("clears hand");
        ring->hand = 0;
        break;
    case CLEAR_HAND_OLD:
        say("clears old");
        ring->old = ring->old_generation = 0;
        process->job += !process->settles;
        process->settles = false;
        turn_to(process, REST);
        break;
    }
}

/* ---- Helping ---------------------------------------------------------------------------------------------------- */

static void begin_to_read(struct state *state, struct process *process, int cell) {
    bool looks = !wrong(NO_PENDING) && !wrong(CELL_FIRST);
    turn_to(process, looks ? FIND_TAIL : FIND_WORD);
    process->cell = (uint8_t)cell;
    process->since = state->newest[cell];
}

/* Everything older is in its cell: what the process has been helping for. */
static void go_on(struct state *state, int number, bool ended) {
    struct process *process = &state->processes[number];
    if (process->settles) {
        turn_to(process, wrong(HELP_FIRST) ? READ_OLD : READ_HAND);
        if (wrong(HELP_FIRST) && !state->rings[process->ring].old) process->step = READ_HAND;
    } else if (job_of(state, number) == 'm') {
        process->step = ended || wrong(NO_END) ? REST : END_LOG;
        if (process->step == REST) begin_to_read(state, process, 0);
    } else {
        process->step = ended ? FREE_UNPUBLISHED : NUMBER;
    }
}

static void help(struct state *state, int number) {
    struct process *process = &state->processes[number];
    const struct ring *from = &state->rings[process->from];
    struct ring *ring = process->ring == NO_RING ? NULL : &state->rings[process->ring];
    struct word *cell = &state->cells[process->part.cell];
    switch (process->step++) {
    case READ_TAIL:
        say("reads the tail, %d", state->tail);
        process->sequence = state->tail;
        break;
    case READ_SLOT: {
        uint8_t slot = state->log[process->sequence];
        say("finds %s there", !slot ? "nothing" : slot == ENDED ? "the end" : "a record");
        if (slot && slot != ENDED)
            process->from = slot - BY_RING;
        else
            go_on(state, number, slot == ENDED);
        break;
    }
    case READ_PART:
        say("reads that it keeps value %d in cell %d", from->part.value, from->part.cell + 1);
        process->part = from->part;
        break;
    case READ_NUMBER:
        say("finds that it is %d", from->sequence);
        if (from->sequence != process->sequence) process->step = MOVE_TAIL;
        if (from->sequence == process->sequence && wrong(NO_CELL)) process->step = IS_STILL_TAIL;
        break;
    case READ_WORD:
        say("reads the cell: message %d", cell->sequence);
        process->word = *cell;
        if (cell->sequence == process->sequence) process->step = IS_STILL_TAIL;
        if (wrong(NO_TAIL_CHECK) && process->step == IS_TAIL) process->step = READ_GENERATION;
        break;
    case IS_TAIL:
        say("finds the tail at %d", state->tail);
        process->step = wrong(PART_LATE) ? READ_PART_LATE : READ_GENERATION;
        if (state->tail != process->sequence) process->step = IS_STILL_TAIL;
        if (process->step == READ_GENERATION && process->part.if_empty && process->word.sequence && !wrong(NO_EMPTY))
            process->step = IS_STILL_TAIL;
        break;
    case READ_PART_LATE:
        say("reads the rest of the part");
        process->part.generation = from->part.generation;
        process->part.if_empty = from->part.if_empty;
        if (process->part.if_empty && process->word.sequence) process->step = IS_STILL_TAIL;
        break;
    case READ_GENERATION:
        process->value_is = state->values[process->word.value].generation;
        say("reads the generation of value %d, %d", process->word.value, process->value_is);
        if (wrong(NO_WORD_AGAIN)) process->step = NOTE_OLD;
        if (process->step == NOTE_OLD && (wrong(NO_OLD) || wrong(OLD_LATE) || !ring)) process->step = PUT;
        break;
    case IS_WORD:
        say("finds the cell %s", are_same(*cell, process->word) ? "as before" : "changed");
        if (!are_same(*cell, process->word))
            process->step = READ_WORD;
        else if (wrong(NO_OLD) || wrong(OLD_LATE) || !ring)
            process->step = PUT;
        break;
    case NOTE_OLD:
        say("notes value %d in old", process->word.value);
        ring->old = process->word.value;
        ring->old_generation = process->value_is;
        break;
    case PUT:
        if (!are_same(*cell, process->word)) {
            say("cannot put it");
            process->step = READ_WORD;
            break;
        }
        say("puts it");
        *cell = (struct word){process->sequence, process->part.value};
        if (!wrong(OLD_LATE) || !ring) process->step = FREE_REPLACED;
        break;
    case NOTE_OLD_LATE:
        say("notes value %d in old", process->word.value);
        ring->old = process->word.value;
        ring->old_generation = process->value_is;
        break;
    case FREE_REPLACED:
        say("is done");
        if (process->word.value) free_value(state, process->word.value, process->value_is);
        break;
    case IS_STILL_TAIL:
        say("finds the tail at %d", state->tail);
        if (state->tail != process->sequence || !process->part.value) process->step = MOVE_TAIL;
        break;
    case IS_PUT:
        process->answer = are_same(*cell, (struct word){process->sequence, process->part.value});
        say("finds it %s", process->answer ? "in the cell" : "not there");
        break;
    case SAY_PUBLISHED:
        say("marks it");
        change_value(state, process->part.value, process->part.generation, HELD + process->from,
                     process->answer || !process->part.if_empty ? PUBLISHED : FREE);
        break;
    case MOVE_TAIL:
        say("moves the tail");
        if (state->tail == process->sequence) state->tail++;
        turn_to(process, process->owns ? CLEAR_HAND : READ_TAIL);
        break;
    case END_LOG:
        if (state->log[process->sequence]) {
            say("cannot end the log");
            turn_to(process, READ_TAIL);
            break;
        }
        say("ends the log");
        state->log[process->sequence] = ENDED;
        begin_to_read(state, process, 0);
        break;
    }
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static void end_reading(struct state *state, int number, int id) {
    struct process *process = &state->processes[number];
    judge_read(state, process, id);
    if (job_of(state, number) == 'm') {
        state->copies[process->cell] = process->sequence;
        if (process->cell + 1 < CELLS) {
            begin_to_read(state, process, process->cell + 1);
            return;
        }
        state->moved = true;
    }
    process->job++;
    process->cell = process->since = 0;
    turn_to(process, REST);
}

/* What the record at the tail, or the cell, leads to. */
static void choose(struct state *state, int number, int sequence, int value, int generation) {
    struct process *process = &state->processes[number];
    process->sequence = (uint8_t)sequence;
    process->value = (uint8_t)value;
    process->value_is = (uint8_t)generation;
    process->word = (struct word){0, 0};
    process->part = (struct part){0, 0, 0, 0};
    process->step = COPY;
    if (!value) end_reading(state, number, 0);
}

static void again(struct process *process) {
    turn_to(process, wrong(NO_PENDING) || wrong(CELL_FIRST) ? FIND_WORD : FIND_TAIL);
}

/* There is no record of this cell at the tail. */
static void look_at_cell(struct state *state, int number) {
    struct process *process = &state->processes[number];
    if (wrong(CELL_FIRST))
        choose(state, number, process->word.sequence, process->word.value, process->value_is);
    else
        turn_to(process, FIND_WORD);
}

static void read_on(struct state *state, int number) {
    struct process *process = &state->processes[number];
    const struct ring *from = &state->rings[process->from];
    const struct word *cell = &state->cells[process->cell];
    const struct value *value = &state->values[process->value];
    switch (process->step++) {
    case FIND_TAIL:
        say("reads the tail, %d", state->tail);
        process->sequence = state->tail;
        break;
    case FIND_SLOT: {
        uint8_t slot = state->log[process->sequence];
        say("finds %s there", !slot ? "nothing" : slot == ENDED ? "the end" : "a record");
        if (slot && slot != ENDED)
            process->from = slot - BY_RING;
        else
            look_at_cell(state, number);
        break;
    }
    case FIND_PART:
        say("reads that it keeps value %d in cell %d", from->part.value, from->part.cell + 1);
        process->part = from->part;
        break;
    case FIND_NUMBER:
        say("finds that it is %d", from->sequence);
        if (from->sequence != process->sequence) look_at_cell(state, number);
        break;
    case FIND_TAIL_AGAIN:
        say("finds the tail at %d", state->tail);
        if (state->tail != process->sequence || process->part.cell != process->cell)
            look_at_cell(state, number);
        else if (!process->part.if_empty)
            choose(state, number, process->sequence, process->part.value, process->part.generation);
        break;
    case IS_EMPTY:
        say("finds the cell %s", cell->sequence ? "in use" : "empty");
        if (cell->sequence)
            look_at_cell(state, number);
        else
            choose(state, number, process->sequence, process->part.value, process->part.generation);
        break;
    case FIND_WORD:
        say("reads the cell: message %d", cell->sequence);
        process->word = *cell;
        break;
    case FIND_GENERATION:
        process->value_is = state->values[process->word.value].generation;
        say("reads the generation of value %d, %d", process->word.value, process->value_is);
        if (!wrong(NO_LOOK_AGAIN)) break;
        choose(state, number, process->word.sequence, process->word.value, process->value_is);
        break;
    case FIND_WORD_AGAIN:
        say("finds the cell %s", are_same(*cell, process->word) ? "as before" : "changed");
        if (!are_same(*cell, process->word))
            again(process);
        else if (wrong(CELL_FIRST))
            process->step = FIND_TAIL;
        else
            choose(state, number, process->word.sequence, process->word.value, process->value_is);
        break;
    case COPY:
        say("copies a half");
        process->half = value->halves[0];
        break;
    case COPY_MORE:
        say("copies the other half");
        process->answer = value->halves[1];
        if (!wrong(NO_GENERATION)) break;
        end_reading(state, number, process->half == process->answer ? process->half : UINT8_MAX);
        break;
    case COMPARE:
        say("finds generation %d", value->generation);
        if (value->generation != process->value_is)
            again(process);
        else
            end_reading(state, number, process->half == process->answer ? process->half : UINT8_MAX);
        break;
    }
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static bool begin_job(struct state *state, int number) {
    struct process *process = &state->processes[number];
    switch (job_of(state, number)) {
    case 0: return false;
    case 'r':
        say("begins to read");
        begin_to_read(state, process, 0);
        return true;
    case 'm': turn_to(process, READ_TAIL); break;
    case 'f': turn_to(process, WRITE_RECORD); break;
    default: turn_to(process, LOOK_FOR_VALUE);
    }
    say("begins");
    return true;
}

static bool step(struct state *state, int number) {
    int at = state->processes[number].step;
    if (at == ABSENT) return false;
    if (at == REST) return begin_job(state, number);
    if (at == TAKE_RING) return take_ring(state, number);
    if (at <= CHANGE_HAND)
        settle(state, number);
    else if (at <= CLEAR_HAND_OLD)
        keep(state, number);
    else if (at <= END_LOG)
        help(state, number);
    else
        read_on(state, number);
    judge_cells(state);
    return true;
}

/* The kernel drops its lock. */
static bool kill_process(struct state *state, int number) {
    struct process *process = &state->processes[number];
    bool is_fragile = script(number)->kind & FRAGILE;
    if (!is_fragile || process->step <= REST || process->step == TAKE_RING) return false;
    if (state->killed == scenes[scenario].kills) return false;
    say("is killed");
    if (process->ring != NO_RING) state->rings[process->ring].lock = 0;
    *process = (struct process){.step = ABSENT};
    state->killed++;
    return true;
}

static bool take(struct state *state, int move) {
    int number = move % PROCESSES + 1;
    if (state->processes[number].step == ABSENT) return false;
    say("    process %d (%s) ", number, script(number)->jobs);
    return move < PROCESSES ? step(state, number) : kill_process(state, number);
}

/* As the next owners of all rings that are free. */
static void settle_all(struct state *state) {
    for (int ring = 0; ring < scenes[scenario].rings; ring++) {
        if (state->rings[ring].lock) continue;
        state->processes[JUDGE] = (struct process){.step = TAKE_RING, .ring = NO_RING};
        do step(state, JUDGE);
        while (state->processes[JUDGE].step != REST);
    }
}

static void judge_rest(const struct state *at) {
    struct state state = *at;
    bool was_telling = telling;
    telling = false;
    settle_all(&state);
    telling = was_telling;
    for (int cell = 0; cell < CELLS; cell++) {
        struct word word = state.cells[cell];
        claim(word.sequence == state.newest[cell] && !word.value == !state.ids[word.sequence], "LAST");
        claim(!word.value || state.values[word.value].halves[0] == state.ids[word.sequence], "LAST");
        claim(!state.moved || state.copies[cell] == state.newest[cell], "MOVED");
    }
    for (int value = 1; value <= VALUES; value++)
        claim(state.values[value].owner == FREE || is_in_cell(&state, value), "LEAK");
}

int main(int count, char **arguments) {
    static const struct model model = {"kept messages", "all claims kept", SCENES, PROCESSES, 2 * PROCESSES, mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
