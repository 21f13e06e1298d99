// What the caller does wrong, what slots throw, and what happens without memory: only where there are exceptions.
#include "check.hpp"

#include <array>
#include <cstring>
#include <string>

#if defined(__cpp_exceptions)
#include <stdexcept>
#include <vector>

GROUP("failing");

namespace {

struct View {
    int shown = 0;
    void show() { shown++; }
};
struct throws_when_copied {
    int *copies_left;
    long more = 0;
    explicit throws_when_copied(int *left) : copies_left(left) {}
    throws_when_copied(const throws_when_copied &other) : copies_left(other.copies_left) {
        if ((*copies_left)-- == 0) throw std::length_error("copied");
    }
    void operator()() const {}
};

} // namespace

TEST("R17: An exception leaves the emission, the slots after it are not called, and the signal goes on.") {
    herald::signal<void(int)> s;
    int before = 0, after = 0;
    s.connect([&](int) { before++; });
    s.connect([&](int n) {
        if (n) throw std::runtime_error("slot");
    });
    s.connect([&](int) { after++; });
    THROWS(std::runtime_error, s(1));
    CHECK(before == 1 && after == 0);
    CHECK(s.emit(0) == 3 && before == 2 && after == 1);
}

TEST("R17: A slot that ends itself and throws is destroyed once; so is a signal's.") {
    herald::signal<void()> s;
    herald::connection c;
    c = s.connect([&, t = tracked()] {
        c.disconnect();
        throw 1;
    });
    THROWS(int, s());
    CHECK(tracked::alive == 0 && s.empty());
    auto own = std::make_unique<herald::signal<void()>>();
    own->connect([&, t = tracked()] {
        own.reset();
        throw 1;
    });
    THROWS(int, own->emit());
    CHECK(tracked::alive == 0);
}

TEST("R17: An exception of a slot of a weak owner releases the owner.") {
    herald::signal<void()> s;
    auto owner = std::make_shared<tracked>();
    s.connect(owner, [] { throw 1; });
    THROWS(int, s());
    CHECK(owner.use_count() == 1);
}

TEST("An exception of an inner emission may be caught between the two.") {
    herald::signal<void(int)> s;
    int caught = 0, later = 0;
    s.connect([&](int depth) {
        if (depth == 3) throw depth;
        try {
            s(depth + 1);
        } catch (int n) {
            caught = n;
        }
    });
    s.connect([&](int) { later++; });
    s(0);
    CHECK(caught == 3 && later == 3);
}

TEST("An empty callable, method or object is refused when it is connected.") {
    herald::signal<void()> s;
    View view;
    THROWS(herald::error, s.connect(std::function<void()>()));
    THROWS(herald::error, s.connect(static_cast<void (*)()>(nullptr)));
    THROWS(herald::error, s.connect(static_cast<void (View::*)()>(nullptr), &view));
    THROWS(herald::error, s.connect(&View::show, static_cast<View *>(nullptr)));
    THROWS(herald::error, s.connect<&View::show>(static_cast<View *>(nullptr)));
    CHECK(s.empty());
    try {
        s.connect(std::function<void()>());
    } catch (const herald::error &error) {
        CHECK(error.status() == HeraldInvalidArgument && std::strstr(error.what(), "callable"));
    }
}

TEST("A callable that throws when it is copied into its place leaves nothing behind.") {
    herald::signal<void()> s;
    int left = 0;
    const throws_when_copied slot(&left);
    THROWS(std::length_error, s.connect(slot));
    CHECK(s.empty() && s.emit() == 0);
    left = 10;
    s.connect(slot);
    CHECK(s.emit() == 1);
    auto owner = std::make_shared<tracked>();
    for (left = 0; left < 2;) {
        const int passes = left;
        try {
            s.connect(owner, slot);
            break;
        } catch (const std::length_error &) {
            left = passes + 1;
        }
    }
    CHECK(owner.use_count() == 1);
}

TEST("R15: Whichever allocation fails, connect throws std::bad_alloc and changes nothing.") {
    std::size_t failures = 0;
    for (bool succeeds = false; !succeeds && failures < 100;) {
        herald::signal<void()> s; // every time one that has nothing yet
        succeeds = true;
        auto owner = std::make_shared<tracked>();
        std::function<void()> heavy = [t = tracked(), more = std::array<long, 8>()] { static_cast<void>(more); };
        for (int kind = 0; kind < 3; kind++) {
            check::fail_allocation(failures);
            const std::size_t size = s.size();
            bool has_thrown = false;
            try {
                if (kind == 0)
                    s.connect(heavy);
                else if (kind == 1)
                    s.connect(owner, [t = tracked()] { static_cast<void>(t); });
                else
                    s.connect([&owner] { static_cast<void>(owner); });
            } catch (const std::bad_alloc &) {
                has_thrown = true;
            }
            const bool has_failed = check::stop_failing();
            CHECK(!has_thrown || has_failed);
            CHECK(s.size() == (has_thrown ? size : size + 1) && s.emit() == s.size());
            if (has_failed) succeeds = false;
        }
        failures++;
    }
    CHECK(failures > 2 && failures < 100);
}

TEST("R15: Without memory a signal is emitted, blocked, cleared, moved and ended all the same.") {
    herald::signal<void(const std::string &)> s;
    const std::string text(100, 'x');
    std::size_t heard = 0;
    std::vector<herald::connection> all;
    for (int i = 0; i < 20; i++) {
        all.push_back(s.connect([&heard, t = tracked()](const std::string &got) { heard += got.size(); }));
    }
    const auto without_memory = [](auto work) {
        check::fail_allocation(0);
        const bool result = work();
        check::stop_failing();
        return result;
    };
    CHECK(without_memory([&] { return s.emit(text) == 20 && heard == 2000; }));
    for (std::size_t i = 0; i < 10; i++) {
        CHECK(without_memory([&] { return all[i].block() && all[i].blocked(); }));
        CHECK(without_memory([&] { return i % 2 ? all[i].disconnect() : all[i].disconnect_and_wait(); }));
    }
    CHECK(without_memory([&] { return s.emit(text) == 10 && s.size() == 10; }));
    herald::signal<void(const std::string &)> other;
    CHECK(without_memory([&] {
        other = std::move(s);
        return other.emit(text) == 10;
    }));
    CHECK(without_memory([&] {
        other.clear();
        return other.empty() && tracked::alive == 0;
    }));
}

TEST("R15: Whichever allocation fails, an observer of a center is added or refused.") {
    struct Changed {};
    std::size_t failures = 0;
    for (bool succeeds = false; !succeeds && failures < 100; failures++) {
        const auto own = herald::center::create();
        int heard = 0;
        bool has_thrown = false;
        check::fail_allocation(failures);
        try {
            own.observe<Changed>([&, t = tracked()](const Changed &) { heard++; });
        } catch (const std::bad_alloc &) {
            has_thrown = true;
        }
        succeeds = !check::stop_failing();
        CHECK(own.post(Changed()) == (has_thrown ? 0u : 1u));
    }
    CHECK(failures > 1 && failures < 100);
}

TEST("Names that are no names are refused, with a sentence.") {
    const auto own = herald::center::create();
    THROWS(herald::error, herald::name(""));
    THROWS(herald::error, herald::name(static_cast<const char *>(nullptr)));
    THROWS(herald::error, herald::name("\xff"));
    THROWS(herald::error, herald::name(std::string("a\0b", 3)));
    THROWS(herald::error, own.observe(herald::name(), [](const herald::notice &) {}));
    THROWS(herald::error, own.observe("a", std::function<void(const herald::notice &)>()));
    THROWS(herald::error, own.observe_messages(
                              "a", [](const herald::message &) {}, "\xff"));
    CHECK(own.post(herald::name()) == 0);
    try {
        herald::name("\xff");
    } catch (const herald::error &error) {
        CHECK(std::strlen(error.what()) > 10);
    }
}

TEST("A center that was moved from calls nobody, and refuses observers.") {
    struct Changed {};
    auto own = herald::center::create();
    const auto other = std::move(own);
    CHECK(own.post("a") == 0 && own.post(Changed()) == 0 && own.ref() == nullptr); // NOLINT: after the move
    CHECK(own.post("a", herald::message("b")) == HeraldInvalidArgument);
    THROWS(herald::error, own.observe<Changed>([](const Changed &) {}));
    THROWS(herald::error, own.observe("a", [](const herald::notice &) {}));
}
#else
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

GROUP("failing");

namespace {

// Whether `work` ends its process by abort, with a sentence about the text.
template <class Work> bool aborts(const char *text, Work work) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        std::signal(SIGABRT, SIG_DFL);
        work();
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char buffer[512];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && said.find(text) != std::string::npos;
}

} // namespace

TEST("Without exceptions, an error ends the program with a sentence.") {
    herald::signal<void()> s;
    CHECK(aborts("the callable is empty", [&] { s.connect(std::function<void()>()); }));
    CHECK(aborts("herald: ", [&] { herald::name(""); }));
    CHECK(aborts("no memory", [&] {
        check::fail_allocation(0);
        s.connect([] {});
    }));
}
#endif
