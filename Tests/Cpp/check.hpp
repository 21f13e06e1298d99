// The harness of the C++ tests. A test is TEST("A sentence.") { ... CHECK(condition); ... }; its file calls GROUP
// first. After each test no `tracked` may be alive. Everything that allocates is counted, for each thread by itself.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <herald/herald.hpp>

#include <atomic>
#include <condition_variable>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

namespace check {

struct test {
    const char *group, *sentence;
    void (*run)();
    test *next;
    test(const char *its_group, const char *its_sentence, void (*its_run)());
};

void fail(const char *file, int line, const char *what);

// Allocations of this thread since it began: operator new, and what the library calls.
std::size_t allocations();
// Those of operator new alone.
std::size_t blocks();
// Lets the next `after` allocations of this thread pass, and makes the one after them fail.
void fail_allocation(std::size_t after);
// Ends that. Returns whether an allocation has failed.
bool stop_failing();

// An object whose lives and copies are counted. `weight`: larger than a word.
struct tracked {
    static std::atomic<int> alive, copies, moves;
    long weight[2] = {0, 0};
    tracked() noexcept { alive++; }
    tracked(const tracked &) noexcept {
        alive++;
        copies++;
    }
    tracked(tracked &&) noexcept {
        alive++;
        moves++;
    }
    tracked &operator=(const tracked &) = default;
    ~tracked() { alive--; }
};

// A door that threads open for each other. Waiting ends after a minute, which is a failure.
class door {
  public:
    void open() {
        const std::lock_guard<std::mutex> guard(lock_);
        is_open_ = true;
        changed_.notify_all();
    }
    bool wait() {
        std::unique_lock<std::mutex> guard(lock_);
        return changed_.wait_until(guard, std::chrono::system_clock::now() + std::chrono::minutes(1),
                                   [this] { return is_open_; });
    }

  private:
    std::mutex lock_;
    std::condition_variable changed_;
    bool is_open_ = false;
};

} // namespace check

using check::tracked;

#define CHECK_NAME2(name, line) name##line
#define CHECK_NAME(name, line) CHECK_NAME2(name, line)
#define GROUP(name) [[maybe_unused]] static const char *const check_group = name
#define TEST(sentence)                                                                                                 \
    static void CHECK_NAME(test_, __LINE__)();                                                                         \
    static check::test CHECK_NAME(tested_, __LINE__)(check_group, sentence, CHECK_NAME(test_, __LINE__));              \
    static void CHECK_NAME(test_, __LINE__)()
#define CHECK(...)                                                                                                     \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) check::fail(__FILE__, __LINE__, #__VA_ARGS__);                                             \
    } while (0)

#if defined(__cpp_exceptions)
#define THROWS(type, ...)                                                                                              \
    do {                                                                                                               \
        bool has_thrown = false;                                                                                       \
        try {                                                                                                          \
            __VA_ARGS__;                                                                                               \
        } catch (const type &) {                                                                                       \
            has_thrown = true;                                                                                         \
        }                                                                                                              \
        if (!has_thrown) check::fail(__FILE__, __LINE__, #__VA_ARGS__ " throws " #type);                               \
    } while (0)
#endif

#endif
