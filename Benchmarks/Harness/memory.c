/* Memory: of observers, names and centers, of posts, of threads that come and go. Allocations are counted by replacing
 * malloc in the whole program (glibc only). Memory that is mapped without malloc is counted as well. */
#include "harness.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- The counter ------------------------------------------------------------------------------------------------- */

/* glibc's own names of the functions that are replaced. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static __thread uint64_t allocations; /* of this thread; a count shared by all would cost a contended cache line */

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12; /* ENOMEM */
}

uint64_t allocations_here(void) { return allocations; }

static size_t mapped; /* atomic; without the C library's own mappings and threads' stacks */

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    void *memory = (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
    if (memory != MAP_FAILED && flags & MAP_ANONYMOUS) __atomic_fetch_add(&mapped, size, __ATOMIC_RELAXED);
    return memory;
}

int munmap(void *memory, size_t size) {
    __atomic_fetch_sub(&mapped, size, __ATOMIC_RELAXED);
    return (int)syscall(SYS_munmap, memory, size);
}

/* Memory in use. Mapped pages count as a whole, though perhaps not all of them are in use. */
size_t heap_size(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd + __atomic_load_n(&mapped, __ATOMIC_RELAXED);
}

/* ---- Bytes: open bytes of=observer|name|center count=N ----------------------------------------------------------- */

/* Memory in use when retired memory has been freed. */
static size_t settled_size(const struct peer *peer) {
    if (peer->settle) peer->settle();
    return heap_size();
}

static double of_observers(const struct peer *peer, size_t count, uint64_t *words, void **made) {
    void *center = peer->make_center(), *place = peer->make_place(center, "crowded", NULL);
    drop(peer, place, peer->add(place, words));
    size_t before = settled_size(peer);
    for (size_t i = 0; i < count; i++) made[i] = peer->add(place, &words[i]);
    double bytes = (double)(settled_size(peer) - before) / (double)count;
    for (size_t i = count; i-- > 0;) drop(peer, place, made[i]);
    peer->end_place(place);
    peer->end_center(center);
    return bytes;
}

static double of_names(const struct peer *peer, size_t count, uint64_t *words, void **made) {
    void *center = peer->make_center();
    void **places = calloc(count, sizeof *places);
    REQUIRE(places);
    size_t before = settled_size(peer);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "name.%zu", i);
        places[i] = peer->make_place(center, name, NULL);
        made[i] = peer->add(places[i], &words[i]);
    }
    double bytes = (double)(settled_size(peer) - before) / (double)count;
    for (size_t i = count; i-- > 0;) {
        drop(peer, places[i], made[i]);
        peer->end_place(places[i]);
    }
    peer->end_center(center);
    free(places);
    return bytes;
}

static double of_centers(const struct peer *peer, size_t count, void **made) {
    size_t before = settled_size(peer);
    for (size_t i = 0; i < count; i++) made[i] = peer->make_center();
    double bytes = (double)(settled_size(peer) - before) / (double)count;
    for (size_t i = count; i-- > 0;) peer->end_center(made[i]);
    return bytes;
}

static const char *open_bytes(struct row *row) {
    row->count = option(row, "count", 10000);
    return NULL;
}

static size_t sample_bytes(struct row *row, double *values) {
    char of[32];
    size_t count = (size_t)row->count;
    uint64_t *words = calloc(count, sizeof *words);
    void **made = calloc(count, sizeof *made);
    REQUIRE(words && made);
    option_word(row, "of", of);
    *values = of[0] == 'o'   ? of_observers(row->peer, count, words, made)
              : of[0] == 'n' ? of_names(row->peer, count, words, made)
                             : of_centers(row->peer, count, made);
    free(words);
    free(made);
    return 1;
}

const struct kind bytes_kind = {"bytes", open_bytes, sample_bytes};

/* ---- Allocations of a post: open allocations --------------------------------------------------------------------- */

static const char *open_allocations(struct row *row) {
    struct audience *audience = row->state = calloc(1, sizeof *audience);
    REQUIRE(audience);
    return audience_make(audience, row->peer, "frugal", 1);
}

static size_t sample_allocations(struct row *row, double *values) {
    struct audience *audience = row->state;
    uint64_t before = allocations;
    row->peer->post(audience->place, 10000);
    *values = (double)(allocations - before) / 10000;
    return 1;
}

const struct kind allocations_kind = {"allocations", open_allocations, sample_allocations};

/* ---- Threads that post once: open thread_memory threads=N -------------------------------------------------------- */

static void *post_once(void *context) {
    struct audience *audience = context;
    if (audience->peer->begin_thread) audience->peer->begin_thread();
    audience->peer->post(audience->place, 1);
    if (audience->peer->end_thread) audience->peer->end_thread();
    return NULL;
}

/* A few at a time, so that they run at the same time. */
static void come_and_go(struct audience *audience, long threads) {
    enum { AT_ONCE = 4 };
    pthread_t ids[AT_ONCE];
    for (long done = 0; done < threads; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) REQUIRE(pthread_create(&ids[i], NULL, post_once, audience) == 0);
        for (int i = 0; i < AT_ONCE; i++) pthread_join(ids[i], NULL);
    }
}

static const char *open_thread_memory(struct row *row) {
    if (!row->peer->thread_safe) return "it is not thread-safe";
    return open_allocations(row);
}

static size_t sample_thread_memory(struct row *row, double *values) {
    come_and_go(row->state, 1000);
    size_t before = heap_size();
    come_and_go(row->state, option(row, "threads", 10000));
    size_t after = heap_size();
    *values = after > before ? (double)(after - before) : 0;
    return 1;
}

const struct kind thread_memory_kind = {"thread_memory", open_thread_memory, sample_thread_memory};
