/* The floors: what somebody would write by hand who needs neither removal nor threads nor names that come and go. */
#include <peer.h>

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef void (*callback)(void *center, void *observer, const char *name, const void *object, const void *info);

struct pair {
    callback call;
    void *context;
};

struct place {
    struct table *table;
    struct pair *pairs;
    size_t count, room;
    const char *name;
    const void *object;
    struct place *next; /* in its chain */
};

/* Chains, as long as one is not rebuilt: the table is made as large as the largest row needs. */
enum { CHAINS = 1 << 20 };
struct table {
    struct place **chains;
};

static __attribute__((noinline)) void hear(void *center, void *observer, const char *name, const void *object,
                                           const void *info) {
    *(uint64_t *)observer += 1;
    __asm__ volatile("" : : "r"(center), "r"(name), "r"(object), "r"(info));
}

static __attribute__((noinline)) void hear_here(void *center, void *observer, const char *name, const void *object,
                                                const void *info) {
    count_here();
    __asm__ volatile("" : : "r"(center), "r"(observer), "r"(name), "r"(object), "r"(info));
}

static void *make_center(void) {
    struct table *table = calloc(1, sizeof *table);
    REQUIRE(table && (table->chains = calloc(CHAINS, sizeof *table->chains)) != NULL);
    return table;
}

static void end_center(void *center) {
    free(((struct table *)center)->chains);
    free(center);
}

static inline size_t mix(uint64_t value) {
    value *= 0x9e3779b97f4a7c15u;
    return (size_t)(value >> 44) % CHAINS;
}

static inline size_t hash_text(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return mix(hash);
}

static void *make(void *center, const char *name, const void *object, size_t (*hash)(const struct place *place)) {
    struct place *place = calloc(1, sizeof *place);
    REQUIRE(place);
    *place = (struct place){.table = center, .name = name ? strdup(name) : NULL, .object = object};
    struct place **chain = &place->table->chains[hash(place)];
    place->next = *chain;
    *chain = place;
    return place;
}

static size_t by_address(const struct place *place) {
    return mix((uintptr_t)place->name ^ ((uintptr_t)place->object << 1));
}
static size_t by_text(const struct place *place) { return hash_text(place->name ? place->name : ""); }

static void *make_place(void *center, const char *name, const void *object) {
    return make(center, name, object, by_address);
}
static void *make_text_place(void *center, const char *name, const void *object) {
    return make(center, name, object, by_text);
}

/* It stays in its chain: places end with their center. */
static void end_place(void *context) {
    struct place *place = context;
    free(place->pairs);
    place->pairs = NULL;
    place->count = 0;
}

static void *add(void *context, uint64_t *word) {
    struct place *place = context;
    if (place->count == place->room) {
        place->room = place->room ? place->room * 2 : 1;
        REQUIRE((place->pairs = realloc(place->pairs, place->room * sizeof *place->pairs)) != NULL);
    }
    place->pairs[place->count++] = (struct pair){word ? hear : hear_here, word};
    return word;
}

static void remove_newest(void *context, void *registration) {
    struct place *place = context;
    for (size_t i = place->count; i-- > 0;) {
        if (place->pairs[i].context != registration) continue;
        memmove(place->pairs + i, place->pairs + i + 1, (--place->count - i) * sizeof *place->pairs);
        return;
    }
}

static __attribute__((noinline)) void call_each(const struct place *place, const void *info) {
    const struct pair *pairs = place->pairs;
    for (size_t i = 0, count = place->count; i < count; i++)
        pairs[i].call(place->table, pairs[i].context, place->name, place->object, info);
    __asm__ volatile("" : : : "memory");
}

static void post(void *place, long count) {
    for (; count; count--) call_each(place, "what happened");
}

static __attribute__((noinline)) struct place *find(struct table *table, const char *name, const void *object) {
    struct place *place = table->chains[mix((uintptr_t)name ^ ((uintptr_t)object << 1))];
    while (place && (place->name != name || place->object != object)) place = place->next;
    return place;
}

static void post_by_probe(void *context, long count) {
    struct place *place = context;
    for (; count; count--) call_each(find(place->table, place->name, place->object), "what happened");
}

static __attribute__((noinline)) struct place *find_text(struct table *table, const char *text) {
    struct place *place = table->chains[hash_text(text)];
    while (place && strcmp(place->name, text) != 0) place = place->next;
    return place;
}

static void post_by_text(void *context, long count) {
    struct place *place = context;
    for (; count; count--) call_each(find_text(place->table, place->name), "what happened");
}

/* ---- Changing: what any list of observers pays: 24 bytes of memory, a store that publishes them -------------------
 */

static _Atomic(void *) published;

static void *allocate(void *place, uint64_t *word) {
    (void)place;
    if (word == NULL) return NULL;
    void *memory = malloc(24);
    atomic_store_explicit(&published, memory, memory_order_release);
    return memory;
}
static void give_back(void *place, void *registration) {
    (void)place;
    free(registration);
}
static void give_back_newest(void *place, uint64_t *word) {
    (void)place, (void)word;
    free(atomic_load_explicit(&published, memory_order_relaxed));
}
static void barrier(void *place, void *registration) {
    (void)place;
    REQUIRE(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
    free(registration);
}
static void *make_empty_center(void) { /* calls its audience without having one */
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    return make_center();
}
static uint64_t *audience[1 << 17]; /* the words of those who stay */
static size_t staying;
static void *stay(void *place, uint64_t *word) {
    if (staying < sizeof audience / sizeof *audience) audience[staying++] = word;
    return allocate(place, word);
}
static void call_audience(void *place, long count) {
    (void)place;
    for (; count; count--)
        for (size_t i = 0; i < staying; i++) *audience[i] += 1;
    staying = 0;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

static size_t spin(void *context, double *values, size_t most) {
    (void)context;
    size_t count = most < 100 ? most : 100;
    for (size_t i = 0; i < count; i++) {
        double start = now(), end = start + 10000, time;
        while ((time = now()) < end) {
        }
        values[i] = time - start;
    }
    return count;
}

int main(int count, char **arguments) {
    static const struct peer loop = {.name = "floor-loop",
                                     .title = "loop of calls",
                                     .role = "floor",
                                     .thread_safe = true,
                                     .objects = true,
                                     .make_center = make_center,
                                     .end_center = end_center,
                                     .make_place = make_place,
                                     .end_place = end_place,
                                     .add = add,
                                     .remove = remove_newest,
                                     .post = post};
    struct peer peers[] = {loop, loop, loop, loop};
    peers[0].rank = 10, peers[0].label = "loop of calls";
    peers[1].name = "floor-probe", peers[1].title = "hash probe and loop of calls", peers[1].post = post_by_probe;
    peers[2].name = "floor-string", peers[2].title = "hash of the string, probe, loop of calls";
    peers[2].make_place = make_text_place, peers[2].post = post_by_text;
    peers[3].name = "floor-change", peers[3].title = "malloc, a releasing store, free; membarrier";
    peers[3].make_center = make_empty_center, peers[3].add = stay, peers[3].post = call_audience;
    peers[3].remove = give_back, peers[3].remove_observer = give_back_newest, peers[3].remove_and_wait = barrier;
    static const struct task tasks[] = {{.name = "spin", .take = spin}};
    return peer_main(count, arguments, peers, 4, tasks, 1);
}
