/* Memory: of an observer, of a post, of threads that come and go. Allocations are counted here, by standing in for
 * malloc in the whole program. */
#include "bench.h"

#include <malloc.h>
#include <unistd.h>

/* ---- The counter ------------------------------------------------------------------------------------------------- */

/* glibc's own names for what we stand in for. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static __thread uint64_t allocations; /* of this thread; the others' would cost a shared cache line */

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

void free(void *memory) { __libc_free(memory); }

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

static double heap_size(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* Pages the process occupies, in bytes. */
static double resident_size(void) {
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file && fscanf(file, "%ld %ld", &total, &resident) == 2);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static struct figures bytes(double value) { return (struct figures){"bytes", NAN, value, value, NAN}; }

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void observer_row(void) {
    enum { OBSERVERS = 100000 };
    HeraldCenterRef center = HeraldCenterCreate(NULL);
    HeraldNameRef name = HeraldNameCreate("crowded");
    uint64_t *words = calloc(OBSERVERS, sizeof *words);
    REQUIRE(center && name && words);
    double before = heap_size();
    for (size_t i = 0; i < OBSERVERS; i++)
        REQUIRE(HeraldCenterAddObserver(center, &words[i], hear, name, NULL, HeraldSuspensionDeliverImmediately) ==
                HeraldOK);
    row_add(7, VALUE_AT_MOST(112), bytes((heap_size() - before) / OBSERVERS),
            "memory of an observer, of 100,000 of one name");
    HeraldCenterRelease(center);
    free(words);
}

static void allocation_row(const char *how, void (*post)(void *audience, long count)) {
    enum { POSTS = 100000 };
    struct audience audience = audience_make(1, "frugal", NULL);
    post(&audience, 1);
    uint64_t before = allocations;
    post(&audience, POSTS);
    double made = (double)(allocations - before);
    row_add(9, VALUE_AT_MOST(0), (struct figures){"allocs", NAN, made, made, NAN}, "allocations of 100,000 posts %s",
            how);
    audience_end(&audience);
}

static void *post_once(void *audience) {
    post_by_name(audience, 1);
    return NULL;
}

/* A few at a time, so that they meet. */
static void come_and_go(struct audience *audience, int threads) {
    enum { AT_ONCE = 4 };
    pthread_t ids[AT_ONCE];
    for (int done = 0; done < threads; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) REQUIRE(pthread_create(&ids[i], NULL, post_once, audience) == 0);
        for (int i = 0; i < AT_ONCE; i++) pthread_join(ids[i], NULL);
    }
}

static void thread_rows(void) {
    struct audience audience = audience_make(1, "brief", NULL);
    int threads = settings.quick ? 20000 : 100000;
    come_and_go(&audience, 1000);
    double resident = resident_size(), heap = heap_size();
    come_and_go(&audience, threads - 1000);
    heap = heap_size() - heap;
    resident = resident_size() - resident;
    row_add(10, VALUE_AT_MOST(64 * 1024), bytes(heap), "heap grown by %d threads that post once", threads);
    row_add(10, NO_BUDGET, bytes(resident), "resident memory grown by them");
    audience_end(&audience);
}

void memory_rows(void) {
    progress("memory");
    observer_row();
    allocation_row("by name", post_by_name);
    allocation_row("by topic", post_by_topic);
    progress("threads that come and go");
    thread_rows();
}
