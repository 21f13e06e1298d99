#include "check.hpp"

#include <vector>

GROUP("connections");

static_assert(std::is_trivially_copyable_v<herald::connection>);
static_assert(std::is_nothrow_default_constructible_v<herald::connection>);
static_assert(!std::is_copy_constructible_v<herald::scoped_connection>);
static_assert(std::is_nothrow_move_constructible_v<herald::scoped_connection>);
static_assert(std::is_nothrow_move_assignable_v<herald::scoped_connection>);

TEST("A default-made connection is over, and every call of it does nothing.") {
    const herald::connection none;
    CHECK(!none && !none.connected() && !none.blocked());
    CHECK(!none.disconnect() && !none.disconnect_and_wait() && !none.block() && !none.unblock());
    CHECK(none == herald::connection() && none.token().center == 0);
    { const herald::scoped_connection scoped; }
    { const herald::blocker blocker(none); }
}

TEST("R9: The first disconnect ends the connection of all copies, the second finds nothing.") {
    herald::signal<void()> s;
    int heard = 0;
    const auto c = s.connect([&] { heard++; });
    const auto copy = c;
    CHECK(copy == c && c.connected() && copy);
    CHECK(c.disconnect() && !copy.disconnect() && !copy.disconnect_and_wait() && !copy);
    const auto next = s.connect([&] { heard += 10; });
    CHECK(copy != next && !copy.disconnect() && s.emit() == 1 && heard == 10);
}

TEST("R10: The captures are destroyed with the connection, and once.") {
    herald::signal<void()> s;
    const auto a = s.connect([t = tracked()] { static_cast<void>(t); });
    const auto b = s.connect([t = tracked()] { static_cast<void>(t); });
    CHECK(tracked::alive == 2);
    CHECK(a.disconnect() && tracked::alive == 1);
    CHECK(b.disconnect_and_wait() && tracked::alive == 0);
}

TEST("R10: The captures of a slot that ends itself live until its call returns.") {
    herald::signal<void()> s;
    herald::connection c;
    int alive = 0;
    c = s.connect([&, t = tracked()] {
        c.disconnect();
        alive = tracked::alive;
    });
    s();
    CHECK(alive == 1 && tracked::alive == 0);
    c = s.connect([&, t = tracked()] {
        c.disconnect_and_wait(); // does not wait in a slot (R11)
        alive = tracked::alive + 1;
    });
    s();
    CHECK(alive == 2);
}

TEST("A connection outlives its signal, and is over then.") {
    herald::connection c;
    {
        herald::signal<void()> s;
        c = s.connect([t = tracked()] { static_cast<void>(t); });
        CHECK(c.connected());
    }
    CHECK(tracked::alive == 0 && !c && !c.disconnect() && !c.disconnect_and_wait() && !c.block() && !c.blocked());
}

TEST("A connection outlives its center, and is over then.") {
    struct Changed {};
    herald::connection c;
    {
        const auto own = herald::center::create();
        c = own.observe<Changed>([t = tracked()](const Changed &) {});
        CHECK(c.connected() && c.block() && c.blocked() && c.unblock());
    }
    CHECK(tracked::alive == 0 && !c && !c.disconnect() && !c.disconnect_and_wait() && !c.block() && !c.blocked());
}

TEST("A connection follows a signal that is moved, and one that is made where the first one was.") {
    herald::signal<void()> first;
    int heard = 0;
    const auto c = first.connect([&] { heard++; });
    std::vector<herald::signal<void()>> others(64); // of all homes
    for (auto &other : others) {
        other = std::move(first);
        const auto d = other.connect([&] { heard++; });
        CHECK(c.connected() && other.emit() == 2 && d.block() && other.emit() == 1 && d.disconnect() && !d);
        first = std::move(other);
    }
    CHECK(c.disconnect() && heard == 64 * 3);
}

TEST("A scoped connection ends when it goes, and its slot's captures with it.") {
    herald::signal<void()> s;
    {
        const herald::scoped_connection c = s.connect([t = tracked()] { static_cast<void>(t); });
        CHECK(c.connected() && s.emit() == 1);
    }
    CHECK(s.empty() && tracked::alive == 0);
}

TEST("A scoped connection can be moved, released, reset and swapped.") {
    herald::signal<void()> s;
    int a = 0, b = 0;
    herald::scoped_connection first = s.connect([&] { a++; });
    herald::scoped_connection second = std::move(first);
    CHECK(!first && second);
    first = s.connect([&] { b++; });
    std::swap(first, second);
    second.reset();
    CHECK(!second && s.emit() == 1 && a == 1 && b == 0);
    auto &itself = first;
    first = std::move(itself);
    CHECK(first.connected());
    first.reset(first);
    CHECK(first.connected());
    first = s.connect([&] { b++; });
    CHECK(s.size() == 1 && s.emit() == 1 && a == 1 && b == 1);
    const herald::connection free = first.release();
    first = {};
    CHECK(free.connected() && free.disconnect());
    std::vector<herald::scoped_connection> many;
    for (int i = 0; i < 20; i++) many.push_back(s.connect([] {}));
    many.erase(many.begin(), many.begin() + 5);
    CHECK(s.size() == 15);
    many.clear();
    CHECK(s.empty());
}

TEST("A copy of a scoped connection is a connection, and ends nothing.") {
    herald::signal<void()> s;
    herald::scoped_connection scoped = s.connect([] {});
    {
        const herald::connection copy = scoped;
        CHECK(copy == scoped);
    }
    CHECK(s.size() == 1);
}

TEST("While a connection is blocked its slot is not called; the others are, in order.") {
    herald::signal<void(int)> s;
    std::vector<int> heard;
    s.connect([&](int n) { heard.push_back(n); });
    const auto c = s.connect([&](int n) { heard.push_back(n * 10); });
    s.connect([&](int n) { heard.push_back(n * 100); });
    CHECK(c.block() && c.blocked() && c.connected() && s.size() == 3);
    CHECK(s.emit(1) == 2);
    CHECK(c.unblock() && !c.blocked());
    CHECK(s.emit(2) == 3 && heard == std::vector<int>({1, 100, 2, 20, 200}));
}

TEST("A blocked connection can be ended, and blocking twice is ended by one unblock.") {
    herald::signal<void()> s;
    const auto c = s.connect([t = tracked()] { static_cast<void>(t); });
    CHECK(c.block() && c.block() && c.unblock() && s.emit() == 1);
    CHECK(c.block() && c.disconnect() && tracked::alive == 0 && !c.blocked() && !c.unblock() && s.empty());
}

TEST("A blocker blocks in its scope, and unblocks only what it has blocked.") {
    herald::signal<void()> s;
    const herald::scoped_connection c = s.connect([] {});
    {
        const herald::blocker outer(c);
        {
            const herald::blocker inner(c);
            CHECK(s.emit() == 0);
        }
        CHECK(c.blocked() && s.emit() == 0);
    }
    CHECK(!c.blocked() && s.emit() == 1);
    c.block();
    { const herald::blocker blocker(c); }
    CHECK(c.blocked());
}

TEST("A slot that blocks itself during an emission is not called by the next one.") {
    herald::signal<void()> s;
    herald::connection c;
    int heard = 0;
    c = s.connect([&] {
        heard++;
        c.block();
    });
    CHECK(s.emit() == 1 && s.emit() == 0 && heard == 1);
}

TEST("A blocked slot of an owner that is gone ends when it is no longer blocked.") {
    herald::signal<void()> s;
    auto owner = std::make_shared<int>(1);
    const auto c = s.connect(owner, [] {});
    c.block();
    owner.reset();
    CHECK(s.emit() == 0 && c.connected());
    c.unblock();
    CHECK(s.emit() == 0 && !c);
}
