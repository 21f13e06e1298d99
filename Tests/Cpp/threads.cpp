#include "check.hpp"

#include <vector>

GROUP("threads");

namespace {

// Runs `work` with 0, 1, ... on as many threads, and waits for them.
template <class Work> void in_threads(int count, Work work) {
    std::vector<std::thread> all;
    for (int i = 0; i < count; i++) all.emplace_back([&work, i] { work(i); });
    for (auto &thread : all) thread.join();
}

} // namespace

TEST("Two threads may connect first at the same time: both slots are there.") {
    for (int round = 0; round < 300; round++) {
        herald::signal<void()> s;
        std::atomic<int> ready{0}, heard{0};
        in_threads(2, [&](int) {
            ready++;
            while (ready < 2) {
            }
            s.connect([&heard] { heard++; });
        });
        CHECK(s.size() == 2 && s.emit() == 2 && heard == 2);
    }
}

TEST("R11: What a slot uses may be freed after its scoped connection, while other threads emit.") {
    herald::signal<void(int)> s;
    std::atomic<bool> is_done{false};
    std::atomic<int> wrong{0};
    in_threads(4, [&](int i) {
        if (i < 2) {
            while (!is_done) s(1);
            return;
        }
        for (int n = 0; n < 1000; n++) {
            auto own = std::make_unique<std::atomic<int>>(7);
            {
                const herald::scoped_connection c = s.connect([p = own.get(), &wrong](int) {
                    if (*p != 7) wrong++;
                });
                if (n % 7 == 0) {
                    const herald::blocker blocker(c);
                }
            }
            *own = -1;
            own.reset();
        }
        if (i == 2) is_done = true;
    });
    CHECK(wrong == 0 && s.empty());
}

TEST("R10: Captures are destroyed once while threads connect, emit, disconnect, block and clear.") {
    herald::signal<void(const std::string &)> s;
    std::atomic<bool> is_done{false};
    std::atomic<long> heard{0};
    in_threads(5, [&](int i) {
        const std::string text = "text";
        if (i < 2) {
            while (!is_done) s(text);
            return;
        }
        for (int n = 0; n < 1000; n++) {
            const auto c =
                s.connect([&heard, t = tracked()](const std::string &got) { heard += static_cast<long>(got.size()); });
            if (n % 50 == 0)
                s.clear();
            else if (n % 3 == 0)
                c.disconnect_and_wait();
            else
                c.disconnect();
            static_cast<void>(s.empty());
            c.block();
            CHECK(!c.connected());
        }
        if (i == 4) is_done = true;
    });
    CHECK(s.empty() && tracked::alive == 0);
}

TEST("One of several threads that end the same connection has ended it.") {
    herald::signal<void()> s;
    for (int round = 0; round < 200; round++) {
        const auto c = s.connect([t = tracked()] { static_cast<void>(t); });
        std::atomic<int> ended{0};
        in_threads(3, [&](int i) { ended += i == 0 ? c.disconnect() : c.disconnect_and_wait(); });
        CHECK(ended == 1 && tracked::alive == 0);
    }
}

// Ends a connection, by `end`, while another thread is in its slot. Returns whether the slot has returned by then.
template <class End> static bool has_returned_after(End end) {
    herald::signal<void()> s;
    check::door in_slot;
    std::atomic<bool> has_returned{false};
    herald::connection c;
    c = s.connect([&, t = tracked()] {
        in_slot.open();
        while (c.connected()) std::this_thread::yield(); // until `end` has begun
        for (int i = 0; i < 1000; i++) std::this_thread::yield();
        has_returned = true;
    });
    std::thread emitter([&] { s(); });
    CHECK(in_slot.wait());
    end(c);
    const bool result = has_returned && tracked::alive == 0;
    emitter.join();
    return result;
}

TEST("R11: disconnect_and_wait returns after a call that runs on another thread, and after its captures' end.") {
    CHECK(has_returned_after([](const herald::connection &c) { CHECK(c.disconnect_and_wait()); }));
}

TEST("R11: The end of a scoped connection, a reset and an assignment wait for a call on another thread.") {
    CHECK(has_returned_after([](const herald::connection &c) { const herald::scoped_connection scoped(c); }));
    CHECK(has_returned_after([](const herald::connection &c) { herald::scoped_connection(c).reset(); }));
    CHECK(has_returned_after([](const herald::connection &c) {
        herald::scoped_connection scoped(c);
        scoped = herald::scoped_connection();
        CHECK(!scoped);
    }));
}

TEST("R6: disconnect and clear do not wait for a call that runs on another thread; its captures live on.") {
    herald::signal<void()> s;
    check::door in_slot, may_return;
    const auto c = s.connect([&, t = tracked()] {
        in_slot.open();
        CHECK(may_return.wait() && tracked::alive == 1);
    });
    std::thread emitter([&] { s(); });
    CHECK(in_slot.wait());
    CHECK(c.disconnect() && !c.connected() && s.empty() && tracked::alive == 1);
    s.clear();
    may_return.open();
    emitter.join();
    CHECK(tracked::alive == 0);
}

TEST("R11: Slots on two threads that end each other, waiting, do not stop.") {
    herald::signal<void()> a, b;
    check::door in_a, in_b;
    herald::connection of_a, of_b;
    of_a = a.connect([&, t = tracked()] {
        in_a.open();
        CHECK(in_b.wait());
        of_b.disconnect_and_wait();
    });
    of_b = b.connect([&, t = tracked()] {
        in_b.open();
        CHECK(in_a.wait());
        of_a.disconnect_and_wait();
    });
    in_threads(2, [&](int i) { i ? a() : b(); });
    CHECK(!of_a && !of_b && tracked::alive == 0);
}

TEST("Owners may go on one thread while others emit.") {
    herald::signal<void()> s;
    std::atomic<bool> is_done{false};
    in_threads(3, [&](int i) {
        if (i > 0) {
            while (!is_done) s();
            return;
        }
        for (int n = 0; n < 1000; n++) {
            auto owner = std::make_shared<tracked>();
            s.connect(owner, [](tracked &) {});
            owner.reset();
        }
        is_done = true;
    });
    s();
    CHECK(s.empty() && tracked::alive == 0);
}

TEST("Signals of their own on every thread do not disturb each other.") {
    in_threads(4, [](int) {
        for (int n = 0; n < 500; n++) {
            herald::signal<void(int)> s;
            int heard = 0;
            const auto a = s.connect([&](int k) { heard += k; });
            s.connect([&, t = tracked()](int k) { heard += k; });
            s(2);
            a.disconnect();
            s(3);
            CHECK(heard == 7);
        }
    });
}

TEST("A slot may be disconnected on another thread during its call, and its signal emits on.") {
    herald::signal<void()> s;
    std::atomic<int> heard{0};
    herald::connection c;
    c = s.connect([&, t = tracked()] {
        std::thread([&] { CHECK(c.disconnect()); }).join();
        heard++;
    });
    s.connect([&] { heard++; });
    CHECK(s.emit() == 2 && s.emit() == 1 && heard == 3);
}
