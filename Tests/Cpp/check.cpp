#include "check.hpp"

#include <cstring>

// Linked with --wrap: the library's allocations and those of operator new come here.
extern "C" {
void *__real_malloc(std::size_t);
void *__real_calloc(std::size_t, std::size_t);
void *__real_realloc(void *, std::size_t);
void *__real_aligned_alloc(std::size_t, std::size_t);
void *__wrap_malloc(std::size_t);
void *__wrap_calloc(std::size_t, std::size_t);
void *__wrap_realloc(void *, std::size_t);
void *__wrap_aligned_alloc(std::size_t, std::size_t);
}

namespace {

thread_local std::size_t counted, blocks_made, passes;
thread_local bool fails, has_failed;

bool may_allocate() {
    counted++;
    if (!fails || passes-- > 0) return true;
    has_failed = true;
    passes = 0;
    fails = false;
    return false;
}

check::test *first, **last = &first;
std::atomic<int> failures{0};
const char *running = "";

} // namespace

void *__wrap_malloc(std::size_t size) { return may_allocate() ? __real_malloc(size) : nullptr; }
void *__wrap_calloc(std::size_t count, std::size_t size) {
    return may_allocate() ? __real_calloc(count, size) : nullptr;
}
void *__wrap_realloc(void *block, std::size_t size) { return may_allocate() ? __real_realloc(block, size) : nullptr; }
void *__wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
    return may_allocate() ? __real_aligned_alloc(alignment, size) : nullptr;
}

void *operator new(std::size_t size) {
    blocks_made++;
    if (void *block = std::malloc(size)) return block;
#if defined(__cpp_exceptions)
    throw std::bad_alloc();
#else
    std::abort();
#endif
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return std::malloc(size); }
void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }

namespace check {

std::atomic<int> tracked::alive{0}, tracked::copies{0}, tracked::moves{0};

test::test(const char *its_group, const char *its_sentence, void (*its_run)())
    : group(its_group), sentence(its_sentence), run(its_run), next(nullptr) {
    *last = this;
    last = &next;
}

void fail(const char *file, int line, const char *what) {
    failures++;
    std::fprintf(stderr, "%s:%d: FAILED: %s\n    in: %s\n", file, line, what, running);
}

std::size_t allocations() { return counted; }
std::size_t blocks() { return blocks_made; }
void fail_allocation(std::size_t after) {
    passes = after;
    has_failed = false;
    fails = true;
}
bool stop_failing() {
    fails = false;
    return has_failed;
}

} // namespace check

// PART: only tests whose group or sentence contains it. --list: prints them.
int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    const bool lists = std::strcmp(part, "--list") == 0;
    int passed = 0, failed = 0;
    for (check::test *t = first; t; t = t->next) {
        if (lists) {
            std::printf("%s: %s\n", t->group, t->sentence);
            continue;
        }
        if (!std::strstr(t->group, part) && !std::strstr(t->sentence, part)) continue;
        running = t->sentence;
        const int before = failures;
        t->run();
        if (tracked::alive != 0) {
            check::fail(t->group, 0, "no tracked object is alive after the test");
            tracked::alive = 0;
        }
        (failures == before ? passed : failed)++;
    }
    if (lists) return 0;
    std::printf("cpp: %d passed, %d failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
