/* The memory that the modelled threads share, in two versions. Before the include, enums define its size: THREADS;
 * POSTERS, the first of them, whose uses count; LOCATIONS; BUFFER, the most stores that wait in one thread's buffer;
 * and HISTORY, the most messages of one location. An overflow is an error, not an approximation.
 *
 * x86-TSO. One value per location, and per thread a buffer of stores that have not reached memory yet. A load finds its
 * thread's own newest buffered store, or else memory. At any moment the oldest store of any thread may drain. Fences,
 * locks and exchanges drain all of the thread's own stores. Acquire and release mean nothing: the order is kept anyway.
 *
 * Views: arm-like, after the "promising" semantics of C11, without promises. Each location has a history of messages,
 * and each thread a view: for each location the oldest message that it may still read. A load may take any message from
 * there on, however stale, and moves the view up to it. A release store puts the thread's view into its message; an
 * acquire load joins that view to its own. A full fence joins the thread's view with one that all fences share, both
 * ways; a lock hands a view from holder to holder. An exchange takes the newest message, acquires and releases, and is
 * no fence. The model is weaker than C11 where that was simpler: a fence does not make acquire and release of the
 * relaxed accesses around it, and addresses order nothing.
 *
 * Loads happen in order here, so a read that hardware may delay until its object has been freed would go unnoticed.
 * Therefore views also have a bit for each thread and thing: "knows of that thread's last use". A thread that ends a
 * thing without knowing of all uses has a data race.
 *
 * The judge may put marks on a thread's stores, and ask whether another thread can miss a store with a mark. */
#ifndef MEMORY_H
#define MEMORY_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum memory_model { X86_TSO, VIEWS, MODELS };
enum order { RELAXED, ACQUIRE, RELEASE };
static enum memory_model model;

/* Bytes only, here and in all states: without padding, equal states have equal bytes. */
struct tso {
    uint8_t value[LOCATIONS];
    struct store_buffer {
        uint8_t length, where[BUFFER], value[BUFFER], marks[BUFFER];
    } buffer[THREADS]; /* oldest first */
};

struct view {
    uint8_t seen[LOCATIONS]; /* the index in the history of the oldest message that may be read */
    uint8_t uses[POSTERS];   /* things, a bit each */
};

struct views {
    struct view of[THREADS], fences, lock;
    uint8_t length[LOCATIONS];
    struct message {
        uint8_t value, author, marks;
        struct view view;
    } history[LOCATIONS][HISTORY];
};

struct memory {
    union {
        struct tso tso;
        struct views views;
    };
};

/* A load may have several outcomes. The explorer sets which one to take, and learns how many there are. */
struct choice {
    int taken, count;
};

/* ---- x86-TSO ---------------------------------------------------------------------------------------------------- */

/* The oldest store of a thread reaches memory. Returns false when its buffer is empty. */
static bool tso_drain_one(struct tso *tso, int thread) {
    struct store_buffer *buffer = &tso->buffer[thread];
    if (!buffer->length) return false;
    tso->value[buffer->where[0]] = buffer->value[0];
    buffer->length--;
    memmove(buffer->where, buffer->where + 1, BUFFER - 1);
    memmove(buffer->value, buffer->value + 1, BUFFER - 1);
    memmove(buffer->marks, buffer->marks + 1, BUFFER - 1);
    buffer->where[BUFFER - 1] = buffer->value[BUFFER - 1] = buffer->marks[BUFFER - 1] = 0;
    return true;
}

static void tso_drain(struct tso *tso, int thread) {
    while (tso_drain_one(tso, thread)) continue;
}

static void tso_store(struct tso *tso, int thread, int where, int value) {
    struct store_buffer *buffer = &tso->buffer[thread];
    assert(buffer->length < BUFFER);
    buffer->where[buffer->length] = (uint8_t)where;
    buffer->value[buffer->length++] = (uint8_t)value;
}

static int tso_load(const struct tso *tso, int thread, int where) {
    const struct store_buffer *buffer = &tso->buffer[thread];
    for (int i = buffer->length; i-- > 0;)
        if (buffer->where[i] == where) return buffer->value[i];
    return tso->value[where];
}

/* ---- Views ------------------------------------------------------------------------------------------------------ */

static void view_join(struct view *into, const struct view *from) {
    for (int i = 0; i < LOCATIONS; i++)
        if (into->seen[i] < from->seen[i]) into->seen[i] = from->seen[i];
    for (int i = 0; i < POSTERS; i++) into->uses[i] |= from->uses[i];
}

/* A relaxed store passes on the view of an earlier release by the same thread to the same location (C11's release
 * sequence). */
static void views_store(struct views *views, int thread, int where, int value, enum order order) {
    assert(views->length[where] < HISTORY);
    uint8_t place = views->length[where]++;
    struct message *message = &views->history[where][place], *before = message - 1;
    views->of[thread].seen[where] = place;
    message->value = (uint8_t)value;
    message->author = (uint8_t)thread;
    message->marks = 0;
    if (order == RELEASE)
        message->view = views->of[thread];
    else if (before->author == thread)
        message->view = before->view;
    else
        message->view = (struct view){{0}, {0}};
}

static int views_load(struct views *views, int thread, int where, enum order order, struct choice *choice) {
    struct view *view = &views->of[thread];
    int outcomes = views->length[where] - view->seen[where];
    if (outcomes > 1) {
        assert(choice->count == 1); /* no more than one such load in a step */
        choice->count = outcomes;
        view->seen[where] += (uint8_t)choice->taken;
    }
    const struct message *message = &views->history[where][view->seen[where]];
    if (order == ACQUIRE) view_join(view, &message->view);
    return message->value;
}

static void views_fence(struct views *views, int thread) {
    view_join(&views->of[thread], &views->fences);
    views->fences = views->of[thread];
}

/* Calls `change` for every view. */
static void views_each(struct views *views, void (*change)(struct view *, int, int), int a, int b) {
    for (int i = 0; i < THREADS; i++) change(&views->of[i], a, b);
    change(&views->fences, a, b);
    change(&views->lock, a, b);
    for (int where = 0; where < LOCATIONS; where++)
        for (int i = 0; i < views->length[where]; i++) change(&views->history[where][i].view, a, b);
}

static void forget_use(struct view *view, int thread, int thing) { view->uses[thread] &= (uint8_t) ~(1 << thing); }

static void shift_down(struct view *view, int where, int by) {
    view->seen[where] = (uint8_t)(view->seen[where] > by ? view->seen[where] - by : 0);
}

/* Forgets the messages that none of the readers, a set of threads, may read any more. This keeps histories short, and
 * makes states equal that differ in nothing else. */
static void views_prune(struct views *views, int readers) {
    for (int where = 0; where < LOCATIONS; where++) {
        int oldest = views->length[where] - 1;
        for (int i = 0; i < THREADS; i++)
            if (readers & 1 << i && views->of[i].seen[where] < oldest) oldest = views->of[i].seen[where];
        if (oldest == 0) continue;
        views->length[where] -= (uint8_t)oldest;
        memmove(views->history[where], views->history[where] + oldest, views->length[where] * sizeof(struct message));
        views_each(views, shift_down, where, oldest);
    }
}

/* ---- Either ------------------------------------------------------------------------------------------------------ */

static void memory_begin(struct memory *memory, const uint8_t value[LOCATIONS]) {
    memset(memory, 0, sizeof *memory);
    if (model == X86_TSO) {
        memcpy(memory->tso.value, value, LOCATIONS);
        return;
    }
    for (int where = 0; where < LOCATIONS; where++) {
        memory->views.length[where] = 1;
        memory->views.history[where][0].value = value[where];
    }
    for (int i = 0; i < THREADS; i++) memset(memory->views.of[i].uses, 0xff, POSTERS); /* there was no use yet */
}

static void memory_store(struct memory *memory, int thread, int where, int value, enum order order) {
    if (model == X86_TSO)
        tso_store(&memory->tso, thread, where, value);
    else
        views_store(&memory->views, thread, where, value, order);
}

static int memory_load(struct memory *memory, int thread, int where, enum order order, struct choice *choice) {
    if (model == X86_TSO) return tso_load(&memory->tso, thread, where);
    return views_load(&memory->views, thread, where, order, choice);
}

static void memory_fence(struct memory *memory, int thread) {
    if (model == X86_TSO)
        tso_drain(&memory->tso, thread);
    else
        views_fence(&memory->views, thread);
}

/* The two halves of an exchange, in one step: the value that it finds, and the value that it leaves if it goes on. */
static inline int memory_newest(struct memory *memory, int thread, int where) {
    if (model == VIEWS) return memory->views.history[where][memory->views.length[where] - 1].value;
    tso_drain(&memory->tso, thread);
    return memory->tso.value[where];
}

static inline void memory_exchange(struct memory *memory, int thread, int where, int value) {
    if (model == X86_TSO) {
        memory->tso.value[where] = (uint8_t)value;
        return;
    }
    struct views *views = &memory->views;
    view_join(&views->of[thread], &views->history[where][views->length[where] - 1].view);
    views_store(views, thread, where, value, RELEASE);
}

/* A mutex: atomic instructions under TSO, but no full fence under views. */
static void memory_lock(struct memory *memory, int thread) {
    if (model == X86_TSO)
        tso_drain(&memory->tso, thread);
    else
        view_join(&memory->views.of[thread], &memory->views.lock);
}

static void memory_unlock(struct memory *memory, int thread) {
    if (model == X86_TSO)
        tso_drain(&memory->tso, thread);
    else
        memory->views.lock = memory->views.of[thread];
}

/* No other thread knows of this use before they synchronise. */
static void memory_use(struct memory *memory, int thread, int thing) {
    if (model == X86_TSO) return;
    views_each(&memory->views, forget_use, thread, thing);
    memory->views.of[thread].uses[thread] |= (uint8_t)(1 << thing);
}

/* Whether all uses of a thing so far are ordered before what the thread does next. */
static bool memory_knows_uses(const struct memory *memory, int thread, int thing) {
    for (int i = 0; i < POSTERS && model == VIEWS; i++)
        if (!(memory->views.of[thread].uses[i] & 1 << thing)) return false;
    return true;
}

/* Puts marks on the thread's stores in a location that only it writes. */
static inline void memory_mark(struct memory *memory, int thread, int where, int marks) {
    if (model == X86_TSO) {
        struct store_buffer *buffer = &memory->tso.buffer[thread];
        for (int i = 0; i < buffer->length; i++)
            if (buffer->where[i] == where) buffer->marks[i] |= (uint8_t)marks;
    } else {
        memory->views.history[where][memory->views.length[where] - 1].marks |= (uint8_t)marks;
    }
}

static inline void memory_unmark(struct memory *memory, int marks) {
    if (model == X86_TSO) {
        for (int i = 0; i < THREADS * BUFFER; i++) memory->tso.buffer[i / BUFFER].marks[i % BUFFER] &= (uint8_t)~marks;
        return;
    }
    for (int where = 0; where < LOCATIONS; where++)
        for (int i = 0; i < memory->views.length[where]; i++) memory->views.history[where][i].marks &= (uint8_t)~marks;
}

/* Whether some store has a mark, and the thread may still read the value from before that store. */
static inline bool memory_misses(const struct memory *memory, int thread, int marks) {
    for (int i = 0; i < THREADS * BUFFER && model == X86_TSO; i++)
        if (i / BUFFER != thread && memory->tso.buffer[i / BUFFER].marks[i % BUFFER] & marks) return true;
    for (int where = 0; where < LOCATIONS && model == VIEWS; where++)
        for (int i = memory->views.of[thread].seen[where] + 1; i < memory->views.length[where]; i++)
            if (memory->views.history[where][i].marks & marks) return true;
    return false;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t done = 0; done < size; done += 8) {
        uint64_t word = 0;
        memcpy(&word, at + done, size - done < 8 ? size - done : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t memory_hash(const struct memory *memory) {
    if (model == X86_TSO) return hash_bytes(1, &memory->tso, sizeof memory->tso);
    uint64_t hash = hash_bytes(1, &memory->views, offsetof(struct views, history));
    for (int where = 0; where < LOCATIONS; where++)
        hash = hash_bytes(hash, memory->views.history[where], memory->views.length[where] * sizeof(struct message));
    return hash;
}

#endif
