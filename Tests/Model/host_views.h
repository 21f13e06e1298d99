/* Memory that is weaker than sequentially consistent, for a model of the host center: views, as in memory.h.
 *
 * Each place keeps all messages that were ever stored in it. Each thread has a view: for each place the oldest message
 * that it may still read. A load may return any message from there on. A release store puts the thread's view into its
 * message, and an acquire load joins that view to its own. A relaxed store puts in the view of the thread's last
 * release fence. The next acquire fence joins the views that relaxed loads have found.
 *
 * Each distinct history and view is kept once, and a state contains their numbers. So states are small, and equal when
 * these are. A model includes this before its struct state, and defines PLACES and THREADS. */
#ifndef HOST_VIEWS_H
#define HOST_VIEWS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 12 /* of a place */, KEPT = UINT16_MAX, KEPT_BITS = 17 };
enum order { RELAXED, ORDERED /* acquire, release */ };

struct memory {
    uint16_t places[PLACES];                  /* histories */
    uint16_t views[THREADS], fenced[THREADS]; /* views; those of the last release fences */
    uint16_t copied[THREADS];                 /* the views in the messages that relaxed loads have found */
};
struct view {
    uint8_t seen[PLACES];
};
struct history {
    uint16_t views[MESSAGES];
    uint8_t values[MESSAGES], length, unused;
};

struct pool {
    size_t size, count;
    unsigned char *items;
    unsigned *table; /* numbers + 1, by hashes */
};
static struct pool all_views = {.size = sizeof(struct view)}, all_histories = {.size = sizeof(struct history)};

static uint16_t keep(struct pool *pool, const void *item) {
    uint64_t hash = 1;
    if (!pool->items) pool->items = malloc(pool->size * KEPT);
    if (!pool->table) pool->table = calloc((size_t)1 << KEPT_BITS, sizeof *pool->table);
    if (!pool->items || !pool->table) exit(EXIT_FAILURE);
    for (size_t i = 0; i < pool->size; i++) hash = (hash ^ ((const unsigned char *)item)[i]) * 0x100000001b3u;
    size_t at = hash * 0x9e3779b97f4a7c15u >> (64 - KEPT_BITS);
    for (; pool->table[at]; at = (at + 1) % ((size_t)1 << KEPT_BITS))
        if (memcmp(pool->items + (pool->table[at] - 1) * pool->size, item, pool->size) == 0)
            return (uint16_t)(pool->table[at] - 1);
    if (pool->count == KEPT) {
        printf("too many views\n");
        exit(EXIT_FAILURE);
    }
    memcpy(pool->items + pool->count * pool->size, item, pool->size);
    pool->table[at] = (unsigned)++pool->count;
    return (uint16_t)(pool->count - 1);
}

static struct view view_of(uint16_t number) {
    struct view view;
    memcpy(&view, all_views.items + number * sizeof view, sizeof view);
    return view;
}
static struct history history_of(const struct memory *memory, int place) {
    struct history history;
    memcpy(&history, all_histories.items + memory->places[place] * sizeof history, sizeof history);
    return history;
}

/* View 0 has seen nothing. */
static void begin_memory(struct memory *memory, const uint8_t values[PLACES]) {
    struct view view = {{0}};
    struct history history = {.length = 1};
    memset(memory, 0, sizeof *memory);
    keep(&all_views, &view);
    for (int place = 0; place < PLACES; place++) {
        history.values[0] = values[place];
        memory->places[place] = keep(&all_histories, &history);
    }
}

static int newest(const struct memory *memory, int place) {
    struct history history = history_of(memory, place);
    return history.values[history.length - 1];
}
static bool sees_newest(const struct memory *memory, int thread, int place) {
    return view_of(memory->views[thread]).seen[place] + 1 == history_of(memory, place).length;
}

static void join(uint16_t *into, uint16_t from) {
    struct view view = view_of(*into), other = view_of(from);
    for (int i = 0; i < PLACES; i++)
        if (view.seen[i] < other.seen[i]) view.seen[i] = other.seen[i];
    *into = keep(&all_views, &view);
}

static void see(uint16_t *number, int place, int message) {
    struct view view = view_of(*number);
    view.seen[place] = (uint8_t)message;
    *number = keep(&all_views, &view);
}

static void see_all(struct memory *memory, int thread) {
    for (int place = 0; place < PLACES; place++)
        see(&memory->views[thread], place, history_of(memory, place).length - 1);
}

static void store(struct memory *memory, int thread, int place, int value, enum order order) {
    struct history history = history_of(memory, place);
    assert(history.length < MESSAGES);
    see(&memory->views[thread], place, history.length);
    history.values[history.length] = (uint8_t)value;
    history.views[history.length++] = order == ORDERED ? memory->views[thread] : memory->fenced[thread];
    memory->places[place] = keep(&all_histories, &history);
}

/* The message that is `choice` behind the oldest that the thread may read. Returns false if there is no such
 * message. */
static bool load(struct memory *memory, int thread, int place, enum order order, int choice, uint8_t *value) {
    struct history history = history_of(memory, place);
    int message = view_of(memory->views[thread]).seen[place] + choice;
    if (message >= history.length) return false;
    see(&memory->views[thread], place, message);
    join(order == ORDERED ? &memory->views[thread] : &memory->copied[thread], history.views[message]);
    *value = history.values[message];
    return true;
}

static void fence_release(struct memory *memory, int thread) { memory->fenced[thread] = memory->views[thread]; }
static void fence_acquire(struct memory *memory, int thread) { join(&memory->views[thread], memory->copied[thread]); }

#endif
