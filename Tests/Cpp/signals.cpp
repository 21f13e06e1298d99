#include "check.hpp"

#include <string>
#include <vector>

GROUP("signals");

static_assert(sizeof(herald::signal<void()>) == sizeof(void *));
static_assert(std::is_nothrow_move_constructible_v<herald::signal<void()>>);
static_assert(std::is_nothrow_move_assignable_v<herald::signal<void()>>);
static_assert(!std::is_copy_constructible_v<herald::signal<void()>>);
static_assert(std::is_nothrow_default_constructible_v<herald::signal<void(int, std::string)>>);

// Signals may be global, and used before and after main.
static herald::signal<void(int)> global;

TEST("An emission calls a slot with its arguments.") {
    herald::signal<void(int, const std::string &)> s;
    int number = 0;
    std::string text;
    s.connect([&](int n, const std::string &t) {
        number = n;
        text = t;
    });
    s(7, "seven");
    CHECK(number == 7 && text == "seven");
}

TEST("A signal without slots calls nobody, and makes nothing.") {
    const std::size_t before = check::allocations();
    herald::signal<void(int)> s;
    s(1);
    CHECK(s.emit(1) == 0 && s.empty() && s.size() == 0);
    s.clear();
    CHECK(check::allocations() == before);
}

TEST("emit returns how many slots it has called.") {
    herald::signal<void()> s;
    CHECK(s.emit() == 0);
    const auto a = s.connect([] {});
    s.connect([] {});
    CHECK(s.emit() == 2 && s.size() == 2);
    a.disconnect();
    CHECK(s.emit() == 1 && s.size() == 1);
}

TEST("A constant signal can be emitted.") {
    herald::signal<void(int)> s;
    int heard = 0;
    s.connect([&](int n) { heard += n; });
    const auto &constant = s;
    constant(2);
    CHECK(constant.emit(3) == 1 && heard == 5 && !constant.empty());
}

TEST("A global signal can be used like any other.") {
    int heard = 0;
    const herald::scoped_connection c = global.connect([&](int n) { heard = n; });
    global(3);
    CHECK(heard == 3);
}

TEST("What a slot returns is ignored.") {
    herald::signal<void(int)> s;
    int heard = 0;
    s.connect([&](int n) { return heard = n; });
    s.connect([&](int) { return std::string("a"); });
    CHECK(s.emit(4) == 2 && heard == 4);
}

TEST("A signal can be a slot of another.") {
    herald::signal<void(int)> outer, inner;
    int heard = 0;
    inner.connect([&](int n) { heard = n; });
    outer.connect(std::ref(inner));
    outer(5);
    CHECK(heard == 5);
}

TEST("Signals in a growing vector keep their slots.") {
    std::vector<herald::signal<void(int)>> all;
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        all.emplace_back();
        all.back().connect([&sum](int n) { sum += n; });
    }
    for (const auto &s : all) s(1);
    CHECK(sum == 100);
}

TEST("R2: Slots are called in the order in which they were connected.") {
    herald::signal<void()> s;
    std::vector<int> heard;
    std::vector<herald::connection> all;
    for (int i = 0; i < 50; i++) all.push_back(s.connect([&heard, i] { heard.push_back(i); }));
    for (std::size_t i = 0; i < 50; i += 3) all[i].disconnect();
    s.connect([&heard] { heard.push_back(50); });
    s();
    bool in_order = true;
    for (std::size_t i = 1; i < heard.size(); i++) in_order = in_order && heard[i - 1] < heard[i];
    CHECK(in_order && heard.size() == 34 && heard.back() == 50);
}

TEST("R4: What is connected twice is called twice.") {
    herald::signal<void()> s;
    int heard = 0;
    const auto slot = [&] { heard++; };
    const auto a = s.connect(slot), b = s.connect(slot);
    CHECK(s.emit() == 2 && heard == 2 && a != b);
    a.disconnect();
    CHECK(s.emit() == 1 && b.connected());
}

TEST("R5: A slot that is connected during an emission is called by the next one.") {
    herald::signal<void()> s;
    int added = 0;
    bool has_added = false;
    s.connect([&] {
        if (!std::exchange(has_added, true)) s.connect([&] { added++; });
    });
    CHECK(s.emit() == 1 && added == 0);
    CHECK(s.emit() == 2 && added == 1);
}

TEST("R6: A slot that is disconnected during an emission, before its turn, is not called.") {
    herald::signal<void()> s;
    int heard = 0;
    herald::connection second;
    s.connect([&] { second.disconnect(); });
    second = s.connect([&] { heard++; });
    CHECK(s.emit() == 1 && heard == 0);
}

TEST("R6: A slot can disconnect itself; the others are called.") {
    herald::signal<void()> s;
    int heard = 0, others = 0;
    herald::connection c;
    s.connect([&] { others++; });
    c = s.connect([&, t = tracked()] {
        heard++;
        c.disconnect();
    });
    s.connect([&] { others++; });
    CHECK(s.emit() == 3 && s.emit() == 2 && heard == 1 && others == 4);
}

TEST("R7: An emission in a slot is complete before the outer one goes on.") {
    herald::signal<void(int)> s;
    std::string heard;
    s.connect([&](int depth) {
        heard += static_cast<char>('a' + depth);
        if (depth < 2) s(depth + 1);
    });
    s.connect([&](int depth) { heard += static_cast<char>('A' + depth); });
    s(0);
    CHECK(heard == "abcCBA");
}

TEST("R7: Emissions may be nested a thousand deep.") {
    herald::signal<void(int)> s;
    int deepest = 0;
    s.connect([&](int depth) {
        deepest = depth;
        if (depth < 1000) s(depth + 1);
    });
    s(1);
    CHECK(deepest == 1000);
}

TEST("R7: Two signals may emit each other.") {
    herald::signal<void(int)> a, b;
    int left = -1;
    a.connect([&](int n) {
        if (n > 0)
            b(n - 1);
        else
            left = n;
    });
    b.connect([&](int n) {
        if (n > 0)
            a(n - 1);
        else
            left = n;
    });
    a(20);
    CHECK(left == 0);
}

TEST("A slot can get its own connection, also before connect has returned.") {
    herald::signal<void()> s;
    int heard = 0;
    const auto c = s.connect([&, t = tracked()] {
        heard++;
        herald::connection(HeraldGetCurrentToken()).disconnect();
    });
    CHECK(s.emit() == 1 && !c && tracked::alive == 0 && s.emit() == 0 && heard == 1);
    CHECK(!herald::connection(HeraldGetCurrentToken()));
}
