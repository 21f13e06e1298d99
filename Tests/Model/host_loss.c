/* A model of how a process counts the records of the log that it loses (inbox.c, watched.c). There are two ways to
 * count, and they change hands.
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/host_loss Tests/Model/host_loss.c && build/host_loss [MUTATION]
 *
 * Posters write messages of a name that the reader observes, messages of another name, and plain posts of the first
 * name. Plain posts are counted, and written to the log if any name is observed at that time. A mover ends the log and
 * makes another file, in which sequence numbers and counts go on. The reader is overtaken when it is further behind
 * than the index is long. It reads on, goes to the newest file when its own has ended, and observes any name for a
 * while. While it observes single names, it counts losses by their name sequences; while it observes any name, by its
 * cursor.
 *
 * Claims.
 *   TAIL      The reader is never past the tail.
 *   LOSS      At rest, the messages that it has heard and those that it has missed are together all that were posted.
 *   PLAIN     A name's plain posts were heard as often as they were posted, and none of them counts as missed.
 * The reader may be stopped anywhere, through several files: any step may come as late as possible.
 *
 * Left out. How a record is published and counted: see host_log.c; here it is one step. Plain posts where files change,
 * because they are posted again in the new file. Plain posts of other names, which are lost by the cursor. Files that
 * do not continue the counts (another line), room, and new names.
 *
 * Lessons. The count of a name and the end of the log belong to the same place only if nothing was lost between reading
 * the count and reaching the end (ONCE). Lost plain posts must be told apart from lost messages (SPLIT). A post that
 * was counted before any name was observed may come to the log later, and be lost there (EARLY). */
#include <stdbool.h>
#include <stdint.h>

enum { POSTERS = 2, RECORDS = 8, FILES = 3, SLOTS = 2, NEVER = 255 };

enum step { REST, COUNT_MESSAGES, COUNT_PLAIN, READ, NOTE, OBSERVE_ANY, NOTE_AGAIN, FORGET_ANY };
enum goal { FILL, BEGIN_ANY, END_ANY, MOVE };

struct state {
    uint8_t log[RECORDS], published; /* by sequence number; they go on in each file */
    struct {
        uint8_t first, tail, ended;
    } files[FILES];
    uint8_t newest, moves; /* the file at the path; how many more files will come */
    uint8_t any;           /* plain posts are logged */
    uint8_t posts;         /* the name's count */
    struct {
        uint8_t job, counted;
    } posters[POSTERS];
    struct {
        uint8_t step, goal, job;
        uint8_t file, next, lost, compared, counting, then; /* it reads the counts first; `lost` at that time */
        uint8_t name_sequence, published;                   /* of the name's messages */
        uint8_t plain, published_plain;
        uint8_t all, since, owed, missed;
        uint8_t heard, seen, ahead, early; /* messages; plain posts; see watched.c */
    } reader;
};

#include "host.h"

/* The records that posters write: a message, another name's message, a plain post. Whether the reader observes any name
 * all the time, or when it begins (+) and ends (-) to. How many files come. */
enum {
    OVERTAKEN,
    OVERTAKEN_ANY,
    TWO_FILES,
    TWO_FILES_ANY,
    COMES_GOES,
    COMES_GOES_FILES,
    PLAIN_ANY,
    PLAIN_COMES,
    SCENES
};
static const struct scene {
    const char *name, *posts[POSTERS], *observes;
    bool any;
    int moves;
} scenes[SCENES] = {
    [OVERTAKEN] = {"names: overtaken", {"mmom", "mm"}, "", false, 0},
    [OVERTAKEN_ANY] = {"any name: overtaken", {"mmom", "mo"}, "", true, 0},
    [TWO_FILES] = {"names: two new files", {"mmom", "mm"}, "", false, 2},
    [TWO_FILES_ANY] = {"any name: two new files", {"mmom", "mo"}, "", true, 2},
    [COMES_GOES] = {"any name comes and goes", {"mmmm", "mmm"}, "+-+", false, 0},
    [COMES_GOES_FILES] = {"any name comes and goes, two new files", {"mmm", "mm"}, "+-", false, 2},
    [PLAIN_ANY] = {"any name: plain posts", {"pmpp", "ppm"}, "", true, 0},
    [PLAIN_COMES] = {"any name comes and goes: plain posts", {"pppm", "pp"}, "+-", false, 0},
};
static const char *scenario_name(int number) { return scenes[number].name; }

enum { NO_SETTLE = 1, ONCE, NO_ARRIVAL, RESTART, PAST_TAIL, TWICE, NO_FINDING, NO_SPLIT, NO_EARLY };
static const struct mutation mutations[] = {
    [NO_SETTLE] = {"SETTLE", "LOSS", COMES_GOES},      /* the other way to count begins where the reader is */
    [ONCE] = {"ONCE", "LOSS", PLAIN_COMES},            /* it does not settle again for losses in the meantime */
    [NO_ARRIVAL] = {"ARRIVAL", "LOSS", TWO_FILES_ANY}, /* the cursor's count ends with the file */
    [RESTART] = {"RESTART", "LOSS", TWO_FILES},        /* the new file's counts begin at 0 */
    [PAST_TAIL] = {"TAIL", "TAIL", OVERTAKEN},         /* an overtaken reader continues behind the tail */
    [TWICE] = {"COUNTED", "PLAIN", PLAIN_COMES},       /* a plain post in the log is heard even if its count was */
    [NO_FINDING] = {"FIND", "PLAIN", PLAIN_ANY},       /* lost plain posts are missed, and heard by their count */
    [NO_SPLIT] = {"SPLIT", "LOSS", PLAIN_ANY},         /* all losses are messages as long as no plain post is unheard */
    [NO_EARLY] = {"EARLY", "PLAIN", PLAIN_COMES},      /* no post that was counted before is expected in the log */
    {NULL, NULL, 0},
};

static int count_log(const struct state *state, char kind, int from, int until) {
    int count = 0;
    for (int i = from; i < until; i++) count += state->log[i] == kind;
    return count;
}
/* How many of a kind precede a place of the reader's file. */
static uint8_t count_before(const struct state *state, char kind, int place) {
    int from = wrong(RESTART) ? state->files[state->reader.file].first : 0;
    return (uint8_t)count_log(state, kind, from, place);
}

/* ---- Posters and mover ------------------------------------------------------------------------------------------- */

static bool publish(struct state *state, char kind) {
    int file = state->newest;
    if (state->files[file].ended) return false; /* it waits for the next file */
    state->log[state->published++] = (uint8_t)kind;
    state->files[file].tail++;
    return true;
}

static bool post(struct state *state, int number) {
    char kind = scenes[scenario].posts[number][state->posters[number].job];
    if (!kind) return false;
    if (kind == 'p' && !state->posters[number].counted) {
        say("poster %d counts a plain post", number + 1);
        state->posts++;
        state->posters[number].counted = true;
        return true;
    }
    say("poster %d writes %c, if it is to", number + 1, kind);
    if ((kind != 'p' || state->any) && !publish(state, kind)) return false;
    state->posters[number].counted = false;
    state->posters[number].job++;
    return true;
}

static bool move(struct state *state) {
    int file = state->newest;
    if (!state->moves) return false;
    if (!state->files[file].ended) {
        say("the log of file %d ends", file + 1);
        state->files[file].ended = true;
        return true;
    }
    say("file %d comes", file + 2);
    state->newest++;
    state->files[state->newest].first = state->files[state->newest].tail = state->files[file].tail;
    state->moves--;
    return true;
}

/* ---- The reader: plain posts ------------------------------------------------------------------------------------- */

static int take_of(uint8_t *count, int most) {
    int taken = *count < most ? *count : most;
    *count = (uint8_t)(*count - taken);
    return taken;
}
static int note(struct state *state, int most) {
    int new = state->posts > state->reader.seen ? state->posts - state->reader.seen : 0;
    if (new > most) new = most;
    state->reader.seen = (uint8_t)(state->reader.seen + new);
    return new;
}
static int find_lost(struct state *state, int lost) {
    if (wrong(NO_FINDING)) return 0;
    int found = take_of(&state->reader.ahead, lost);
    found += note(state, lost - found);
    return found + take_of(&state->reader.early, lost - found);
}
static void hear_plain(struct state *state) {
    if (state->reader.seen < state->posts || wrong(TWICE))
        state->reader.seen++;
    else
        state->reader.missed = (uint8_t)(state->reader.missed + 1 - find_lost(state, 1));
}

/* ---- The reader: the log ----------------------------------------------------------------------------------------- */

static void pass(struct state *state, uint8_t published) {
    if (published <= state->reader.name_sequence) return;
    if (!state->reader.all)
        state->reader.missed = (uint8_t)(state->reader.missed + published - state->reader.name_sequence);
    state->reader.name_sequence = published;
}
static void pass_plain(struct state *state, uint8_t published) {
    int lost = state->reader.owed, plain = published > state->reader.plain ? published - state->reader.plain : 0;
    if (plain > lost) plain = lost;
    if (wrong(NO_SPLIT)) plain = 0;
    state->reader.owed = 0;
    state->reader.plain = published;
    state->reader.missed = (uint8_t)(state->reader.missed + lost - (plain ? find_lost(state, plain) : 0));
}

static void hear(struct state *state) {
    int place = state->reader.next++;
    char kind = (char)state->log[place];
    uint8_t plain = count_before(state, 'p', place);
    say("hears %c at %d", kind, place);
    if (state->reader.all && state->reader.owed) pass_plain(state, plain);
    plain += kind == 'p';
    if (plain > state->reader.published_plain) state->reader.published_plain = plain;
    if (state->reader.all) state->reader.plain = plain;
    if (kind == 'm') {
        pass(state, count_before(state, 'm', place));
        state->reader.name_sequence = (uint8_t)(count_before(state, 'm', place) + 1);
    }
    if (kind == 'm' || (kind == 'o' && state->reader.all)) state->reader.heard++;
    if (kind == 'p' && state->reader.all && place >= state->reader.since) hear_plain(state);
}

static void leap(struct state *state, int tail) {
    int until = tail - SLOTS + (wrong(PAST_TAIL) ? SLOTS + 1 : 0), lost = until - state->reader.next;
    say("was overtaken: from %d to %d", state->reader.next, until);
    state->reader.lost = (uint8_t)(state->reader.lost + lost);
    if (state->reader.all) state->reader.owed = (uint8_t)(state->reader.owed + lost);
    state->reader.next = (uint8_t)until;
    claim(until <= tail, "TAIL");
}

static void begin_reading(struct state *state, enum goal goal) {
    bool counts = goal != FILL || state->reader.lost != state->reader.compared;
    state->reader.goal = (uint8_t)goal;
    state->reader.counting = counts;
    state->reader.step = counts ? COUNT_MESSAGES : READ;
}

static void read_count(struct state *state) {
    int tail = state->files[state->reader.file].tail;
    if (state->reader.step == COUNT_MESSAGES) {
        say("reads the count of messages");
        state->reader.then = state->reader.lost;
        state->reader.published = count_before(state, 'm', tail);
        state->reader.step = COUNT_PLAIN;
    } else {
        say("reads the count of plain posts");
        state->reader.published_plain = count_before(state, 'p', tail);
        state->reader.step = READ;
    }
}

static void reach_goal(struct state *state) {
    int newest = state->newest;
    switch (state->reader.goal) {
    case BEGIN_ANY:
        state->reader.all = true;
        state->reader.since = state->reader.next;
        state->reader.plain = state->reader.published_plain;
        break;
    case END_ANY:
        state->reader.all = false;
        state->reader.missed = (uint8_t)(state->reader.missed + state->reader.owed);
        state->reader.owed = state->reader.ahead = state->reader.early = 0;
        break;
    case MOVE:
        if (state->reader.all && !wrong(NO_ARRIVAL))
            state->reader.owed = (uint8_t)(state->reader.owed + state->files[newest].first - state->reader.next);
        state->reader.file = (uint8_t)newest;
        state->reader.next = state->files[newest].first;
        state->reader.compared = NEVER;
        if (wrong(RESTART) && state->reader.name_sequence > count_before(state, 'm', state->files[newest].tail))
            state->reader.name_sequence = 0;
        break;
    }
    state->reader.step = REST;
}

/* At the end of the log the counts show how much was lost. */
static void compare(struct state *state) {
    say("is at the end");
    pass(state, state->reader.published);
    bool same = state->reader.lost == state->reader.then;
    if (state->reader.all && same) pass_plain(state, state->reader.published_plain);
    state->reader.compared = state->reader.then;
    state->reader.counting = false;
    if (same || state->reader.goal == FILL || wrong(ONCE))
        reach_goal(state);
    else
        begin_reading(state, state->reader.goal);
}

static void read_on(struct state *state) {
    int tail = state->files[state->reader.file].tail;
    if (state->reader.next == tail) {
        if (state->reader.counting)
            compare(state);
        else
            reach_goal(state);
        return;
    }
    if (tail - state->reader.next > SLOTS)
        leap(state, tail);
    else
        hear(state);
    if (state->reader.goal == FILL && !state->reader.counting) state->reader.step = REST; /* one part of the reading */
}

/* Any name is observed from now on, or no longer. */
static void change(struct state *state) {
    int new;
    switch (state->reader.step) {
    case NOTE:
        say("notes the count");
        note(state, RECORDS);
        state->reader.step = OBSERVE_ANY;
        break;
    case OBSERVE_ANY:
        say("observes any name");
        state->any = true;
        state->reader.step = NOTE_AGAIN;
        break;
    case NOTE_AGAIN:
        new = note(state, RECORDS);
        say("notes the count again: %d", new);
        state->reader.early = wrong(NO_EARLY) ? 0 : POSTERS;
        begin_reading(state, BEGIN_ANY);
        if (wrong(NO_SETTLE)) reach_goal(state);
        break;
    case FORGET_ANY:
        say("observes any name no longer");
        state->any = false;
        begin_reading(state, END_ANY);
        if (wrong(NO_SETTLE)) reach_goal(state);
        break;
    }
}

static bool begin_change(struct state *state) {
    char job = scenes[scenario].observes[state->reader.job];
    if (state->reader.step != REST || !job) return false;
    state->reader.job++;
    state->reader.step = job == '+' ? NOTE : FORGET_ANY;
    say("is to change");
    return true;
}

static bool look(struct state *state) {
    bool all_read = state->reader.next == state->files[state->reader.file].tail;
    if (state->reader.step != REST || state->reader.seen >= state->posts || (state->reader.all && !all_read))
        return false;
    int new = note(state, RECORDS);
    say("hears %d plain posts by their count", new);
    if (state->reader.all) state->reader.ahead = (uint8_t)(state->reader.ahead + new);
    return true;
}

static bool read_log(struct state *state) {
    int file = state->reader.file;
    switch (state->reader.step) {
    case REST:
        if (file != state->newest) {
            begin_reading(state, MOVE);
        } else if (state->reader.next < state->files[file].tail || state->reader.lost != state->reader.compared) {
            begin_reading(state, FILL);
        } else {
            return false;
        }
        say("begins to read file %d", file + 1);
        return true;
    case COUNT_MESSAGES:
    case COUNT_PLAIN: read_count(state); return true;
    case READ: read_on(state); return true;
    default: change(state); return true;
    }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static void judge_rest(const struct state *state) {
    int posted = count_log(state, 'm', 0, state->published);
    if (scenes[scenario].any) posted += count_log(state, 'o', 0, state->published);
    claim(state->reader.seen == state->posts, "PLAIN");
    claim(state->reader.heard + state->reader.missed <= posted, "PLAIN");
    claim(state->reader.heard + state->reader.missed == posted, "LOSS");
}

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    state.moves = (uint8_t)scenes[scenario].moves;
    state.any = state.reader.all = scenes[scenario].any;
    return state;
}

enum { READS = POSTERS, CHANGES, LOOKS, MOVES, STEPS };
static bool take(struct state *state, int step) {
    switch (step) {
    case READS: return read_log(state);
    case CHANGES: return begin_change(state);
    case LOOKS: return look(state);
    case MOVES: return move(state);
    default: return post(state, step);
    }
}

int main(int count, char **arguments) {
    static const struct model model = {"loss", "all heard, or counted once", SCENES, STEPS, STEPS, mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
