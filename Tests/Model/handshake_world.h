/* The state of the handshake model: steps that may be left out, verdicts, scenarios, the state itself, and accesses
 * with the judge's checks. */
#ifndef HANDSHAKE_WORLD_H
#define HANDSHAKE_WORLD_H

enum { POSTERS = 2, REMOVER = POSTERS, RECLAIMER, THREADS };
enum { SLOTS = 3, FRAMES = 2 }; /* slots are numbered from 1; frames of each poster */
enum { NONE = 0, LISTED = 1 };  /* no slot, no snapshot; the snapshot that is listed at the start */

enum location {
    TABLE,               /* the snapshot that posts find */
    STATE,               /* of each slot */
    TOP = STATE + SLOTS, /* frames in use of each poster; the following are of each poster, too */
    SECTION = TOP + POSTERS,
    ASKED = SECTION + POSTERS,
    ANSWERED = ASKED + POSTERS,
    PIN = ANSWERED + POSTERS,        /* of each frame */
    HAZARD = PIN + POSTERS * FRAMES, /* of each frame: a slot, and perhaps LAST */
    LOCATIONS = HAZARD + POSTERS * FRAMES
};
enum { LAST = 128 };

enum { BUFFER = 16, HISTORY = 12, SET_BITS = 24, MOST_STATES = 9000000 }; /* enough for every scenario */

/* Things that can end while a thread still uses them: the snapshot with the slots that it lists; each slot's
 * observer. */
enum thing { SNAPSHOT, OBSERVER, THINGS = OBSERVER + SLOTS };

#include "memory.h"

enum mutation {
    DROP_NOTHING,
    DROP_HANDSHAKE_REMOVE,
    DROP_HANDSHAKE_RECLAIM,
    DROP_HANDSHAKE_FENCE,
    DROP_POLL,
    DROP_FIND_POLL,
    DROP_ANSWER_FENCE,
    DROP_AWAIT,
    DROP_HEAVY,
    DROP_OUTSIDE,
    DROP_LAST_STATE,
    DROP_LAST_FRAMES,
    DROP_LAST_ONLY,
    DROP_LAST_SECTION,
    DROP_OUTSIDE_SECTION,
    DROP_OFFLINE_LOOK,
    DROP_OFFLINE_FENCE,
    DROP_GO_ONLINE,
    /* order annotations */
    DROP_ANSWERED_RELEASE,
    DROP_ANSWERED_ACQUIRE,
    DROP_ASKED_ACQUIRE,
    DROP_TOP_BEGIN_RELEASE,
    DROP_TOP_END_RELEASE,
    DROP_TOP_ACQUIRE,
    DROP_OUTSIDE_TOP_ACQUIRE,
    DROP_SECTION_RELEASE,
    DROP_SECTION_ACQUIRE,
    DROP_OUTSIDE_SECTION_ACQUIRE,
    DROP_LAST_RELEASE,
    DROP_LAST_HAZARD_ACQUIRE
};
static enum mutation mutation;
#define does(step) (mutation != DROP_##step)
#define order_of(step, order) (does(step##_##order) ? order : RELAXED)

enum verdict { /* the worst first */
               CALL_AFTER_HOOK,
               FREED_SNAPSHOT,
               HOOK_NEVER,
               DEADLOCK,
               UNMET,
               CALL_UNORDERED,
               READ_UNORDERED,
               TOO_MANY_STATES,
               SAFE,
               MILD = UNMET
};

/* How a post comes to its slots: it has them already, by a topic's pin, or by a section and a pin. FIND is a look-up of
 * a name, a section without a post. */
enum way_of_post { NO_POST, CALLS, BY_TOPIC, BY_NAME, FIND };
/* Two slots are a walk over one snapshot, or stretches of two snapshots. */
struct post {
    enum way_of_post way;
    int slots[2];
    int nested; /* the slot that a nested post in the first call calls, or NONE */
    bool stretches;
    bool finds; /* a name is looked up in the call */
};

enum readiness { UNASKED, FENCING_ALREADY, OFFLINE_ALREADY };
enum { POSTS = 2, REMOVALS = 2 };
enum { FENCING = 1, OFFLINE = 2, FLAGS = FENCING | OFFLINE, TICKET = 4 };

struct scenario {
    const char *name;
    struct post posts[POSTERS][POSTS];
    int removed[REMOVALS]; /* slots, removed by the remover one after the other */
    bool reclaims;
    enum readiness ready[POSTERS];
};
static const struct scenario *scenario;

/* Where a thread is. */
#define STEPS(X)                                                                                                       \
    X(DONE), X(POST_BEGIN), X(POST_POLL), X(POST_MARK), X(POST_LOOK_UP), X(POST_PIN), X(POST_PIN_AGAIN),               \
        X(POST_UNMARK), X(WALK_SHOW), X(WALK_STATE), X(WALK_POLL), X(WALK_NEXT), X(WALK_LOOK_BACK), X(WALK_HIDE),      \
        X(WALK_LEFT), X(WALK_SHOW_AGAIN), X(POST_UNPIN), X(POST_END), X(FIND_MARK), X(FIND_POLL), X(FIND_LOOK_UP),     \
        X(FIND_UNMARK), X(ANSWER_LOAD), X(ANSWER_TAKE), X(ANSWER_FENCE), X(ANSWER_LOAD_AGAIN), X(ANSWER_COME_BACK),    \
        X(ANSWER_STORE), X(REMOVE_MARK), X(RECLAIM_UNLINK), X(HANDSHAKE_FENCE), X(ASK_LOCK), X(ASK_LOAD), X(ASK_TOP),  \
        X(ASK_SECTION), X(OFFLINE_TAKE), X(OFFLINE_FENCE), X(OFFLINE_TOP), X(OFFLINE_SECTION), X(LAST_TOP),            \
        X(LAST_SECTION), X(LAST_HAZARD), X(LAST_STATE), X(ASK_TAKE), X(ASK_UNLOCK), X(AWAIT_ANSWER), X(AWAIT_TOP),     \
        X(AWAIT_SECTION), X(HEAVY), X(GUARD_LOCK), X(GUARD), X(ASK_RETURN), X(LOOK_LOCK), X(LOOK_NOTE), X(LOOK_ENDED), \
        X(LOOK_TOP), X(LOOK_FRAME), X(LOOK_END)
#define NAME_STEP(step) step
enum step { STEPS(NAME_STEP) };

enum slot_state { ACTIVE, PENDING };

struct thread {
    uint8_t step, after; /* `after`: the step after an answer */
    uint8_t job;         /* which of its posts or removals */
    /* Posters. */
    uint8_t depth;                             /* frames in use */
    uint8_t found, shown, left, called, place; /* snapshot; slots; whether the call has begun; which slot of two */
    uint8_t outer;                             /* the slot that frame 0 shows during a nested post */
    uint8_t asked, stays, heard;               /* as it was read; whether its ticket stays; the newest answer */
    uint8_t section;
    /* Writers. */
    uint8_t peer;                            /* the poster that it looks at */
    uint8_t ticket, questioned, fencing;     /* sets of posters */
    uint8_t top, look, seen, noted[POSTERS]; /* frames; what it looks for; posters that show it */
};

/* The whole state between two steps. The members after `thread` belong to the domain's lock, or only the judge knows
 * them. */
struct state {
    struct memory memory;
    struct thread thread[THREADS];
    uint8_t lock_owner;      /* thread + 1 */
    uint8_t newest, offline; /* ticket; set of posters */
    uint8_t armed;           /* slots, a set */
    uint8_t owed[SLOTS + 1]; /* sets of posters that the remover has seen in the slot and that have not left it yet */
    uint8_t gone;            /* things */
    uint8_t returned;        /* marks of handshakes that have returned */
};

struct turn {
    struct state *state;
    int thread;
    struct choice choice;
    bool blocked; /* it cannot be taken now */
    enum verdict verdict;
};

static struct thread *self(struct turn *turn) { return &turn->state->thread[turn->thread]; }
static int bit(int number) { return 1 << number; }
static int state_of(int slot) { return STATE + slot - 1; }
static int pin_of(int poster, int frame) { return PIN + poster * FRAMES + frame; }
static int hazard_of(int poster, int frame) { return HAZARD + poster * FRAMES + frame; }
static int observer_thing(int slot) { return OBSERVER + slot - 1; }
static bool is_there(int poster) { return scenario->posts[poster][0].way != NO_POST; }

/* ---- Accesses --------------------------------------------------------------------------------------------------- */

static void object(struct turn *turn, enum verdict verdict) {
    if (verdict < turn->verdict) turn->verdict = verdict;
}

static void store(struct turn *turn, int where, int value, enum order order) {
    memory_store(&turn->state->memory, turn->thread, where, value, order);
}

static int load(struct turn *turn, int where, enum order order) {
    return memory_load(&turn->state->memory, turn->thread, where, order, &turn->choice);
}

static void fence(struct turn *turn, bool kept) {
    if (kept) memory_fence(&turn->state->memory, turn->thread);
}

static int newest(struct turn *turn, int where) { return memory_newest(&turn->state->memory, turn->thread, where); }

static void exchange(struct turn *turn, int where, int value) {
    memory_exchange(&turn->state->memory, turn->thread, where, value);
}

/* One of `count` possible events, in a step that has no other choice. */
static int choose(struct turn *turn, int count) {
    assert(turn->choice.count == 1);
    turn->choice.count = count;
    return turn->choice.taken;
}

static bool lock(struct turn *turn) {
    turn->blocked = turn->state->lock_owner != 0;
    if (turn->blocked) return false;
    turn->state->lock_owner = (uint8_t)(turn->thread + 1);
    memory_lock(&turn->state->memory, turn->thread);
    return true;
}

static void unlock(struct turn *turn) {
    memory_unlock(&turn->state->memory, turn->thread);
    turn->state->lock_owner = 0;
}

/* The mark of a handshake: see below. */
static int mark_of_slot(int slot) {
    for (int i = 0; i < REMOVALS; i++)
        if (scenario->removed[i] == slot) return bit(1 + i);
    return 0;
}

/* Whether some writer ends the thing. Uses of other things would only make equal states differ. */
static bool will_end(const struct state *state, int thing) {
    if (state->gone & bit(thing)) return false;
    return thing == SNAPSHOT ? scenario->reclaims : mark_of_slot(thing - OBSERVER + 1) != 0;
}

static void use(struct turn *turn, int thing) {
    if (will_end(turn->state, thing)) memory_use(&turn->state->memory, turn->thread, thing);
    if (turn->state->gone & bit(thing)) object(turn, thing == SNAPSHOT ? FREED_SNAPSHOT : CALL_AFTER_HOOK);
}

static void end_life(struct turn *turn, int thing) {
    if (!memory_knows_uses(&turn->state->memory, turn->thread, thing))
        object(turn, thing == SNAPSHOT ? READ_UNORDERED : CALL_UNORDERED);
    turn->state->gone |= (uint8_t)bit(thing);
}

/* ---- What a handshake guarantees ---------------------------------------------------------------------------------
 *
 * A handshake has a mark of its own. When a poster reads a word that the writer has written before its request, and
 * gets the value from before that write, everything that the poster has shown gets the mark. The writer must see all
 * marked values when the handshake returns. After the return no poster may read the old value any more. */

static void read_old(struct turn *turn, int mark) {
    if (!mark) return;
    if (turn->state->returned & mark) object(turn, UNMET);
    memory_mark(&turn->state->memory, turn->thread, SECTION + turn->thread, mark);
    for (int frame = 0; frame < FRAMES; frame++) {
        memory_mark(&turn->state->memory, turn->thread, pin_of(turn->thread, frame), mark);
        memory_mark(&turn->state->memory, turn->thread, hazard_of(turn->thread, frame), mark);
    }
}

static void check_return(struct turn *turn, int mark) {
    if (memory_misses(&turn->state->memory, turn->thread, mark)) object(turn, UNMET);
    memory_unmark(&turn->state->memory, mark);
    turn->state->returned |= (uint8_t)mark;
}

static int load_state(struct turn *turn, int slot) {
    int value = load(turn, state_of(slot), RELAXED);
    if (value == ACTIVE) read_old(turn, mark_of_slot(slot));
    return value;
}

static int load_table(struct turn *turn, enum order order) {
    int value = load(turn, TABLE, order);
    if (value == LISTED && scenario->reclaims) read_old(turn, bit(0));
    return value;
}

#endif
