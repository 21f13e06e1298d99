/* What the threads do, one access to shared memory a step.
 *
 * The order of steps follows post.c and deliver.h for posters, release.c, snapshot.c, bucket.c and reclaim.c for the
 * writer. keep(STEP) asks whether this run has the step; an order annotation that is left out becomes RELAXED.
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include "memory.h"

enum mutation {
    DROP_NOTHING,
    DROP_HEAVY_REMOVE, DROP_HEAVY_RECLAIM, DROP_PIN, DROP_TOPIC_PIN, DROP_TOPIC_RECHECK, DROP_SECTION,
    DROP_SECTION_CHECK, DROP_PIN_CHECK, DROP_CURRENT, DROP_STATE_CHECK, DROP_LOOK_BACK, DROP_FRAME_CHECK,
    DROP_LAST_USER_CHECK, DROP_ARMED, DROP_WAIT, DROP_LINEAGE, DROP_LIGHT, DROP_SECTION_LIGHT,
    /* order annotations */
    DROP_CURRENT_RELEASE, DROP_RECHECK_ACQUIRE, DROP_PUBLISH_RELEASE, DROP_COUNT_RELEASE, DROP_SECTION_RELEASE,
    DROP_PIN_RELEASE, DROP_COMMITTED_RELEASE, DROP_LEFT_ACQUIRE
};

enum post { NO_POST, BY_NAME, BY_TOPIC };
enum task { NO_TASK, REMOVE, REMOVE_AND_WAIT, APPEND, REPLACE, UNLINK, RECLAIM };
enum { POSTS = 2, TASKS = 6 };

struct scenario {
    const char *name;
    enum post posts[POSTERS][POSTS];
    struct { enum task task; int slot; } tasks[TASKS];
    int listed; /* how many slots snapshot 1 lists at the start */
    int hooks;  /* how many slots, from the first, have a release hook; all of them are removed */
    bool fenced; /* posts carry full fences and heavy is no more than the caller's own */
};

static const struct scenario *scenario;
static enum mutation mutation;

#define keep(step) (mutation != DROP_##step)

/* Where a thread is. The names of the groups are the names of the functions below. */
enum step {
    DONE,
    NAME_MARK, NAME_COMMITTED, NAME_FIND, NAME_READ, NAME_PIN, NAME_COUNT, NAME_UNMARK,
    TOPIC_READ, TOPIC_PIN, TOPIC_READ_AGAIN, TOPIC_COUNT,
    WALK_ENTRY, WALK_SHOW, WALK_LOOK_BACK, WALK_CALL, WALK_CALL_ENDS, WALK_UNPIN,
    LEFT_LOCK, LEFT_STATE, LEFT_ARMED, LEFT_SCAN, LEFT_CLAIM,
    HOOK_RUNS, HOOK_CONCLUDES,
    HEAVY,
    REMOVE_MARK, REMOVE_ARM, REMOVE_SCAN, REMOVE_CLAIM, REMOVE_AWAIT,
    APPEND_ENTRY, APPEND_COUNT, APPEND_COMMITTED,
    REPLACE_COPY, REPLACE_PUBLISH, REPLACE_RETIRE,
    UNLINK_TABLE, UNLINK_DROP, UNLINK_RETIRE,
    RECLAIM_DETACH, RECLAIM_NOTE, RECLAIM_SECTION, RECLAIM_COME_BACK, RECLAIM_PIN, RECLAIM_FREE
};

enum slot_state { ACTIVE, REMOVED, PENDING, RELEASING, RELEASED };

struct thread {
    uint8_t step, after; /* `after`: where a shared stretch of the way leads back to */
    uint8_t job;         /* which of its posts or tasks */
    uint8_t limit, snapshot, count, place, slot, left; /* posters */
    uint8_t peer;        /* the poster whose frame or record it looks at next */
    uint8_t shown;       /* some frame showed the slot */
    uint8_t noted[POSTERS], batch, pinned; /* the reclaimer: section values; sets of things */
};

/* All of the world between two steps. What follows `memory` is either one thread's own or nobody's: bookkeeping that
 * the locks guard in full, and what only the judge knows. Sets have a bit for each number. */
struct state {
    struct memory memory;
    struct thread thread[THREADS];
    uint8_t lock_owner;            /* thread number + 1 */
    uint8_t newest, active;        /* the writer's: the current snapshot; slots not removed yet */
    uint8_t listed[SNAPSHOTS + 1]; /* the slots in each snapshot */
    uint8_t left_with[SLOTS + 1];  /* the snapshot a dead slot will be freed with */
    uint8_t retired;               /* things that wait for a batch */
    uint8_t gone;                  /* things that have been freed; observers whose hook ran or whose waiter returned */
    uint8_t hooked, awaited;       /* slots: the hook has begun; AndWait has returned */
};

/* One step of one thread. */
struct turn {
    struct state *state;
    int thread;
    struct choice choice;
    bool blocked;          /* the step cannot be taken now */
    const char *violation; /* the bad thing it did, or NULL */
    bool told;             /* accesses are printed */
};

static struct thread *self(struct turn *turn) { return &turn->state->thread[turn->thread]; }

static int bit(int number) { return 1 << number; }
static int count_of(int snapshot) { return COUNT + snapshot - 1; }
static int entry_of(int snapshot, int place) { return ENTRIES + (snapshot - 1) * SLOTS + place; }
static int state_of(int slot) { return STATE + slot - 1; }
static int armed_of(int slot) { return ARMED + slot - 1; }
static int snapshot_thing(int snapshot) { return SNAPSHOT + snapshot - 1; }
static int slot_thing(int slot) { return SLOT + slot - 1; }
static int observer_thing(int slot) { return OBSERVER + slot - 1; }
static bool has_hook(int slot) { return slot <= scenario->hooks; }

/* ---- Accesses, and what is wrong with them ---------------------------------------------------------------------- */

static void object(struct turn *turn, const char *violation) {
    if (!turn->violation) turn->violation = violation;
}

static void tell(struct turn *turn, const char *what, const char *object, int value) {
    if (!turn->told) return;
    if (turn->thread == WRITER) printf("    writer    ");
    else printf("    poster %d  ", turn->thread + 1);
    if (value < 0) printf("%s%s\n", what, object);
    else printf("%s%s: %d\n", what, object, value);
}

static void store(struct turn *turn, int where, int value, enum order order) {
    tell(turn, "stores ", location_name(where), value);
    memory_store(&turn->state->memory, turn->thread, where, value, order);
}

static int load(struct turn *turn, int where, enum order order) {
    int value = memory_load(&turn->state->memory, turn->thread, where, order, &turn->choice);
    tell(turn, "loads ", location_name(where), value);
    if (value == GARBAGE) object(turn, "memory is read that nothing was written to");
    return value == GARBAGE ? NONE : value;
}

static void light(struct turn *turn, bool kept) {
    if (scenario->fenced && kept) memory_fence(&turn->state->memory, turn->thread);
}

static bool lock(struct turn *turn) {
    turn->blocked = turn->state->lock_owner != 0;
    if (turn->blocked) return false;
    tell(turn, "locks", "", -1);
    memory_lock(&turn->state->memory, turn->thread);
    turn->state->lock_owner = (uint8_t)(turn->thread + 1);
    return true;
}

static void unlock(struct turn *turn) {
    tell(turn, "unlocks", "", -1);
    memory_unlock(&turn->state->memory, turn->thread);
    turn->state->lock_owner = 0;
}

/* A poster reads a thing, or an observer is called. */
static void use(struct turn *turn, int thing) {
    memory_use(&turn->state->memory, turn->thread, thing);
    if (!(turn->state->gone & bit(thing))) return;
    if (thing == BUCKET) object(turn, "a freed bucket is read");
    else if (thing < SLOT) object(turn, "a freed snapshot is read");
    else if (thing < OBSERVER) object(turn, "a freed slot is read");
    else if (turn->state->awaited & bit(thing - OBSERVER + 1)) object(turn, "a call after AndWait has returned");
    else object(turn, "a call after the release hook");
}

/* A thing is freed, or an observer is told that it will not be called any more. */
static void end_life(struct turn *turn, int thing) {
    struct state *state = turn->state;
    bool is_memory = thing < OBSERVER;
    if (state->gone & bit(thing)) object(turn, is_memory ? "memory is freed twice" : "the hook runs twice");
    if (!memory_knows_uses(&state->memory, turn->thread, thing))
        object(turn, is_memory ? "a read is not ordered before the freeing" : "a call is not ordered before its end");
    state->gone |= (uint8_t)bit(thing);
}

/* ---- The way through the jobs ----------------------------------------------------------------------------------- */

static void begin_job(struct state *state, int number, int job) {
    static const uint8_t first_of_post[] = {DONE, NAME_MARK, TOPIC_READ};
    static const uint8_t first_of_task[] = {DONE, REMOVE_MARK, REMOVE_MARK, APPEND_ENTRY, REPLACE_COPY, UNLINK_TABLE, RECLAIM_DETACH};
    struct thread *thread = &state->thread[number];
    memset(thread, 0, sizeof *thread); /* no memory of the last job, which would only tell equal states apart */
    thread->job = (uint8_t)job;
    if (number == WRITER) {
        thread->step = job < TASKS ? first_of_task[scenario->tasks[job].task] : DONE;
        thread->slot = job < TASKS ? (uint8_t)scenario->tasks[job].slot : NONE;
    } else {
        thread->step = job < POSTS ? first_of_post[scenario->posts[number][job]] : DONE;
    }
    if (thread->step == DONE) thread->job = 0;
}

static void next_job(struct turn *turn) { begin_job(turn->state, turn->thread, self(turn)->job + 1); }

/* On to the next poster's frame; false, and back to the first, after the last. */
static bool next_peer(struct thread *thread) {
    thread->peer++;
    if (thread->peer < POSTERS && scenario->posts[thread->peer][0] != NO_POST) return true;
    thread->peer = 0;
    return false;
}

/* ---- Posters ---------------------------------------------------------------------------------------------------- */

static void by_name(struct turn *turn) {
    struct thread *poster = self(turn);
    int section = SECTION + turn->thread, pin = PIN + turn->thread;
    switch (poster->step) {
    case NAME_MARK:
        if (keep(SECTION)) store(turn, section, 2 * poster->job + 1, RELAXED);
        light(turn, keep(SECTION_LIGHT));
        poster->step = NAME_COMMITTED;
        break;
    case NAME_COMMITTED:
        poster->limit = (uint8_t)load(turn, COMMITTED, ACQUIRE);
        poster->step = NAME_FIND;
        break;
    case NAME_FIND:
        poster->step = load(turn, TABLE, ACQUIRE) == NONE ? NAME_UNMARK : NAME_READ;
        break;
    case NAME_READ:
        use(turn, BUCKET);
        poster->snapshot = (uint8_t)load(turn, NEWEST, ACQUIRE);
        poster->step = poster->snapshot == NONE ? NAME_UNMARK : NAME_PIN;
        break;
    case NAME_PIN:
        if (keep(PIN)) store(turn, pin, poster->snapshot, RELEASE);
        poster->step = NAME_COUNT;
        break;
    case NAME_COUNT:
        use(turn, snapshot_thing(poster->snapshot));
        poster->count = (uint8_t)load(turn, count_of(poster->snapshot), ACQUIRE);
        /* Slots are numbered in the order of registration, and nothing else is in the way: there is one bucket. */
        for (int slot = poster->count + 1; slot <= poster->limit; slot++)
            if (turn->state->active == bit(1) + bit(2)) object(turn, "a committed registration is missed");
        poster->step = NAME_UNMARK;
        break;
    case NAME_UNMARK:
        if (keep(SECTION)) store(turn, section, 2 * poster->job + 2, keep(SECTION_RELEASE) ? RELEASE : RELAXED);
        poster->step = poster->count ? WALK_ENTRY : WALK_UNPIN;
        break;
    }
}

static void by_topic(struct turn *turn) {
    struct thread *poster = self(turn);
    int pin = PIN + turn->thread;
    switch (poster->step) {
    case TOPIC_READ:
        poster->snapshot = (uint8_t)load(turn, NEWEST, RELAXED);
        poster->step = TOPIC_PIN;
        break;
    case TOPIC_PIN:
        if (keep(TOPIC_PIN)) store(turn, pin, poster->snapshot, RELEASE);
        poster->step = TOPIC_READ_AGAIN;
        break;
    case TOPIC_READ_AGAIN: {
        uint8_t again = (uint8_t)load(turn, NEWEST, keep(RECHECK_ACQUIRE) ? ACQUIRE : RELAXED);
        if (again != poster->snapshot && keep(TOPIC_RECHECK)) {
            poster->snapshot = again;
            poster->step = TOPIC_PIN;
        } else {
            poster->step = poster->snapshot == NONE ? WALK_UNPIN : TOPIC_COUNT;
        }
        break;
    }
    case TOPIC_COUNT:
        use(turn, snapshot_thing(poster->snapshot));
        poster->count = (uint8_t)load(turn, count_of(poster->snapshot), ACQUIRE);
        poster->step = poster->count ? WALK_ENTRY : WALK_UNPIN;
        break;
    }
}

static void walk(struct turn *turn) {
    struct thread *poster = self(turn);
    switch (poster->step) {
    case WALK_ENTRY:
        use(turn, snapshot_thing(poster->snapshot));
        poster->slot = (uint8_t)load(turn, entry_of(poster->snapshot, poster->place++), RELAXED);
        poster->step = WALK_SHOW;
        break;
    case WALK_SHOW:
        if (keep(CURRENT))
            store(turn, SHOWN + turn->thread, poster->slot, keep(CURRENT_RELEASE) ? RELEASE : RELAXED);
        light(turn, keep(LIGHT));
        poster->step = poster->left ? WALK_LOOK_BACK : WALK_CALL;
        break;
    case WALK_LOOK_BACK:
        use(turn, slot_thing(poster->left));
        poster->after = poster->slot ? WALK_CALL : WALK_UNPIN;
        if (load(turn, state_of(poster->left), RELAXED) == PENDING && keep(LOOK_BACK)) {
            poster->step = LEFT_LOCK;
        } else {
            poster->step = poster->after;
        }
        break;
    case WALK_CALL: /* look at the state, and the call begins */
        use(turn, slot_thing(poster->slot));
        poster->step = WALK_CALL_ENDS;
        if (load(turn, state_of(poster->slot), RELAXED) == ACTIVE || !keep(STATE_CHECK)) {
            tell(turn, "calls the observer of a slot", "", poster->slot);
            use(turn, observer_thing(poster->slot));
            break;
        }
        goto next; /* no call, no end of it */
    case WALK_CALL_ENDS:
        tell(turn, "returns from the call", "", -1);
        use(turn, observer_thing(poster->slot));
    next:
        poster->left = poster->slot;
        poster->slot = NONE;
        poster->step = poster->place < poster->count ? WALK_ENTRY : WALK_SHOW;
        break;
    case WALK_UNPIN:
        store(turn, PIN + turn->thread, NONE, keep(PIN_RELEASE) ? RELEASE : RELAXED);
        next_job(turn);
        break;
    }
}

/* herald_release_left(): the slot that a poster has left is PENDING. */
static void left(struct turn *turn) {
    struct thread *poster = self(turn);
    uint8_t otherwise = LEFT_CLAIM;
    switch (poster->step) {
    case LEFT_LOCK:
        if (lock(turn)) poster->step = LEFT_STATE;
        return;
    case LEFT_STATE: /* acquire: `armed` was reset before PENDING, and may be set still from an earlier registration */
        if (load(turn, state_of(poster->left), keep(LEFT_ACQUIRE) ? ACQUIRE : RELAXED) == PENDING) otherwise = LEFT_ARMED;
        break;
    case LEFT_ARMED:
        if (load(turn, armed_of(poster->left), RELAXED) || !keep(ARMED)) otherwise = LEFT_SCAN;
        break;
    case LEFT_SCAN:
        if (load(turn, SHOWN + poster->peer, ACQUIRE) == poster->left && keep(LAST_USER_CHECK)) poster->shown = 1;
        if (next_peer(poster)) return;
        if (!poster->shown) {
            store(turn, state_of(poster->left), has_hook(poster->left) ? RELEASING : RELEASED, RELEASE);
            unlock(turn);
            poster->step = has_hook(poster->left) ? HOOK_RUNS : poster->after;
            return;
        }
        break;
    }
    poster->step = otherwise;
}
