/* A model of the log of messages between processes (log.c, outbox.c, inbox.c), on weak memory (host_views.h).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/host_log Tests/Model/host_log.c && build/host_log [MUTATION]
 *
 * A writer announces in `intent` the part of its ring that it is about to overwrite, writes the record, and publishes
 * it by a compare-and-swap of an index word. Then the record is counted in its name's `logged`, and the tail is moved:
 * by its writer, or by the next writer. A reader copies a record, and then looks at `intent` again.
 *
 * Claims.
 *   WHOLE     A heard record is the one that was published at its place, in all its parts.
 *   GONE      A record that a reader takes for gone has been overwritten.
 *   ORDER     Places in the log are given once, without a gap. Records are heard in their order, and once.
 *   ORDINAL   The records of a name have the name sequences 0, 1, 2 in the log's order.
 *   COUNT     When the tail moves over a record, each name's `logged` is the number of its records behind the tail.
 *   LOSS      A reader counts as missed only records that it does not hear; at rest, all of them.
 *   CLOSED    Nothing is published after the word that ends the log.
 *   PROGRESS  A writer that has to try again finds that the log has moved on.
 * A writer may be killed before any store. Then another process takes its ring, and goes on from `intent`. In the code
 * every record begins at its ring's `intent`; here a writer also knows its position, which is the same number, so that
 * it goes on when the announcement is left out (INTENT_NEVER).
 *
 * Memory. Accesses that are sequentially consistent in the code are only acquire and release here, without the single
 * order of all, and a swap succeeds only on the newest message. So the model can do everything that the code can, and
 * more. It is exact that the bytes are relaxed: a reader may find new bytes and still the old `intent`, though `intent`
 * was stored first, because a store of any kind does not hold back later stores. A load may return an old value, so it
 * does not matter how late the load is. Therefore a thread's loads are done right before its next store, with no step
 * of another thread between. The reader stores nothing, so it reads when the writers are at rest: twice possibly old
 * values, and then, until it loses no more, the newest. Stores that depend on no load are done together, as early as
 * possible, with a death between any two.
 *
 * Left out. Many writers of one ring that are killed in a row, until one overwrites a record that was published but not
 * counted. Here two would do it. In the file it takes at least 15, all but the first killed before they publish, while
 * no other process publishes. Then two records may have the same name_sequence. Records of different sizes; groups;
 * damage; the ends of the numbers, except that of the position, which is near here. Waking. Another file: see
 * host_move.c.
 *
 * Lessons. Losses during a read are not in the names' counts, which were read before. So the counts have to be compared
 * once more (COMPARED). A relaxed load may discover a loss, and then a fence must keep the reads of the counts behind
 * it (LOSE_FENCE). The release fence behind `intent` also keeps the counts right: without it, a helper may take the
 * next record's name_sequence for this one's. A record's sequence number and position are needed only against
 * damage. */
#include <stdbool.h>
#include <stdint.h>

enum { WRITERS = 2, READER = WRITERS, THREADS, NAMES = 2, RECORDS = 8, FREE_ROUNDS = 2 };
enum { SLOTS = 2, ARENAS = WRITERS, ROOM = 2 /* records in a ring */, ENDS = ARENAS /* in a word, as its ring */ };
enum { LINES = 6 }; /* positions that a word tells apart: as in the file, more than are written while it is in place */

enum part { ENTRY, SEQUENCE, ORDINAL, POSITION, BYTES, PARTS };
enum {
    TAIL,
    SLOT,
    INTENT = SLOT + SLOTS,
    LOGGED = INTENT + ARENAS,
    RECORD = LOGGED + NAMES,
    PLACES = RECORD + ARENAS * ROOM * PARTS,
    NOWHERE = PLACES
};
#include "host_views.h"

enum step {
    REST,
    /* writers: plain stores; only that of the name_sequence depends on a value just read */
    RESERVE,
    WRITE_POSITION,
    WRITE_ENTRY,
    WRITE_BYTES,
    WRITE_SEQUENCE,
    WRITE_ORDINAL,
    /* swaps */
    SWAP_SLOT,
    SWAP_LOGGED,
    SWAP_TAIL,
    /* loads */
    READ_TAIL,
    READ_SLOT,
    READ_TAIL_AGAIN,
    READ_LOGGED,
    HELP_ENTRY, /* the record at the tail, of any writer */
    HELP_SEQUENCE,
    HELP_ORDINAL,
    HELP_TAIL,
    /* the reader */
    BEGIN,
    READ_COUNT,
    READ_WORD,
    READ_END,
    TAKE_INTENT,
    TAKE_WORD,
    TAKE_SEQUENCE, /* relaxed from here on, so their order means nothing */
    TAKE_POSITION,
    TAKE_ENTRY,
    TAKE_ORDINAL,
    TAKE_BYTES,
    TAKE_INTENT_AGAIN,
};

struct state {
    struct memory memory;
    struct writer {
        uint8_t step, letter, position; /* which record of its program; its position in the ring */
        uint8_t heir;                   /* the writer before it was killed */
        uint8_t sequence, word, helps;  /* as read; whether the record is another's */
        uint8_t name_sequence, entry;   /* to be written, or read for helping */
    } writers[WRITERS];
    struct reader {
        uint8_t step, round, next, lost, compared;
        uint8_t overtaken, noted, name; /* before this round; `lost` at that time; the name whose count it reads */
        uint8_t word, intent, entry, name_sequence, bytes; /* as read */
        uint8_t name_sequences[NAMES], counts[NAMES], missed[NAMES];
    } reader;
    uint8_t turn, killed; /* the thread that goes on, from 1; 0: any */
    /* Known only to the judge: how much was published, whether the log was ended, the set of heard records. */
    uint8_t published, ended, heard;
    struct {
        uint8_t ring, position, name;
    } log[RECORDS];
};

#include "host.h"

/* The names of each writer's records; a dot ends the log. */
enum { OVER, TWO, ASLEEP, BOTH, ENDED, SCENARIOS };
static const struct {
    const char *name, *programs[WRITERS];
    int kills;
    enum { NOT_READ, READ_ONE, READ_ALL } reads;
} scenarios[SCENARIOS] = {
    [OVER] = {"one writes over what is read", {"ABBAA", ""}, 1, READ_ALL},
    [TWO] = {"two write", {"ABA", "A"}, 1, NOT_READ},
    [ASLEEP] = {"one writes, and a reader sleeps", {"AAAAAAA", ""}, 2, READ_ONE},
    [BOTH] = {"two write, and one reads", {"AB", "A"}, 1, READ_ALL},
    [ENDED] = {"two write, and one ends the log", {"A", "A."}, 1, READ_ALL},
};
static const char *scenario_name(int number) { return scenarios[number].name; }

enum {
    INTENT_NEVER = 1,
    INTENT_LATE,
    INTENT_FENCE,
    COMPLETE,
    RECHECK,
    TAKE_FENCE,
    WORD_AGAIN,
    LAPPED,
    COUNTS_LATE,
    COMPARED,
    LOSE_FENCE,
    LOGGED_NEVER,
    BY_WRITER,
    LOGGED_LATE,
    ANY_TAIL,
    ORDINAL_FIRST,
    HELP,
    END_PASSED,
};
static const struct mutation mutations[] = {
    [INTENT_NEVER] = {"INTENT", "GONE", OVER},           /* nothing is announced */
    [INTENT_LATE] = {"INTENT_LATE", "WHOLE", OVER},      /* it is announced after the bytes */
    [INTENT_FENCE] = {"INTENT_FENCE", "WHOLE", OVER},    /* no release fence after the announcement */
    [COMPLETE] = {"COMPLETE", "WHOLE", OVER},            /* a record is published before it is written */
    [RECHECK] = {"RECHECK", "WHOLE", OVER},              /* no second look at the announcement */
    [TAKE_FENCE] = {"TAKE_FENCE", "WHOLE", OVER},        /* no acquire fence before it */
    [WORD_AGAIN] = {"WORD_AGAIN", "WHOLE", ASLEEP},      /* no second look at the word, after the intent */
    [LAPPED] = {"LAPPED", "LOSS", OVER},                 /* records that a reader leaps over are not counted */
    [COUNTS_LATE] = {"COUNTS_LATE", "LOSS", OVER},       /* the names' counts are read after the log, not before */
    [COMPARED] = {"COMPARED", "LOSS", OVER},             /* no second comparison for losses since they were read */
    [LOSE_FENCE] = {"LOSE_FENCE", "LOSS", OVER},         /* no acquire fence between a loss and the counts */
    [LOGGED_NEVER] = {"LOGGED", "ORDINAL", TWO},         /* records are not counted */
    [BY_WRITER] = {"LOGGED_BY_WRITER", "ORDINAL", TWO},  /* a writer that helps another only moves the tail */
    [LOGGED_LATE] = {"LOGGED_LATE", "ORDINAL", TWO},     /* a record is counted after the tail has been moved */
    [ANY_TAIL] = {"ANY_TAIL", "COUNT", TWO},             /* no look at the tail after the name_sequence */
    [ORDINAL_FIRST] = {"ORDINAL_FIRST", "ORDINAL", TWO}, /* the new record's name_sequence is read before the tail */
    [HELP] = {"HELP", "PROGRESS", TWO},                  /* no writer moves the tail */
    [END_PASSED] = {"END", "CLOSED", ENDED},             /* the tail moves over the end */
    {NULL, NULL, 0},
};

/* ---- Words and places ------------------------------------------------------------------------------------------- */

static int bit(int number) { return 1 << number; }
static int slot(int sequence) { return SLOT + sequence % SLOTS; }
static int word_of(int sequence, int ring, int position) {
    return sequence / SLOTS << 5 | ring << 3 | position % LINES;
}
static int arena_in(int word) { return word >> 3 & 3; }
static int line_in(int word) { return word & 7; }
static int ahead(int word, int sequence) { return (word >> 5) - sequence / SLOTS; }
static int part_of(int ring, int position, enum part part) {
    return RECORD + (ring * ROOM + position % ROOM) * PARTS + (int)part;
}
static int position_of(int word, int intent) { return intent - ((intent - line_in(word)) % LINES + LINES) % LINES; }

static void say_place(int place, int value) {
    static const char *const parts[] = {"entry", "sequence number", "name_sequence", "position", "bytes"};
    if (place >= RECORD)
        say("the %s in ring %d, place %d: %d", parts[(place - RECORD) % PARTS], (place - RECORD) / PARTS / ROOM + 1,
            (place - RECORD) / PARTS % ROOM, value);
    else if (place >= SLOT && place < INTENT)
        say("the word %d: lap %d, ring %d, position %d", place - SLOT, value >> 5, arena_in(value) + 1, line_in(value));
    else if (place == TAIL)
        say("the tail: %d", value);
    else
        say(place < LOGGED ? "intent %d: %d" : "logged %d: %d", (place - INTENT) % ARENAS + 1, value);
}

/* ---- The judge -------------------------------------------------------------------------------------------------- */

/* How many of the name's records are among the first `records` of the log; with `lost`, only those that were not
 * heard. */
static int count_log(const struct state *state, int name, int records, bool lost) {
    int count = 0;
    for (int i = 0; i < records && i < state->published; i++)
        if (state->log[i].name == name && !(lost && state->heard & bit(i))) count++;
    return count;
}

static void judge_published(struct state *state, int number, int name) {
    const struct writer *writer = &state->writers[number];
    int place = state->published;
    assert(place < RECORDS);
    claim(!state->ended, "CLOSED");
    claim(writer->sequence == SLOTS + place, "ORDER");
    claim(writer->name_sequence == count_log(state, name, place, false), "ORDINAL");
    state->log[place].ring = (uint8_t)number;
    state->log[place].position = writer->position;
    state->log[place].name = (uint8_t)name;
    state->published++;
}

static void judge_tail(const struct state *state) {
    int records = newest(&state->memory, TAIL) - SLOTS;
    for (int name = 0; name < NAMES; name++)
        claim(newest(&state->memory, LOGGED + name) == count_log(state, name, records, false), "COUNT");
}

static void judge_heard(const struct state *state) {
    const struct reader *reader = &state->reader;
    int place = reader->next - SLOTS;
    claim(place < state->published && state->log[place].ring == arena_in(reader->word), "WHOLE");
    claim(state->log[place].position + 1 == reader->bytes && state->log[place].name == reader->entry, "WHOLE");
    claim(reader->name_sequence == count_log(state, reader->entry, place, false), "WHOLE");
    claim(state->heard < bit(place), "ORDER");
}

static void judge_gone(const struct state *state) {
    const struct reader *reader = &state->reader;
    int intent = newest(&state->memory, INTENT + arena_in(reader->word));
    bool over = intent - state->log[reader->next - SLOTS].position > ROOM;
    claim(over || newest(&state->memory, slot(reader->next)) != reader->word, "GONE");
}

static void judge_rest(const struct state *state) {
    const struct reader *reader = &state->reader;
    if (scenarios[scenario].reads != READ_ALL) return;
    claim(reader->next == SLOTS + state->published, "LOSS");
    claim(__builtin_popcount(state->heard) + reader->lost == state->published, "LOSS");
    for (int name = 0; name < NAMES; name++)
        claim(reader->missed[name] == count_log(state, name, RECORDS, true), "LOSS");
}

#include "host_log_writer.h"
#include "host_log_reader.h"

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static struct state beginning(void) {
    static const uint8_t first[PLACES] = {[TAIL] = SLOTS}; /* words of 0 are of lap 0 */
    struct state state;
    memset(&state, 0, sizeof state);
    begin_memory(&state.memory, first);
    for (int i = 0; i < WRITERS; i++) begin_letter(&state, i);
    state.reader.next = SLOTS;
    state.reader.step = scenarios[scenario].reads == NOT_READ ? REST : BEGIN;
    return state;
}

static bool take(struct state *state, int move) {
    int thread = move / MESSAGES, choice = move % MESSAGES;
    if (thread >= THREADS) return kill_writer(state, move - THREADS * MESSAGES);
    if (state->turn && state->turn != thread + 1) return false;
    return thread == READER ? read_log(state, choice) : write(state, thread, choice);
}

int main(int count, char **arguments) {
    static const struct model model = {
        "log", "all heard whole, or counted", SCENARIOS, THREADS * MESSAGES, THREADS * MESSAGES + WRITERS, mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
