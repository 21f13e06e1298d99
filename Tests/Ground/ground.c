/* The headers that the libraries share: the table, compared with a list of the same elements, under good and bad hashes
 * and while threads read it; lists; threads; times. */
#include "ground_list.h"
#include "ground_table.h"
#include "ground_thread.h"
#include "ground_time.h"
#include "ground_utf8.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>

static int passed, failed;

static void check(bool right, const char *what) {
    if (!right) printf("FAILED %s\n", what);
    *(right ? &passed : &failed) += 1;
}

static uint64_t state = 1;

static uint32_t random_below(uint32_t bound) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((state >> 33) % bound);
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

enum { ELEMENTS = 2000, STEPS = 200000 };

struct element {
    uint32_t number;
    bool is_in;
};

static struct element elements[ELEMENTS];

static uint64_t hash_well(const void *element) { return ground_mix(((const struct element *)element)->number); }
static uint64_t hash_alike(const void *element) { return (void)element, UINT32_MAX; } /* all begin at the last place */
static uint64_t hash_badly(const void *element) { return UINT32_MAX - ((const struct element *)element)->number % 3; }

static bool has_number(const void *element, const void *number) {
    return ((const struct element *)element)->number == *(const uint32_t *)number;
}

static struct element *get(const struct ground_table *table, uint32_t number) {
    const struct element key = {number, false};
    return ground_table_get(table, table->hash(&key), has_number, &number);
}

/* Whether the table has exactly the elements whose `is_in` is true. */
static bool is_right(const struct ground_table *table, uint32_t among) {
    uint32_t found = 0, in = 0, at = 0;
    for (struct element *element; (element = ground_table_next(table, &at)); found++)
        if (!element->is_in) return false;
    for (uint32_t i = 0; i < among; i++) {
        in += elements[i].is_in;
        if (get(table, i) != (elements[i].is_in ? &elements[i] : NULL)) return false;
    }
    return found == in && table->count == in;
}

static void change_at_random(uint64_t (*hash)(const void *), uint32_t among, int steps, const char *what) {
    struct ground_table table = {.hash = hash};
    uint32_t most = 0, turn = 0;
    bool right = is_right(&table, 0);
    for (int step = 0; step < steps && right; step++) {
        struct element *element = &elements[random_below(step / 1000 % 2 ? among : among / 10 + 1)];
        if (!element->is_in) {
            right = ground_table_reserve(&table);
            if (random_below(8) == 0) {
                ground_table_unreserve(&table);
                continue;
            }
            ground_table_insert(&table, element);
        } else {
            ground_table_remove(&table, ground_table_place(&table, element));
        }
        element->is_in = !element->is_in;
        if (table.count > most) most = table.count;
        struct element *met = ground_table_turn(&table, &turn);
        right = right && (!met || met->is_in) && get(&table, element->number) == (element->is_in ? element : NULL);
        right = right && table.count * 4 <= ground_table_capacity(&table) * 3 && !table.reserved;
        if (step % 997 == 0) right = right && is_right(&table, among);
    }
    check(right && is_right(&table, among), what);
    for (uint32_t i = 0; i < among; i++)
        if (elements[i].is_in) ground_table_remove(&table, ground_table_place(&table, &elements[i]));
    check(!table.count && ground_table_capacity(&table) <= 2 * GROUND_TABLE_FIRST, "an empty table is small again");
    for (uint32_t i = 0; i < among; i++) elements[i].is_in = false;
    ground_table_clear(&table);
    check(!ground_table_capacity(&table) && !ground_table_turn(&table, &turn), "a cleared table has no places");
}

static void try_table(void) {
    for (uint32_t i = 0; i < ELEMENTS; i++) elements[i].number = i;
    change_at_random(hash_well, ELEMENTS, STEPS, "a table has what was inserted and not removed");
    change_at_random(hash_badly, 200, STEPS / 4, "also when elements crowd at the end and go on at the beginning");
    change_at_random(hash_alike, 50, STEPS / 4, "also when all have the same hash");
    struct ground_table full = {.hash = hash_well, .count = UINT32_MAX / 2};
    check(!ground_table_reserve(&full) && !full.reserved, "a table that cannot grow says so");
    check(!ground_table_add(&full, malloc(sizeof(struct element))), "and adds nothing");
}

static void try_elements_from_the_heap(void) {
    size_t memory = mallinfo2().uordblks;
    struct ground_table table = {.hash = hash_well};
    bool right = !ground_table_add(&table, NULL) && !table.count;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        struct element *element = malloc(sizeof *element);
        if (element) *element = (struct element){i, true};
        right = right && ground_table_add(&table, element) == element && element && get(&table, i) == element;
    }
    check(right && table.count == ELEMENTS && !table.reserved, "an added element is in the table");
    ground_table_destroy(&table);
    check(!table.count && !ground_table_capacity(&table) && !get(&table, 1), "a destroyed table is empty");
    check(mallinfo2().uordblks < memory + ELEMENTS * sizeof(struct element), "and its elements are freed");
}

/* Readers look for elements that were inserted before. They find each of them, however often the table grows. */
static struct ground_table shared = {.is_read_without_lock = true, .hash = hash_well};
static uint32_t inserted, missed;

static void *read_shared(void *unused) {
    uint32_t known = 0, number = 0;
    while (known < ELEMENTS) {
        known = __atomic_load_n(&inserted, __ATOMIC_ACQUIRE);
        for (uint32_t i = 0; i < 64 && known; i++, number = (number + 7) % known)
            if (number < known && get(&shared, number) != &elements[number])
                __atomic_add_fetch(&missed, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

static void try_readers(void) {
    pthread_t readers[2];
    for (int i = 0; i < 2; i++) check(ground_thread_start(&readers[i], 0, read_shared, NULL) == 0, "a thread starts");
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        check(ground_table_reserve(&shared), "there is room");
        ground_table_insert(&shared, &elements[i]);
        __atomic_store_n(&inserted, i + 1, __ATOMIC_RELEASE);
    }
    for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    check(!missed, "readers without a lock find all that was inserted before");
    size_t old = 0;
    for (const struct ground_places *places = shared.places->older; places; places = places->older)
        old += places->capacity;
    check(old < 2 * (size_t)shared.places->capacity, "the old places together are smaller than twice the newest");
}

/* ---- Lists, threads, times --------------------------------------------------------------------------------------- */

struct item {
    struct item *next, **link;
};

static void try_lists(void) {
    struct item a, b, c, *first = NULL;
    GROUND_LIST_PUSH(first, &a);
    GROUND_LIST_PUSH(first, &b);
    GROUND_LIST_PUSH(first, &c);
    check(first == &c && c.next == &b && b.next == &a && !a.next, "the newest is the first");
    GROUND_LIST_REMOVE(&b);
    check(first == &c && c.next == &a && !a.next, "one in the middle is removed");
    GROUND_LIST_REMOVE(&c);
    check(first == &a, "the first is removed");
    GROUND_LIST_REMOVE(&a);
    check(!first, "the last is removed");
}

struct seen {
    sigset_t blocked;
    size_t stack;
};

static void *look(void *context) {
    struct seen *seen = context;
    pthread_attr_t attributes;
    pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &seen->stack);
    pthread_attr_destroy(&attributes);
    return NULL;
}

static void try_threads(void) {
    struct seen seen;
    sigset_t before, after;
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    check(ground_thread_start(&thread, 32 << 20, look, &seen) == 0, "a thread starts");
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    check(sigismember(&seen.blocked, SIGTERM) == 1 && sigismember(&seen.blocked, SIGCHLD) == 1, "signals are blocked");
    check(sigismember(&seen.blocked, SIGSEGV) == 0 && sigismember(&seen.blocked, SIGBUS) == 0, "faults are not");
    check(sigismember(&before, SIGTERM) == sigismember(&after, SIGTERM), "the maker's mask is as before");
    check(seen.stack >= 32 << 20, "the stack is as large as was asked for");
}

static void try_times(void) {
    uint64_t now = ground_now();
    check(ground_deadline(0) - now < GROUND_SECOND * 1000 && ground_deadline(-1) >= now, "no time: now");
    check(ground_deadline(NAN) >= now && ground_deadline(INFINITY) > now, "what is no number is no time");
    const uint64_t century = 3155760000 * GROUND_SECOND;
    check(ground_deadline(3e9) - now >= 3000000000 * GROUND_SECOND, "a limit below a hundred years holds");
    check(ground_deadline(1e300) - now >= century && ground_deadline(INFINITY) - now < 2 * century, "a hundred years");
    struct timespec time = ground_timespec(3 * GROUND_SECOND + 5);
    check(time.tv_sec == 3 && time.tv_nsec == 5, "seconds and nanoseconds");
}

/* Compared with an encoder: of all numbers, what it makes is a character, and cut short it is none. */
static void try_utf8(void) {
    bool right = true;
    for (uint32_t number = 0; number < 0x120000 && right; number++) {
        unsigned char text[5] = {0};
        int length = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
        for (int i = length - 1; i > 0; i--) text[i] = 0x80 | (number >> 6 * (length - 1 - i) & 0x3f);
        static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
        text[0] = (unsigned char)(first[length] | number >> 6 * (length - 1));
        bool is_valid = number < 0x110000 && !(number >= 0xd800 && number < 0xe000);
        right = ground_utf8_length(text) == (is_valid ? length : 0);
        text[length - 1] = 0;
        if (length > 1) right = right && !ground_utf8_length(text);
    }
    check(right, "each number has one form");
    static const char *const none[] = {"\x80",
                                       "\xbf",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xe0\x80\x80",
                                       "\xe0\x9f\xbf",
                                       "\xf0\x80\x80\x80",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf5\x80\x80\x80",
                                       "\xff",
                                       "\xc3("};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        check(!ground_utf8_length((const unsigned char *)none[i]), "overlong forms and lone bytes are none");
    static const char text[] = "a\xc3\xa9\xe2\x82\xac"
                               "b"; /* characters of one, two, three and one bytes */
    static const size_t cut[] = {0, 1, 1, 3, 3, 3, 6, 7, 7};
    for (size_t limit = 0; limit < sizeof cut / sizeof *cut; limit++)
        check(ground_utf8_cut(text, limit) == cut[limit], "no character is cut in two");
}

int main(void) {
    try_table();
    try_elements_from_the_heap();
    try_readers();
    try_lists();
    try_threads();
    try_times();
    try_utf8();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
