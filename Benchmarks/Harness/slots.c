/* Signals that are objects, and objects whose methods are connected to them. The rows are those of the public
 * comparison of C++ libraries of signals (NoAvailableAlias/signal-slot-benchmarks): what is made, in which order it
 * ends, and what is inside of the time. Only the clock is read less often: at least 64 operations are timed together.
 *     open slots what=construct|destruct|connect|disconnect|reconnect|emit|combined|threaded|live count=N other=0|1 */
#include "harness.h"

#include <unistd.h>

enum { TOGETHER = 64 };

struct slotted {
    const struct slots *slots;
    size_t count, batch; /* slots of a signal; signals that are timed together */
    void *signals[TOGETHER], *objects[TOGETHER];
    double start, time;
    struct second second;
    bool threaded;
};

static void time_begin(struct slotted *it) { it->start = now(); }
static void time_end(struct slotted *it) { it->time += now() - it->start; }

#define EACH(i) for (size_t i = 0; i < it->batch; i++)

static void make_signals(struct slotted *it, size_t count) { EACH(i) it->signals[i] = it->slots->make_signals(count); }
static void end_signals(struct slotted *it, size_t count) { EACH(i) it->slots->end_signals(it->signals[i], count); }
static void make_objects(struct slotted *it) { EACH(i) it->objects[i] = it->slots->make_objects(it->count); }
static void end_objects(struct slotted *it) { EACH(i) it->slots->end_objects(it->objects[i], it->count); }
static void connect(struct slotted *it) { EACH(i) it->slots->connect(it->signals[i], it->objects[i], it->count); }

/* ---- What is timed ----------------------------------------------------------------------------------------------- */

/* As many signals as the square of the number of slots. Nothing is connected to them. */
static void construct(struct slotted *it) {
    time_begin(it);
    make_signals(it, it->count * it->count);
    time_end(it);
    end_signals(it, it->count * it->count);
}

static void destruct(struct slotted *it) {
    make_signals(it, it->count * it->count);
    time_begin(it);
    end_signals(it, it->count * it->count);
    time_end(it);
}

/* To new signals. */
static void time_connect(struct slotted *it) {
    make_signals(it, 1);
    make_objects(it);
    time_begin(it);
    connect(it);
    time_end(it);
    end_objects(it);
    end_signals(it, 1);
}

/* The objects end, the first one first. The signal stays. */
static void disconnect(struct slotted *it) {
    make_signals(it, 1);
    make_objects(it);
    connect(it);
    time_begin(it);
    end_objects(it);
    time_end(it);
    end_signals(it, 1);
}

/* To signals that have had other slots. */
static void reconnect(struct slotted *it) {
    make_objects(it);
    time_begin(it);
    connect(it);
    time_end(it);
    end_objects(it);
}

/* The first emission of each signal. */
static void emit(struct slotted *it) {
    static uint32_t random = 1;
    make_signals(it, 1);
    make_objects(it);
    connect(it);
    time_begin(it);
    EACH(i) it->slots->emit(it->signals[i], &random);
    time_end(it);
    end_objects(it);
    end_signals(it, 1);
}

/* All of it, with the same signal: objects are made, connected, called once, and end. */
static void live_once(struct slotted *it, uint32_t *random) {
    void *objects = it->slots->make_objects(it->count);
    it->slots->connect(it->signals[0], objects, it->count);
    it->slots->emit(it->signals[0], random);
    it->slots->end_objects(objects, it->count);
}

static void combined(struct slotted *it) {
    static uint32_t random = 1;
    time_begin(it);
    EACH(i) live_once(it, &random);
    time_end(it);
}

static void live(struct slotted *it) {
    time_begin(it);
    it->slots->live(TOGETHER);
    time_end(it);
}

/* A program in which nobody else can run would get its memory, and some libraries their locks, for less. */
static void sleep_on(struct second *second) {
    second_ready(second);
    for (;;) pause();
}

/* Threaded: combined, while another thread does the same with the same signal. Emissions call the objects of both. */
static void live_on(struct second *second) {
    struct slotted *it = second->context;
    uint32_t random = 1;
    live_once(it, &random);
    second_ready(second);
    for (;;) live_once(it, &random);
}

/* ---- The row ----------------------------------------------------------------------------------------------------- */

static const struct what {
    const char *name;
    void (*run)(struct slotted *it);
    bool lasting; /* with signals that last as long as the row */
} whats[] = {{"construct", construct, false},   {"destruct", destruct, false},  {"connect", time_connect, false},
             {"disconnect", disconnect, false}, {"reconnect", reconnect, true}, {"emit", emit, false},
             {"combined", combined, true},      {"threaded", combined, true},   {"live", live, false}};

static const struct what *what_of(const struct row *row) {
    char word[32];
    option_word(row, "what", word);
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
        if (strcmp(word, whats[i].name) == 0) return &whats[i];
    return NULL;
}

static double operations(const struct slotted *it, const struct what *what) {
    if (what->run == live) return TOGETHER;
    bool square = what->run == construct || what->run == destruct;
    return (double)it->batch * (double)it->count * (square ? (double)it->count : 1);
}

static void run_slots(struct row *row, long count) {
    const struct what *what = what_of(row);
    struct slotted *it = row->state;
    it->time = 0;
    for (; count; count--) what->run(it);
}

/* Whether each slot is called once, and none after its object has ended. */
static const char *try_slots(struct slotted *it) {
    uint32_t random = 1, expected = 1;
    void *signal = it->slots->make_signals(1), *objects = it->slots->make_objects(it->count);
    it->slots->connect(signal, objects, it->count);
    it->slots->emit(signal, &random);
    it->slots->end_objects(objects, it->count);
    it->slots->emit(signal, &random);
    it->slots->end_signals(signal, 1);
    for (size_t i = 0; i < it->count; i++) draw(&expected);
    return random == expected ? NULL : "its slots are not called, or called after their objects have ended";
}

static const char *open_slots(struct row *row) {
    const struct what *what = what_of(row);
    bool other = option(row, "other", 0);
    if (!what) return "this program has no such row";
    if (!row->peer->slots) return "it has no signals that are objects";
    if (other && !row->peer->other_slots) return "it has no other objects";
    bool threaded = strcmp(what->name, "threaded") == 0;
    if (threaded && !row->peer->thread_safe) return "it is not thread-safe";
    if (threaded && cpu_count() < 2) return "there is one CPU";
    struct slotted *it = calloc(1, sizeof *it);
    REQUIRE(it);
    row->state = it;
    it->slots = other ? row->peer->other_slots : row->peer->slots;
    it->count = (size_t)option(row, "count", 8);
    it->batch = it->count < TOGETHER ? TOGETHER / it->count : 1;
    const char *reason = try_slots(it);
    if (reason) return reason;
    if (what->lasting) make_signals(it, 1);
    it->threaded = threaded;
    second_start(&it->second, row->peer, threaded ? live_on : sleep_on, it);
    calibrate(row, run_slots);
    return NULL;
}

/* A sample takes as long as others do, with what is not timed. */
static size_t sample_slots(struct row *row, double *values) {
    struct slotted *it = row->state;
    size_t count = time_sample(row, run_slots, it->threaded ? &it->second.clock : NULL, values);
    *values = it->time / (double)row->count / operations(it, what_of(row));
    return count;
}

const struct kind slots_kind = {"slots", open_slots, sample_slots};
