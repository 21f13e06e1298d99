/* How a thread sees the writes of others.
 *
 * TSO, as on x86: a store may wait in its thread's buffer, behind earlier stores, until the thread's next fence or
 * locked instruction, while the thread itself sees it. VIEWS, as on arm64 without load buffering: every store of a word
 * is kept, a load may read any store that its thread's view allows, and a release store passes its view on to threads
 * that acquire it.
 *
 * The memory itself contains what the running thread sees. In TSO the thread's buffered stores lie over the common
 * values; in VIEWS it contains the newest store. So reads without an atomic, under a lock, are right. A plain write is
 * visible to all at once.
 */
#include "run.h"

#include <string.h>

static uint64_t read_word(const volatile void *at, size_t size) {
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)at, size);
    return value;
}

static void write_word(volatile void *at, size_t size, uint64_t value) { memcpy((void *)(uintptr_t)at, &value, size); }

static void check(const volatile void *at) {
    const char *fault = heap_fault(at);
    if (fault) run_fail(fault);
}

/* ---- Store buffers ----------------------------------------------------------------------------------------------- */

enum { BUFFER = 64 };

static struct {
    int count;
    struct buffered {
        volatile void *at;
        size_t size;
        uint64_t other;
    } stores[BUFFER];
} buffers[RUN_THREADS];

/* While a thread runs, memory is as the thread sees it: its buffered stores lie over the common values. Then `other` is
 * the value under the store; while the thread does not run, it is the store's value. Plain writes of the thread to such
 * a word move with them. */
static void exchange(int thread, int i) {
    struct buffered *store = &buffers[thread].stores[i];
    uint64_t value = read_word(store->at, store->size);
    write_word(store->at, store->size, store->other);
    store->other = value;
}

void memory_leave(int thread) {
    for (int i = buffers[thread].count; i-- > 0;) exchange(thread, i);
}

void memory_enter(int thread) {
    for (int i = 0; i < buffers[thread].count; i++) exchange(thread, i);
}

/* Makes the oldest stores of a thread visible to all. */
static void drain(int thread, int count) {
    if (!count) return;
    if (thread != run.current) {
        memory_leave(run.current);
        for (int i = 0; i < count; i++) exchange(thread, i);
        memory_enter(run.current);
    }
    buffers[thread].count -= count;
    memmove(buffers[thread].stores, buffers[thread].stores + count,
            (size_t)buffers[thread].count * sizeof *buffers[thread].stores);
}

static void buffer_store(volatile void *at, size_t size, uint64_t value) {
    int count = buffers[run.current].count;
    if (run.exploring && (count || choose_to_hold())) {
        if (count == BUFFER) drain(run.current, 1);
        count = buffers[run.current].count++;
        buffers[run.current].stores[count] = (struct buffered){at, size, read_word(at, size)};
    }
    write_word(at, size, value);
}

void memory_drain_some(void) {
    for (int thread = 1; run.memory == RUN_TSO && thread < run.threads; thread++)
        while (buffers[thread].count && choose_to_drain()) drain(thread, 1);
}

void memory_forget_others(int survivor) {
    for (int thread = 0; thread < RUN_THREADS; thread++)
        if (thread != survivor) buffers[thread].count = 0;
}

/* ---- Views ------------------------------------------------------------------------------------------------------- */

enum { WORDS = 2048, SLOTS = 8192, KEPT = 8, LOCKS = 128 };

/* For each word the oldest store that may still be read; 0 for all words from `count` on. Store numbers only grow. */
struct view {
    int count;
    uint16_t at[WORDS];
};

struct store {
    uint64_t value;
    struct view view;
};

static struct word {
    const volatile void *at;
    uint16_t count; /* stores so far; the last KEPT of them are kept */
    struct store stores[KEPT];
} words[WORDS];
static uint16_t slots[SLOTS]; /* a hash table: the number of a word, plus 1 */
static int word_count;

static struct view views[RUN_THREADS], fences;
static struct view seen[RUN_THREADS],
    fencing[RUN_THREADS]; /* what the next acquire fence joins, and what the last release fence left */
static struct {
    const void *lock;
    struct view view;
} locks[LOCKS];
static int lock_count;

static void extend(struct view *view, int count) {
    if (view->count >= count) return;
    memset(view->at + view->count, 0, (size_t)(count - view->count) * sizeof *view->at);
    view->count = count;
}

static void see(struct view *view, int number, int store) {
    extend(view, number + 1);
    view->at[number] = (uint16_t)store;
}

/* Most of the search's time is spent here. It always stores, so that the compiler takes several words at once. */
static void join(struct view *restrict view, const struct view *restrict other) {
    extend(view, other->count);
    for (int i = 0; i < other->count; i++) view->at[i] = view->at[i] < other->at[i] ? other->at[i] : view->at[i];
}

static void become(struct view *view, const struct view *other) {
    view->count = 0;
    join(view, other);
}

static struct store *last_of(struct word *word) { return &word->stores[(word->count - 1) % KEPT]; }

/* The word at an address. A value that was written there without an atomic becomes a store that all have seen. */
static int find_word(const volatile void *at, size_t size) {
    uint64_t value = read_word(at, size);
    unsigned slot = (unsigned)((uintptr_t)at * 0x9e3779b97f4a7c15u >> 51);
    while (slots[slot] && words[slots[slot] - 1].at != at) slot = (slot + 1) % SLOTS;
    if (!slots[slot]) {
        if (word_count == WORDS) run_fail("a run has too many words");
        struct word *word = &words[word_count];
        word->at = at;
        word->count = 0;
        slots[slot] = (uint16_t)++word_count;
    }
    int number = slots[slot] - 1;
    struct word *word = &words[number];
    if (!word->count || last_of(word)->value != value) {
        word->count++;
        last_of(word)->value = value;
        last_of(word)->view.count = 0;
        for (int thread = 0; thread < RUN_THREADS; thread++) see(&views[thread], number, word->count);
    }
    return number;
}

static uint64_t view_load(const volatile void *at, size_t size, bool acquire) {
    int number = find_word(at, size);
    struct word *word = &words[number];
    struct view *view = &views[run.current];
    int oldest = number < view->count ? view->at[number] : 0;
    if (oldest < word->count - (KEPT - 1)) oldest = word->count - (KEPT - 1);
    if (oldest < 1) oldest = 1;
    int options = word->count - oldest + 1;
    int which = word->count - (options > 1 && run.exploring ? choose(options, true) : 0);
    see(view, number, which);
    const struct store *store = &word->stores[(which - 1) % KEPT];
    join(acquire ? view : &seen[run.current], &store->view);
    return store->value;
}

static void view_store(volatile void *at, size_t size, uint64_t value, bool release, bool replaces) {
    int number = find_word(at, size);
    struct word *word = &words[number];
    struct view before;
    if (replaces) become(&before, &last_of(word)->view);
    write_word(at, size, value);
    see(&views[run.current], number, ++word->count);
    struct store *store = last_of(word);
    store->value = read_word(at, size);
    store->view.count = 0;
    if (release) {
        join(&store->view, &views[run.current]);
    } else {
        join(&store->view, &fencing[run.current]);
        see(&store->view, number, word->count);
    }
    if (replaces) join(&store->view, &before); /* a release sequence */
}

/* Plain data is visible to all at once. But only a thread that has seen a block's making may use it; otherwise its
 * publication was too weak. The head of a block is a word that its maker has stored. */
void memory_make_block(const void *head) {
    if (run.memory != RUN_VIEWS) return;
    view_store((void *)(uintptr_t)head, sizeof(size_t), read_word(head, sizeof(size_t)), false, false);
}

static void check_made(const volatile void *at) {
    const void *head = run.memory == RUN_VIEWS ? heap_head(at) : NULL;
    if (!head) return;
    int number = find_word(head, sizeof(size_t));
    const struct view *view = &views[run.current];
    if (number >= view->count || view->at[number] < words[number].count)
        run_fail("memory is used by a thread that has not seen it made");
}

static struct view *view_of_lock(const void *lock) {
    for (int i = 0; i < lock_count; i++)
        if (locks[i].lock == lock) return &locks[i].view;
    if (lock_count == LOCKS) run_fail("a run has too many locks");
    locks[lock_count].lock = lock;
    locks[lock_count].view.count = 0;
    return &locks[lock_count++].view;
}

static void see_all(struct view *view) {
    for (int i = 0; i < word_count; i++) see(view, i, words[i].count);
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

void memory_reset(void) {
    for (int thread = 0; thread < RUN_THREADS; thread++) buffers[thread].count = 0;
    memset(slots, 0, sizeof slots);
    word_count = lock_count = 0;
    fences.count = 0;
    for (int thread = 0; thread < RUN_THREADS; thread++)
        views[thread].count = seen[thread].count = fencing[thread].count = 0;
}

void memory_begin_threads(int threads) {
    for (int thread = 1; thread < threads; thread++) {
        buffers[thread].count = 0;
        see_all(&views[thread]);
    }
}

void memory_end_threads(void) {
    for (int thread = 1; thread < RUN_THREADS; thread++) {
        buffers[thread].count = 0;
        join(&views[0], &views[thread]);
    }
    see_all(&views[0]);
}

void memory_fence(int thread) {
    drain(thread, buffers[thread].count);
    if (run.memory != RUN_VIEWS) return;
    join(&views[thread], &seen[thread]);
    join(&views[thread], &fences);
    join(&fences, &views[thread]);
    join(&fencing[thread], &views[thread]);
}

void memory_lock(const void *lock) {
    buffers[run.current].count = 0;
    if (run.memory == RUN_VIEWS) join(&views[run.current], view_of_lock(lock));
}

void memory_acquire(const void *lock) {
    if (run.memory == RUN_VIEWS) join(&views[run.current], view_of_lock(lock));
}

void memory_unlock(const void *lock) {
    buffers[run.current].count = 0;
    if (run.memory == RUN_VIEWS) join(view_of_lock(lock), &views[run.current]);
}

uint64_t explore_load(const volatile void *at, size_t size, enum explore_order order, const char *file, int line) {
    run_begin_step();
    check(at);
    check_made(at);
    uint64_t value = run.memory == RUN_VIEWS ? view_load(at, size, order == EXPLORE_ACQUIRE) : read_word(at, size);
    run_note_step(order == EXPLORE_ACQUIRE ? "load, acquire" : "load", at, value, file, line);
    return value;
}

void explore_store(volatile void *at, size_t size, uint64_t value, enum explore_order order, const char *file,
                   int line) {
    run_begin_step();
    check(at);
    check_made(at);
    if (run.memory == RUN_VIEWS) {
        view_store(at, size, value, order == EXPLORE_RELEASE, false);
    } else {
        buffer_store(at, size, value);
    }
    run_note_step(order == EXPLORE_RELEASE ? "store, release" : "store", at, value, file, line);
}

/* A locked instruction reads the newest value, and its write is visible to all. */
static uint64_t begin_locked(volatile void *at, size_t size, bool ordered) {
    run_begin_step();
    check(at);
    check_made(at);
    uint64_t before = read_word(at, size);
    if (run.memory == RUN_VIEWS) {
        int number = find_word(at, size);
        see(&views[run.current], number, words[number].count);
        join(ordered ? &views[run.current] : &seen[run.current], &last_of(&words[number])->view);
    } else {
        buffers[run.current].count = 0;
    }
    return before;
}

static void end_locked(volatile void *at, size_t size, uint64_t value, bool ordered) {
    if (run.memory == RUN_VIEWS) {
        view_store(at, size, value, ordered, true);
    } else {
        write_word(at, size, value);
    }
}

uint64_t explore_add(volatile void *at, size_t size, uint64_t value, bool ordered, const char *file, int line) {
    uint64_t before = begin_locked(at, size, ordered);
    end_locked(at, size, before + value, ordered);
    run_note_step("add", at, before + value, file, line);
    return before;
}

uint64_t explore_exchange(volatile void *at, size_t size, uint64_t value, const char *file, int line) {
    uint64_t before = begin_locked(at, size, true);
    end_locked(at, size, value, true);
    run_note_step("exchange", at, value, file, line);
    return before;
}

bool explore_compare_exchange(volatile void *at, size_t size, void *expected, uint64_t value, const char *file,
                              int line) {
    uint64_t before = begin_locked(at, size, true);
    bool equal = before == read_word(expected, size);
    if (equal) {
        end_locked(at, size, value, true);
    } else {
        write_word(expected, size, before);
    }
    run_note_step(equal ? "compare and exchange" : "compare, unequal", at, equal ? value : before, file, line);
    return equal;
}

/* The map that Concurrency Kit has read, without steps, must still be there. */
void explore_look_at(const volatile void *at, const char *file, int line) {
    run_begin_step();
    check(at);
    run_note_step("looked into", at, 0, file, line);
}

void explore_fence(const char *file, int line) {
    run_begin_step();
    memory_fence(run.current);
    run_note_step("fence", NULL, 0, file, line);
}

/* An access to Concurrency Kit's set is one step. It passes on the view of the writer. */
void explore_set(const void *set, bool changes, const char *file, int line) {
    run_begin_step();
    if (run.memory == RUN_VIEWS && changes) join(view_of_lock(set), &views[run.current]);
    if (run.memory == RUN_VIEWS && !changes) join(&views[run.current], view_of_lock(set));
    run_note_step(changes ? "change of a set" : "look-up in a set", set, 0, file, line);
}
