/* What the threads do. A step is one access to shared memory, or a few where nobody could tell them from one: stores
 * in a row, which become visible one by one all the same, and accesses next to a lock or an unlock.
 *
 * The steps follow post.c and deliver.h for posters, and observe.c, release.c, snapshot.c, bucket.c and reclaim.c for
 * the writer.
 * keep(STEP) asks whether this run has the step. An order annotation that is left out becomes RELAXED. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

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
    DROP_CURRENT,
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
    DROP_CURRENT_RELEASE,
    DROP_RECHECK_ACQUIRE,
    DROP_PUBLISH_RELEASE,
    DROP_COUNT_RELEASE,
    DROP_SECTION_RELEASE,
    DROP_PIN_RELEASE,
    DROP_COMMITTED_RELEASE,
    DROP_LEFT_ACQUIRE
};
#define keep(step) (mutation != DROP_##step)
#define keep_order(step, order) (keep(step##_##order) ? order : RELAXED)

enum verdict { /* the worst first; after the unordered ones a run goes on, for they may lead to worse */
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
               DEADLOCK,
               CALL_UNORDERED,
               READ_UNORDERED,
               TOO_MANY_STATES,
               SAFE
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
    int listed;  /* how many slots snapshot 1 lists at the start */
    int hooks;   /* how many slots, from the first, have a release hook; all of these get removed */
    bool fenced; /* posts carry full fences, and heavy is no more than the caller's own */
};

static const struct scenario *scenario;
static enum mutation mutation;

enum step { /* where a thread is; each group is a function below */
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
            WALK_ENTRY,
            WALK_SHOW,
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
    uint8_t step, after;                         /* `after`: where a shared stretch of the way leads back to */
    uint8_t job;                                 /* which of its posts or tasks */
    uint8_t limit, snapshot, count, place, left; /* posters: committed sequence, what they walk, the slot left last */
    uint8_t slot;                                /* shown by a poster, removed or added by the writer */
    uint8_t claimed;                             /* the slot whose release is this thread's */
    uint8_t peer;                                /* the poster whose frame or record it looks at next */
    uint8_t shown;                               /* some frame showed the slot */
    uint8_t noted[POSTERS], batch, pinned;       /* the reclaimer: section values; sets of things */
};

/* The whole world between two steps. What follows the threads is not shared memory: it is the writer's own bookkeeping
 * and what only the judge knows. A set has a bit for each number. */
struct state {
    struct memory memory;
    struct thread thread[THREADS];
    uint8_t lock_owner;            /* thread + 1 */
    uint8_t newest, active;        /* the current snapshot; the slots not removed yet */
    uint8_t listed[SNAPSHOTS + 1]; /* the slots in each snapshot */
    uint8_t left_with[SLOTS + 1];  /* the snapshot that a dead slot is freed with */
    uint8_t retired;               /* things that wait for a batch */
    uint8_t gone;                  /* things freed; observers that have been promised no more calls */
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
static int entry_of(int snapshot, int place) { return ENTRIES + (snapshot - 1) * SLOTS + place; }
static int state_of(int slot) { return STATE + slot - 1; }
static int armed_of(int slot) { return ARMED + slot - 1; }
static int snapshot_thing(int snapshot) { return SNAPSHOT + snapshot - 1; }
static int slot_thing(int slot) { return SLOT + slot - 1; }
static int observer_thing(int slot) { return OBSERVER + slot - 1; }
static bool has_hook(int slot) { return slot <= scenario->hooks; }

/* ---- Accesses, and what can be wrong with them ------------------------------------------------------------------ */

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

/* A compiler barrier, which is nothing here; where posts carry fences, one of those. */
static void light(struct turn *turn, bool kept) {
    if (scenario->fenced && kept) memory_fence(&turn->state->memory, turn->thread);
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

/* Memory is accessed, or an observer is being called. Only the writer frees memory: its own accesses are in order. */
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
    memset(thread, 0, sizeof *thread); /* what it remembers of the last job would only tell equal states apart */
    if (job == (number == WRITER ? TASKS : POSTS)) return;
    thread->job = (uint8_t)job;
    thread->slot = number == WRITER ? (uint8_t)scenario->tasks[job].slot : NONE;
    thread->step =
        number == WRITER ? first_of_task[scenario->tasks[job].task] : first_of_post[scenario->posts[number][job]];
}

static void next_job(struct turn *turn) { begin_job(turn->state, turn->thread, self(turn)->job + 1); }

/* On to the next poster's frame; after the last, false and back to the first. */
static bool next_peer(struct thread *thread) {
    thread->peer++;
    if (thread->peer < POSTERS && scenario->posts[thread->peer][0] != NO_POST) return true;
    thread->peer = 0;
    return false;
}

/* ---- The release, by whoever claims it -------------------------------------------------------------------------- */

/* Under the lock, which it gives up. Goes on where `after` says. */
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

/* ---- Posters. Each step leads to the one after it, if it does not say otherwise. -------------------------------- */

/* Slots are numbered in the order of registration: all up to the committed number that are not removed are found. */
static void check_limit(struct turn *turn) {
    const struct thread *poster = self(turn);
    int listed = turn->state->listed[poster->snapshot];
    for (int slot = 1; slot <= poster->limit; slot++) {
        bool found = listed & bit(slot) && size_of(listed & (bit(slot) - 1)) < poster->count;
        if (turn->state->active & bit(slot) && !found) object(turn, MISSED);
    }
}

static void by_name(struct turn *turn) {
    struct thread *poster = self(turn);
    int section = SECTION + turn->thread, pin = PIN + turn->thread;
    switch (poster->step++) {
    case NAME_MARK:
        if (keep(SECTION)) store(turn, section, 2 * poster->job + 1, RELAXED);
        light(turn, keep(SECTION_LIGHT));
        break;
    case NAME_COMMITTED: poster->limit = (uint8_t)load(turn, COMMITTED, ACQUIRE); break;
    case NAME_FIND:
        if (load(turn, TABLE, ACQUIRE) == NONE) poster->step = NAME_UNMARK;
        break;
    case NAME_READ:
        use(turn, BUCKET);
        poster->snapshot = (uint8_t)load(turn, NEWEST, ACQUIRE);
        if (poster->snapshot == NONE) poster->step = NAME_UNMARK;
        break;
    case NAME_PIN:
        if (keep(PIN)) store(turn, pin, poster->snapshot, RELEASE);
        break;
    case NAME_COUNT:
        use(turn, snapshot_thing(poster->snapshot));
        poster->count = (uint8_t)load(turn, count_of(poster->snapshot), ACQUIRE);
        check_limit(turn);
        break;
    case NAME_UNMARK:
        if (keep(SECTION)) store(turn, section, 2 * poster->job + 2, keep_order(SECTION, RELEASE));
        poster->step = poster->count ? WALK_ENTRY : WALK_UNPIN;
        break;
    }
}

static void by_topic(struct turn *turn) {
    struct thread *poster = self(turn);
    int pin = PIN + turn->thread, again;
    switch (poster->step++) {
    case TOPIC_READ: poster->snapshot = (uint8_t)load(turn, NEWEST, RELAXED); break;
    case TOPIC_PIN:
        if (keep(TOPIC_PIN)) store(turn, pin, poster->snapshot, RELEASE);
        break;
    case TOPIC_READ_AGAIN:
        again = load(turn, NEWEST, keep_order(RECHECK, ACQUIRE));
        if (again != poster->snapshot && keep(TOPIC_RECHECK)) {
            poster->snapshot = (uint8_t)again;
            poster->step = TOPIC_PIN;
        } else if (poster->snapshot == NONE) {
            poster->step = WALK_UNPIN;
        }
        break;
    case TOPIC_COUNT:
        use(turn, snapshot_thing(poster->snapshot));
        poster->count = (uint8_t)load(turn, count_of(poster->snapshot), ACQUIRE);
        poster->step = poster->count ? WALK_ENTRY : WALK_UNPIN;
        break;
    }
}

/* The slot's turn is over: on to the next entry, or to showing nothing. */
static void go_on(struct thread *poster) {
    poster->left = poster->slot;
    poster->slot = NONE;
    poster->step = poster->place < poster->count ? WALK_ENTRY : WALK_SHOW;
}

static void show(struct turn *turn, int slot) {
    if (keep(CURRENT)) store(turn, SHOWN + turn->thread, slot, keep_order(CURRENT, RELEASE));
    light(turn, keep(LIGHT));
}

static void walk(struct turn *turn) {
    struct thread *poster = self(turn);
    switch (poster->step++) {
    case WALK_ENTRY:
        use(turn, snapshot_thing(poster->snapshot));
        poster->slot = (uint8_t)load(turn, entry_of(poster->snapshot, poster->place++), RELAXED);
        break;
    case WALK_SHOW:
        show(turn, poster->slot);
        if (!poster->left) poster->step = WALK_CALL;
        break;
    case WALK_LOOK_BACK:
        use(turn, slot_thing(poster->left));
        poster->after = poster->slot ? WALK_SHOW_AGAIN : WALK_UNPIN;
        if (load(turn, state_of(poster->left), RELAXED) == PENDING && keep(LOOK_BACK))
            poster->step = poster->slot ? WALK_HIDE : LEFT_STATE;
        else
            poster->step = poster->slot ? WALK_CALL : WALK_UNPIN;
        break;
    case WALK_HIDE: /* nobody shall wait for the next slot while this poster releases the last one */
        show(turn, NONE);
        poster->step = LEFT_STATE;
        break;
    case WALK_SHOW_AGAIN: show(turn, poster->slot); break;
    case WALK_CALL: /* looks at the state, and the call begins */
        use(turn, slot_thing(poster->slot));
        if (load(turn, state_of(poster->slot), RELAXED) == ACTIVE || !keep(STATE_CHECK))
            use(turn, observer_thing(poster->slot));
        else
            go_on(poster);
        break;
    case WALK_CALL_ENDS: /* the observer is in use to the end */
        use(turn, observer_thing(poster->slot));
        go_on(poster);
        break;
    case WALK_UNPIN:
        store(turn, PIN + turn->thread, NONE, keep_order(PIN, RELEASE));
        next_job(turn);
        break;
    }
}

/* herald_release_left(): the slot that was left is PENDING. If nobody else is calling it, its release is ours. */
static void left(struct turn *turn) {
    struct thread *poster = self(turn);
    bool mine = true; /* as far as we know */
    switch (poster->step++) {
    case LEFT_STATE: /* acquire: `armed` was reset before PENDING, and may be set by the slot's last registration */
        if (!lock(turn)) return;
        mine = load(turn, state_of(poster->left), keep_order(LEFT, ACQUIRE)) == PENDING;
        break;
    case LEFT_ARMED: mine = load(turn, armed_of(poster->left), RELAXED) || !keep(ARMED); break;
    case LEFT_SCAN:
        mine = load(turn, SHOWN + poster->peer, ACQUIRE) != poster->left || !keep(LAST_USER_CHECK);
        if (!mine) break;
        if (next_peer(poster))
            poster->step = LEFT_SCAN;
        else
            claim(turn, poster->left);
        break;
    }
    if (mine) return;
    unlock(turn);
    poster->peer = 0;
    poster->step = poster->after;
}

/* ---- The writer ------------------------------------------------------------------------------------------------- */

static void heavy_then(struct thread *writer, bool kept, enum step after) {
    writer->after = (uint8_t)after;
    writer->step = (uint8_t)(kept ? HEAVY : after);
}

/* Interrupts the posters one after the other. Each executes a full fence, wherever it is. */
static void heavy(struct turn *turn) {
    struct thread *writer = self(turn);
    struct memory *memory = &turn->state->memory;
    memory_fence(memory, WRITER);
    if (!scenario->fenced) {
        memory_fence(memory, writer->peer);
        memory_fence(memory, WRITER);
        if (next_peer(writer)) return;
    }
    writer->step = writer->after;
}

/* Sleeps; whoever makes the slot RELEASED does so under the lock, and wakes us. Then no call is running or will begin,
 * and the hook, if there is one, has run. */
static bool wait(struct turn *turn, int slot) {
    if (!lock(turn)) return false;
    turn->blocked = load(turn, state_of(slot), RELAXED) != RELEASED && keep(WAIT);
    unlock(turn);
    if (turn->blocked) return false;
    turn->state->awaited |= (uint8_t)bit(slot);
    if (!has_hook(slot))
        end_life(turn, observer_thing(slot));
    else if (!(turn->state->hooked & bit(slot)))
        object(turn, WAIT_TOO_SHORT);
    return true;
}

static void remove_slot(struct turn *turn) {
    struct thread *writer = self(turn);
    bool waits = scenario->tasks[writer->job].task == REMOVE_AND_WAIT;
    int slot = writer->slot;
    switch (writer->step++) {
    case REMOVE_MARK:
        turn->state->active &= (uint8_t)~bit(slot);
        if (has_hook(slot) || waits) {
            store(turn, armed_of(slot), 0, RELAXED);
            store(turn, state_of(slot), PENDING, RELEASE);
            heavy_then(writer, keep(HEAVY_REMOVE), REMOVE_ARM);
        } else {
            store(turn, state_of(slot), REMOVED, RELEASE);
            next_job(turn);
        }
        break;
    case REMOVE_ARM:
        if (lock(turn)) store(turn, armed_of(slot), 1, RELAXED);
        break;
    case REMOVE_SCAN:
        if (load(turn, SHOWN + writer->peer, ACQUIRE) == slot && keep(FRAME_CHECK)) writer->shown = 1;
        writer->step = REMOVE_SCAN;
        if (next_peer(writer)) break;
        writer->step = writer->after = REMOVE_RETURN;
        if (writer->shown)
            unlock(turn); /* the last poster that leaves it will see to it */
        else
            claim(turn, slot);
        break;
    case REMOVE_RETURN:
        if (waits && !wait(turn, slot)) return;
        next_job(turn);
        break;
    }
}

/* Appends to the current snapshot: state and entry, count, committed sequence. */
static void add(struct turn *turn) {
    struct state *state = turn->state;
    int slot = self(turn)->slot, count = size_of(state->listed[state->newest]);
    store(turn, state_of(slot), ACTIVE, RELAXED);
    store(turn, entry_of(state->newest, count), slot, RELAXED);
    store(turn, count_of(state->newest), count + 1, keep_order(COUNT, RELEASE));
    store(turn, COMMITTED, slot, keep_order(COMMITTED, RELEASE));
    state->listed[state->newest] |= (uint8_t)bit(slot);
    state->active |= (uint8_t)bit(slot);
    next_job(turn);
}

/* The dead slots that the next snapshot does not list leave with this one. */
static void retire_newest(struct state *state, int next) {
    for (int slot = 1; slot <= SLOTS; slot++)
        if (state->listed[state->newest] & ~state->active & bit(slot)) state->left_with[slot] = state->newest;
    state->retired |= (uint8_t)bit(snapshot_thing(state->newest));
    state->newest = (uint8_t)next;
}

/* Copies what is alive to fresh memory at the lowest free address: addresses are used again soon. */
static void replace(struct turn *turn) {
    struct state *state = turn->state;
    int fresh = 1, count = 0;
    while (!(state->gone & bit(snapshot_thing(fresh)))) fresh++;
    assert(fresh <= SNAPSHOTS);
    state->gone &= (uint8_t)~bit(snapshot_thing(fresh));
    state->listed[fresh] = state->listed[state->newest] & state->active;
    for (int slot = 1; slot <= SLOTS; slot++)
        if (state->listed[fresh] & bit(slot)) store(turn, entry_of(fresh, count++), slot, RELAXED);
    store(turn, count_of(fresh), count, RELAXED);
    store(turn, NEWEST, fresh, keep_order(PUBLISH, RELEASE));
    retire_newest(state, fresh);
    next_job(turn);
}

/* An empty bucket leaves the table, and its snapshot leaves it. */
static void unlink_bucket(struct turn *turn) {
    store(turn, TABLE, NONE, RELEASE);
    store(turn, NEWEST, NONE, RELEASE);
    retire_newest(turn->state, NONE);
    turn->state->retired |= (uint8_t)bit(BUCKET);
    next_job(turn);
}

/* The dead slots go with the snapshot, or to an older one that lists them still and may be pinned. */
static void free_snapshot(struct turn *turn, int snapshot) {
    struct state *state = turn->state;
    end_life(turn, snapshot_thing(snapshot));
    for (int slot = 1; slot <= SLOTS; slot++) {
        if (state->left_with[slot] != snapshot) continue;
        state->left_with[slot] = NONE;
        for (int older = 1; older <= SNAPSHOTS && keep(LINEAGE); older++)
            if (!(state->gone & bit(snapshot_thing(older))) && state->listed[older] & bit(slot))
                state->left_with[slot] = (uint8_t)older;
        if (state->left_with[slot] == NONE) end_life(turn, slot_thing(slot));
    }
}

static void free_batch(struct turn *turn) {
    struct thread *writer = self(turn);
    int unseen = writer->batch & ~writer->pinned;
    turn->state->retired |= writer->batch & writer->pinned; /* for the next batch */
    if (unseen & bit(BUCKET)) end_life(turn, BUCKET);
    for (int snapshot = 1; snapshot <= SNAPSHOTS; snapshot++)
        if (unseen & bit(snapshot_thing(snapshot))) free_snapshot(turn, snapshot);
}

/* While a noted section lasts, the batch stays and the writer comes back to it: here it just goes no further. */
static void reclaim(struct turn *turn) {
    struct thread *writer = self(turn);
    int section = SECTION + writer->peer, value;
    switch (writer->step++) {
    case RECLAIM_DETACH:
        if (!lock(turn)) return;
        writer->batch = turn->state->retired;
        turn->state->retired = 0;
        unlock(turn);
        heavy_then(writer, keep(HEAVY_RECLAIM), RECLAIM_NOTE);
        break;
    case RECLAIM_NOTE:
        value = load(turn, section, ACQUIRE);
        writer->noted[writer->peer] = value & 1 ? (uint8_t)value : 0;
        if (next_peer(writer)) writer->step = RECLAIM_NOTE;
        break;
    case RECLAIM_SECTION:
        value = writer->noted[writer->peer];
        turn->blocked = value && load(turn, section, ACQUIRE) == value && keep(SECTION_CHECK);
        if (next_peer(writer)) writer->step = RECLAIM_SECTION;
        break;
    case RECLAIM_PIN:
        value = load(turn, PIN + writer->peer, ACQUIRE);
        if (value != NONE && keep(PIN_CHECK)) writer->pinned |= (uint8_t)bit(snapshot_thing(value));
        if (next_peer(writer)) writer->step = RECLAIM_PIN;
        break;
    case RECLAIM_FREE:
        free_batch(turn);
        next_job(turn);
        break;
    }
}

/* ---- Any thread ------------------------------------------------------------------------------------------------- */

static void take_step(struct turn *turn) {
    enum step step = self(turn)->step;
    if (step <= NAME_UNMARK)
        by_name(turn);
    else if (step <= TOPIC_COUNT)
        by_topic(turn);
    else if (step <= WALK_UNPIN)
        walk(turn);
    else if (step <= LEFT_SCAN)
        left(turn);
    else if (step <= HOOK_ENDS)
        hook(turn);
    else if (step == HEAVY)
        heavy(turn);
    else if (step <= REMOVE_RETURN)
        remove_slot(turn);
    else if (step == ADD_SLOT)
        add(turn);
    else if (step == REPLACE_SNAPSHOT)
        replace(turn);
    else if (step == UNLINK_BUCKET)
        unlink_bucket(turn);
    else
        reclaim(turn);
}

#endif
