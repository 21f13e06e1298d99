/* The floors: what a programmer would write by hand without removal, threads, and names that come and go. Which of
 * several loops, or of several hashes, is the fastest depends on the CPU and on the row. The runner measures all of
 * them, and takes the best as the floor. */
#include "texts.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Every observer gets context and info; with five arguments it gets what Herald's callbacks get. */
typedef void (*callback)(void *observer, const void *info);
typedef void (*wide_callback)(void *center, void *observer, const char *name, const void *object, const void *info);

struct pair {
    union {
        callback call;
        wide_callback wide;
    };
    void *context;
};

struct place {
    struct table *table;
    struct pair *pairs;
    size_t count, room;
    char *name; /* zeros follow it, up to a multiple of eight bytes */
    size_t length;
    const void *object;
    struct place *next; /* in its hash chain */
};

/* A chained hash table that is never rebuilt: it is as large as the largest row needs. */
enum { CHAINS = 1 << 20 };
struct table {
    struct place **chains;
};

static __attribute__((noinline)) void hear(void *observer, const void *info) {
    *(uint64_t *)observer += 1;
    __asm__ volatile("" : : "r"(info));
}

static __attribute__((noinline)) void hear_here(void *observer, const void *info) {
    count_here();
    __asm__ volatile("" : : "r"(observer), "r"(info));
}

static __attribute__((noinline)) void hear_wide(void *center, void *observer, const char *name, const void *object,
                                                const void *info) {
    *(uint64_t *)observer += 1;
    __asm__ volatile("" : : "r"(center), "r"(name), "r"(object), "r"(info));
}

static __attribute__((noinline)) void hear_here_wide(void *center, void *observer, const char *name, const void *object,
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

/* ---- Hashes of a text -------------------------------------------------------------------------------------------- */

static inline uint64_t word_at(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

/* Both halves of the product are used. */
static inline uint64_t fold(uint64_t one, uint64_t other) {
    unsigned __int128 product = (unsigned __int128)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static const uint64_t odd = 0x9e3779b97f4a7c15u;

/* One byte at a time. */
static inline size_t hash_bytes(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return mix(hash);
}

/* Takes the length with the C library, then hashes sixteen bytes at a time; the last sixteen overlap those before. */
static inline size_t hash_counted(const char *text, size_t length) {
    uint64_t hash = length, first = 0, last = 0;
    if (length < 8) {
        for (size_t i = 0; i < length; i++) first = first << 8 | (unsigned char)text[i];
    } else {
        for (; length > 16; text += 16, length -= 16) hash = fold(word_at(text) ^ odd, word_at(text + 8) ^ hash);
        first = word_at(text);
        last = word_at(text + length - 8);
    }
    return mix(fold(first ^ odd, last ^ hash));
}

/* Eight bytes at a time until one of them is zero. It reads to the end of the eight, which lie in a mapped page. */
static inline uint64_t last_word(uint64_t word, uint64_t zeros) { return word & ((zeros & -zeros) - 1) >> 7; }
static inline uint64_t zeros_in(uint64_t word) { return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u; }
static inline uint64_t some_at(const char *text) {
    if (((uintptr_t)text & 4095) <= 4088) return word_at(text);
    uint64_t word = 0;
    for (int i = 0; i < 8 && text[i]; i++) word |= (uint64_t)(unsigned char)text[i] << 8 * i;
    return word;
}
static inline size_t hash_words(const char *text) {
    uint64_t hash = 0, word, zeros;
    for (; !(zeros = zeros_in(word = some_at(text))); text += 8) hash = fold(hash ^ word, odd);
    return mix(fold(hash ^ last_word(word, zeros), odd));
}

static void *make(void *center, const char *name, const void *object, size_t (*hash)(const struct place *place)) {
    struct place *place = calloc(1, sizeof *place);
    REQUIRE(place);
    *place = (struct place){.table = center, .object = object};
    if (name) {
        place->length = strlen(name);
        REQUIRE((place->name = calloc(1, place->length / 8 * 8 + 16)) != NULL);
        memcpy(place->name, name, place->length);
    }
    struct place **chain = &place->table->chains[hash(place)];
    place->next = *chain;
    *chain = place;
    return place;
}

static size_t by_address(const struct place *place) {
    return mix((uintptr_t)place->name ^ ((uintptr_t)place->object << 1));
}
static size_t by_bytes(const struct place *place) { return hash_bytes(place->name); }
static size_t by_count(const struct place *place) { return hash_counted(place->name, place->length); }
static size_t by_words(const struct place *place) { return hash_words(place->name); }

static void *make_place(void *center, const char *name, const void *object) {
    return make(center, name, object, by_address);
}
static void *make_bytes_place(void *center, const char *name, const void *object) {
    return make(center, name, object, by_bytes);
}
static void *make_counted_place(void *center, const char *name, const void *object) {
    return make(center, name, object, by_count);
}
static void *make_words_place(void *center, const char *name, const void *object) {
    return make(center, name, object, by_words);
}

/* It stays in its chain: places live as long as their center. */
static void end_place(void *context) {
    struct place *place = context;
    free(place->pairs);
    place->pairs = NULL;
    place->count = 0;
}

static void *insert(struct place *place, struct pair pair) {
    if (place->count == place->room) {
        place->room = place->room ? place->room * 2 : 1;
        REQUIRE((place->pairs = realloc(place->pairs, place->room * sizeof *place->pairs)) != NULL);
    }
    place->pairs[place->count++] = pair;
    return pair.context;
}
static void *add(void *place, uint64_t *word) {
    return insert(place, (struct pair){.call = word ? hear : hear_here, .context = word});
}
static void *add_wide(void *place, uint64_t *word) {
    return insert(place, (struct pair){.wide = word ? hear_wide : hear_here_wide, .context = word});
}

static void remove_newest(void *context, void *registration) {
    struct place *place = context;
    for (size_t i = place->count; i-- > 0;) {
        if (place->pairs[i].context != registration) continue;
        memmove(place->pairs + i, place->pairs + i + 1, (--place->count - i) * sizeof *place->pairs);
        return;
    }
}

/* ---- Loops of calls ---------------------------------------------------------------------------------------------- */

/* Inlined, and as a function. */
static inline void call_here(const struct place *place, const void *info) {
    const struct pair *pairs = place->pairs;
    for (size_t i = 0, count = place->count; i < count; i++) pairs[i].call(pairs[i].context, info);
    __asm__ volatile("" : : : "memory");
}
static __attribute__((noinline)) void call_each(const struct place *place, const void *info) { call_here(place, info); }

/* Several calls in each turn of the loop. */
#define ONE(i) pair[i].call(pair[i].context, info);
static __attribute__((noinline)) void call_fours(const struct place *place, const void *info) {
    const struct pair *pair = place->pairs, *end = pair + place->count;
    for (; end - pair >= 4; pair += 4) {
        ONE(0) ONE(1) ONE(2) ONE(3)
    }
    for (; pair < end; pair++) ONE(0)
    __asm__ volatile("" : : : "memory");
}
static __attribute__((noinline)) void call_eights(const struct place *place, const void *info) {
    const struct pair *pair = place->pairs, *end = pair + place->count;
    for (; end - pair >= 8; pair += 8) {
        ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7)
    }
    for (; pair < end; pair++) ONE(0)
    __asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void call_wide(const struct place *place, const void *info) {
    const struct pair *pairs = place->pairs;
    for (size_t i = 0, count = place->count; i < count; i++)
        pairs[i].wide(place->table, pairs[i].context, place->name, place->object, info);
    __asm__ volatile("" : : : "memory");
}

static void post(void *place, long count) {
    for (; count; count--) call_each(place, "what happened");
}
static void post_here(void *place, long count) {
    for (; count; count--) call_here(place, "what happened");
}
static void post_fours(void *place, long count) {
    for (; count; count--) call_fours(place, "what happened");
}
static void post_eights(void *place, long count) {
    for (; count; count--) call_eights(place, "what happened");
}
static void post_wide(void *place, long count) {
    for (; count; count--) call_wide(place, "what happened");
}

/* ---- Looked up --------------------------------------------------------------------------------------------------- */

static inline struct place *find(struct table *table, const char *name, const void *object) {
    struct place *place = table->chains[mix((uintptr_t)name ^ ((uintptr_t)object << 1))];
    while (place && (place->name != name || place->object != object)) place = place->next;
    return place;
}

static void post_by_probe(void *context, long count) {
    struct place *place = context;
    for (; count; count--) call_here(find(place->table, place->name, place->object), "what happened");
}

static inline struct place *find_by_bytes(struct table *table, const char *text) {
    struct place *place = table->chains[hash_bytes(text)];
    while (place && strcmp(place->name, text) != 0) place = place->next;
    return place;
}
static inline struct place *find_counted(struct table *table, const char *text) {
    size_t length = strlen(text);
    struct place *place = table->chains[hash_counted(text, length)];
    while (place && (place->length != length || memcmp(place->name, text, length) != 0)) place = place->next;
    return place;
}

static bool is_same(const char *kept, const char *text) {
    for (uint64_t word;; kept += 8, text += 8) {
        uint64_t zeros = zeros_in(word = some_at(text));
        if (zeros) return word_at(kept) == last_word(word, zeros);
        if (word_at(kept) != word) return false;
    }
}
static inline struct place *find_by_words(struct table *table, const char *text) {
    struct place *place = table->chains[hash_words(text)];
    while (place && !is_same(place->name, text)) place = place->next;
    return place;
}

static void post_by_bytes(void *context, long count) {
    struct place *place = context;
    for (; count; count--) call_here(find_by_bytes(place->table, place->name), "what happened");
}
static void post_counted(void *context, long count) {
    struct place *place = context;
    for (; count; count--) call_here(find_counted(place->table, place->name), "what happened");
}
static void post_by_words(void *context, long count) {
    struct place *place = context;
    for (; count; count--) call_here(find_by_words(place->table, place->name), "what happened");
}

/* ---- Changing: the least that any list of observers pays: 24 bytes, a store that publishes them ------------------ */

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
static void *make_empty_center(void) { /* calls its audience without keeping a list */
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    return make_center();
}
static uint64_t *audience[1 << 17]; /* the words of the observers that stay */
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

static struct table *the_table;

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

/* By one thread alone: the cost of the instruction, without cache misses. */
static void add_locked(void *unused, long count) {
    static _Atomic uint64_t word;
    (void)unused;
    for (; count; count--) atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
}
static void fence(void *unused, long count) {
    static _Atomic uint64_t word;
    (void)unused;
    for (; count; count--) {
        atomic_store_explicit(&word, (uint64_t)count, memory_order_relaxed); /* the fence has a store to wait for */
        atomic_thread_fence(memory_order_seq_cst);
    }
}

static const char *know_text(void *text) {
    char name[32];
    make_words_place(the_table = make_center(), text, NULL);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "another.name.%d", i);
        make_words_place(the_table, name, NULL);
    }
    return NULL;
}
static void find_text(void *text, long count) {
    for (; count; count--) REQUIRE(find_by_words(the_table, text) != NULL);
}
static const char *know_counted(void *text) {
    char name[32];
    make_counted_place(the_table = make_center(), text, NULL);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "another.name.%d", i);
        make_counted_place(the_table, name, NULL);
    }
    return NULL;
}
static void find_counted_text(void *text, long count) {
    for (; count; count--) REQUIRE(find_counted(the_table, text) != NULL);
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
    struct peer peers[] = {loop, loop, loop, loop, loop, loop, loop, loop, loop, loop};
    peers[0].rank = 10, peers[0].label = "loop of calls";
    peers[1].name = "floor-here", peers[1].title = "loop of calls, in place", peers[1].post = post_here;
    peers[2].name = "floor-fours", peers[2].title = "loop of calls, four in a turn", peers[2].post = post_fours;
    peers[3].name = "floor-eights", peers[3].title = "loop of calls, eight in a turn", peers[3].post = post_eights;
    peers[4].name = "floor-five", peers[4].title = "loop of calls with Herald's five arguments";
    peers[4].add = add_wide, peers[4].post = post_wide;
    peers[5].name = "floor-probe", peers[5].title = "hash probe and loop of calls", peers[5].post = post_by_probe;
    peers[6].name = "floor-string", peers[6].title = "hash of the string, probe, loop of calls";
    peers[6].make_place = make_counted_place, peers[6].post = post_counted;
    peers[7].name = "floor-words", peers[7].title = "hash of the string in words, probe, loop of calls";
    peers[7].make_place = make_words_place, peers[7].post = post_by_words;
    peers[8].name = "floor-bytes", peers[8].title = "hash of the string by bytes, probe, loop of calls";
    peers[8].make_place = make_bytes_place, peers[8].post = post_by_bytes;
    peers[9].name = "floor-change", peers[9].title = "malloc, a releasing store, free; membarrier";
    peers[9].make_center = make_empty_center, peers[9].add = stay, peers[9].post = call_audience;
    peers[9].remove = give_back, peers[9].remove_observer = give_back_newest, peers[9].remove_and_wait = barrier;
    for (size_t i = 1; i < sizeof peers / sizeof *peers; i++) peers[i].rank = 0, peers[i].label = NULL;
    static const struct task tasks[] = {
        {.name = "spin", .take = spin},
        {.name = "locked", .run = add_locked},
        {.name = "fence", .run = fence},
        {.name = "find-8", .run = find_text, .open = know_text, .context = text_8},
        {.name = "count-8", .run = find_counted_text, .open = know_counted, .context = text_8},
        {.name = "find-16", .run = find_text, .open = know_text, .context = text_16},
        {.name = "count-16", .run = find_counted_text, .open = know_counted, .context = text_16},
        {.name = "find-24", .run = find_text, .open = know_text, .context = text_24},
        {.name = "count-24", .run = find_counted_text, .open = know_counted, .context = text_24},
        {.name = "find-40", .run = find_text, .open = know_text, .context = text_40},
        {.name = "count-40", .run = find_counted_text, .open = know_counted, .context = text_40}};
    return peer_main(count, arguments, peers, sizeof peers / sizeof *peers, tasks, sizeof tasks / sizeof *tasks);
}
