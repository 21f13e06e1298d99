/* The state of the model: steps that may be left out, verdicts, the scenario and its state. And what posters and the
 * writer have in common: accesses, jobs, and the release, which the thread that claims it runs. */
#ifndef WORLD_H
#define WORLD_H

enum { POSTERS = 2, WRITER = POSTERS, THREADS };
enum { SNAPSHOTS = 3, SLOTS = 2 }; /* numbered from 1 */
enum { NONE = 0, GARBAGE = 255 };  /* values: no bucket, snapshot or slot; the content of fresh memory */
enum { TOMBSTONE = SLOTS + 1 };    /* a value of entries */
enum { SAYS_REPLACED = 1, SAYS_ENDING = 2, ONE_END = 4 }; /* of a snapshot's ends */

enum location {
    TABLE,                               /* the bucket that a look-up finds */
    COMMITTED,                           /* the number of the newest registration */
    NEWEST,                              /* the bucket's current snapshot */
    COUNT,                               /* of each snapshot */
    ENDS = COUNT + SNAPSHOTS,            /* of each snapshot */
    ENTRIES = ENDS + SNAPSHOTS,          /* of each snapshot */
    STATE = ENTRIES + SNAPSHOTS * SLOTS, /* of each slot */
    ARMED = STATE + SLOTS,               /* of each slot */
    SECTION = ARMED + SLOTS,             /* of each poster, like the following */
    PIN = SECTION + POSTERS,
    SHOWN = PIN + POSTERS, /* the slot that its frame's hazard pointer shows */
    LOCATIONS = SHOWN + POSTERS
};

/* Things that can end while a thread still uses them. */
enum thing { BUCKET, SNAPSHOT, SLOT = SNAPSHOT + SNAPSHOTS, OBSERVER = SLOT + SLOTS, THINGS = OBSERVER + SLOTS };

enum { BUFFER = 12, HISTORY = 7, SET_BITS = 22, MOST_STATES = 3000000 }; /* enough for every scenario */

#include "memory.h"

enum mutation {
    DROP_NOTHING,
    DROP_HEAVY_REMOVE,
    DROP_HEAVY_RECLAIM,
    DROP_PIN,
    DROP_TOPIC_PIN,
    DROP_TOPIC_RECHECK,
    DROP_SECTION,
    DROP_SECTION_CHECK,
    DROP_PIN_CHECK,
    DROP_HAZARD,
    DROP_STATE_CHECK,
    DROP_LOOK_BACK,
    DROP_FRAME_CHECK,
    DROP_LAST_USER_CHECK,
    DROP_ARMED,
    DROP_WAIT,
    DROP_LINEAGE,
    DROP_LIGHT,
    DROP_SECTION_LIGHT,
    /* order annotations */
    DROP_HAZARD_RELEASE,
    DROP_RECHECK_ACQUIRE,
    DROP_PUBLISH_RELEASE,
    DROP_COUNT_RELEASE,
    DROP_SECTION_RELEASE,
    DROP_PIN_RELEASE,
    DROP_COMMITTED_RELEASE,
    DROP_LEFT_ACQUIRE,
    /* for walks that look at the ends */
    DROP_ENDS,
    DROP_ENDING,
    DROP_ENDS_LAST,
    DROP_ENDS_CHECK,
    DROP_ENDS_BACK,
    DROP_REPLACED,
    DROP_BEGIN_ACQUIRE,
    DROP_ENTRY_ACQUIRE,
    DROP_TOMBSTONE_RELEASE,
    DROP_ENDS_RELEASE
};
#define does(step) (mutation != DROP_##step)
#define order_of(step, order) (does(step##_##order) ? order : RELAXED)

enum verdict { /* the worst first; after the "unordered" ones a run goes on, because they may lead to worse */
               CALL_AFTER_WAIT,
               CALL_AFTER_HOOK,
               FREED_BUCKET,
               FREED_SNAPSHOT,
               FREED_SLOT,
               FREED_TWICE,
               UNWRITTEN,
               HOOK_TWICE,
               WAIT_TOO_SHORT,
               HOOK_NEVER,
               MISSED,
               MISCOUNTED,
               DEADLOCK,
               CALL_UNORDERED,
               READ_UNORDERED,
               TOO_MANY_STATES,
               SAFE,
               MILD = CALL_UNORDERED
};

enum post { NO_POST, BY_NAME, BY_TOPIC };
enum task { NO_TASK, REMOVE, REMOVE_AND_WAIT, ADD, REPLACE, UNLINK, RECLAIM };
enum { POSTS = 2, TASKS = 6 };

struct scenario {
    const char *name;
    enum post posts[POSTERS][POSTS];
    struct {
        enum task task;
        int slot;
    } tasks[TASKS];
    int listed;   /* how many slots snapshot 1 lists at the start */
    int hooks;    /* how many slots, from the first, have a release hook; all of them get removed */
    bool fencing; /* posts carry full fences, and the heavy fence is only the caller's own */
    bool by_ends; /* posts walk as over many: they look at the snapshot's ends, and slots that end become tombstones */
};

static const struct scenario *scenario;
static enum mutation mutation;

enum step { /* where a thread is; each group has a function of its own */
            DONE,
            NAME_MARK,
            NAME_COMMITTED,
            NAME_FIND,
            NAME_READ,
            NAME_PIN,
            NAME_COUNT,
            NAME_UNMARK,
            TOPIC_READ,
            TOPIC_PIN,
            TOPIC_READ_AGAIN,
            TOPIC_COUNT,
            WALK_ENDS,
            WALK_ENTRY,
            WALK_SHOW,
            WALK_CHECK,
            WALK_LOOK_BACK,
            WALK_HIDE,
            WALK_SHOW_AGAIN,
            WALK_CALL,
            WALK_CALL_ENDS,
            WALK_UNPIN,
            LEFT_STATE,
            LEFT_ARMED,
            LEFT_SCAN,
            HOOK_RUNS,
            HOOK_ENDS,
            HEAVY,
            REMOVE_MARK,
            REMOVE_ARM,
            REMOVE_SCAN,
            REMOVE_RETURN,
            ADD_SLOT,
            REPLACE_SNAPSHOT,
            UNLINK_BUCKET,
            RECLAIM_DETACH,
            RECLAIM_NOTE,
            RECLAIM_SECTION,
            RECLAIM_PIN,
            RECLAIM_FREE
};

enum slot_state { ACTIVE, REMOVED, PENDING, RELEASING, RELEASED };

struct thread {
    uint8_t step, after;                         /* `after`: the step after a shared part of the way */
    uint8_t job;                                 /* which of its posts or tasks */
    uint8_t limit, snapshot, count, place, left; /* posters: committed sequence, what they walk, the slot left last */
    uint8_t ends;                                /* posters: the snapshot's ends when the walk began */
    uint8_t watchful;                            /* posters: the ends have changed, so each slot's state is looked at */
    uint8_t slot;                                /* shown by a poster, removed or added by the writer */
    uint8_t claimed;                             /* the slot whose release this thread runs */
    uint8_t peer;                                /* the poster whose frame or record it looks at next */
    uint8_t shown;                               /* some frame shows the slot */
    uint8_t noted[POSTERS], batch, pinned;       /* the reclaimer: section values; sets of things */
};

/* The whole state between two steps. The members after `thread` are not shared memory: they are the writer's own
 * bookkeeping, or only the judge knows them. A set has a bit for each number. */
struct state {
    struct memory memory;
    struct thread thread[THREADS];
    uint8_t lock_owner;            /* thread + 1 */
    uint8_t newest, active;        /* the current snapshot; the slots not removed yet */
    uint8_t listed[SNAPSHOTS + 1]; /* the slots in each snapshot */
    uint8_t ends[SNAPSHOTS + 1];   /* the writer's own, of each snapshot */
    uint8_t left_with[SLOTS + 1];  /* the snapshot that a dead slot is freed with */
    uint8_t retired;               /* things that wait for a batch */
    uint8_t gone;                  /* things freed; observers that were promised no more calls */
    uint8_t hooked, awaited;       /* slots: the hook has begun; AndWait has returned */
};

/* One step of one thread. */
struct turn {
    struct state *state;
    int thread;
    struct choice choice;
    bool blocked; /* it cannot be taken now */
    enum verdict verdict;
};

static struct thread *self(struct turn *turn) { return &turn->state->thread[turn->thread]; }
static int bit(int number) { return 1 << number; }
static int size_of(int set) { return __builtin_popcount((unsigned)set); }
static int count_of(int snapshot) { return COUNT + snapshot - 1; }
static int ends_of(int snapshot) { return ENDS + snapshot - 1; }
static int entry_of(int snapshot, int place) { return ENTRIES + (snapshot - 1) * SLOTS + place; }
static int state_of(int slot) { return STATE + slot - 1; }
static int armed_of(int slot) { return ARMED + slot - 1; }
static int snapshot_thing(int snapshot) { return SNAPSHOT + snapshot - 1; }
static int slot_thing(int slot) { return SLOT + slot - 1; }
static int observer_thing(int slot) { return OBSERVER + slot - 1; }
static bool has_hook(int slot) { return slot <= scenario->hooks; }

/* ---- Accesses, and their possible faults ------------------------------------------------------------------------- */

static void object(struct turn *turn, enum verdict verdict) {
    if (verdict < turn->verdict) turn->verdict = verdict;
}

static void store(struct turn *turn, int where, int value, enum order order) {
    memory_store(&turn->state->memory, turn->thread, where, value, order);
}

static int load(struct turn *turn, int where, enum order order) {
    int value = memory_load(&turn->state->memory, turn->thread, where, order, &turn->choice);
    if (value != GARBAGE) return value;
    object(turn, UNWRITTEN);
    return NONE;
}

/* A compiler barrier, which does nothing here; if posts carry fences, a full fence. */
static void light(struct turn *turn, bool kept) {
    if (scenario->fencing && kept) memory_fence(&turn->state->memory, turn->thread);
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

/* Memory is accessed, or an observer is being called. Only the writer frees memory, so its own accesses are in
 * order. */
static void use(struct turn *turn, int thing) {
    if (turn->thread != WRITER) memory_use(&turn->state->memory, turn->thread, thing);
    if (!(turn->state->gone & bit(thing))) return;
    if (thing >= OBSERVER)
        object(turn, turn->state->awaited & bit(thing - OBSERVER + 1) ? CALL_AFTER_WAIT : CALL_AFTER_HOOK);
    else
        object(turn, thing >= SLOT ? FREED_SLOT : thing >= SNAPSHOT ? FREED_SNAPSHOT : FREED_BUCKET);
}

/* Memory is freed, or an observer is promised that no call is running or will come. */
static void end_life(struct turn *turn, int thing) {
    bool is_observer = thing >= OBSERVER;
    if (turn->state->gone & bit(thing)) object(turn, is_observer ? HOOK_TWICE : FREED_TWICE);
    if (!memory_knows_uses(&turn->state->memory, turn->thread, thing))
        object(turn, is_observer ? CALL_UNORDERED : READ_UNORDERED);
    turn->state->gone |= (uint8_t)bit(thing);
}

/* ---- From job to job -------------------------------------------------------------------------------------------- */

static void begin_job(struct state *state, int number, int job) {
    static const uint8_t first_of_post[] = {DONE, NAME_MARK, TOPIC_READ};
    static const uint8_t first_of_task[] = {DONE,          REMOVE_MARK,   REMOVE_MARK, ADD_SLOT, REPLACE_SNAPSHOT,
                                            UNLINK_BUCKET, RECLAIM_DETACH};
    struct thread *thread = &state->thread[number];
    memset(thread, 0, sizeof *thread); /* its memory of the last job would only make equal states differ */
    if (job == (number == WRITER ? TASKS : POSTS)) return;
    thread->job = (uint8_t)job;
    thread->slot = number == WRITER ? (uint8_t)scenario->tasks[job].slot : NONE;
    thread->step =
        number == WRITER ? first_of_task[scenario->tasks[job].task] : first_of_post[scenario->posts[number][job]];
}

static void next_job(struct turn *turn) { begin_job(turn->state, turn->thread, self(turn)->job + 1); }

/* Goes to the next poster's frame. After the last, returns false and goes back to the first. */
static bool next_peer(struct thread *thread) {
    thread->peer++;
    if (thread->peer < POSTERS && scenario->posts[thread->peer][0] != NO_POST) return true;
    thread->peer = 0;
    return false;
}

/* ---- The release, run by the thread that claims it --------------------------------------------------------------- */

/* Called under the lock, which it gives up. Continues at `after`. */
static void claim(struct turn *turn, int slot) {
    struct thread *thread = self(turn);
    store(turn, state_of(slot), has_hook(slot) ? RELEASING : RELEASED, RELEASE);
    unlock(turn);
    thread->claimed = has_hook(slot) ? (uint8_t)slot : NONE;
    thread->step = has_hook(slot) ? HOOK_RUNS : thread->after;
}

static void hook(struct turn *turn) {
    struct thread *thread = self(turn);
    int slot = thread->claimed;
    switch (thread->step++) {
    case HOOK_RUNS:
        end_life(turn, observer_thing(slot));
        turn->state->hooked |= (uint8_t)bit(slot);
        break;
    case HOOK_ENDS:
        if (!lock(turn)) return;
        use(turn, slot_thing(slot));
        store(turn, state_of(slot), RELEASED, RELEASE);
        unlock(turn);
        thread->claimed = NONE;
        thread->step = thread->after;
        break;
    }
}

#endif
