#include "check.hpp"

#include <memory>
#include <utility>

GROUP("changing");

TEST("clear ends all connections, and the signal goes on.") {
    herald::signal<void()> s;
    const auto a = s.connect([t = tracked()] { static_cast<void>(t); });
    const auto b = s.connect([] {});
    b.block();
    s.clear();
    CHECK(s.empty() && !a && !b && tracked::alive == 0 && s.emit() == 0);
    s.connect([] {});
    CHECK(s.emit() == 1 && !s.empty());
    s.clear();
    s.clear();
    CHECK(s.empty());
}

TEST("swap exchanges the slots of two signals, also by std::swap, and with itself.") {
    herald::signal<void()> a, b;
    int of_a = 0, of_b = 0;
    const auto c = a.connect([&] { of_a++; });
    b.connect([&] { of_b++; });
    swap(a, b);
    CHECK(a.emit() == 1 && of_b == 1 && of_a == 0 && c.connected());
    std::swap(a, b);
    CHECK(a.emit() == 1 && of_a == 1);
    a.swap(a);
    herald::signal<void()> none;
    a.swap(none);
    CHECK(a.empty() && a.emit() == 0 && none.emit() == 1 && c.connected());
}

TEST("A moved signal takes its slots along, and leaves an empty signal that can be used.") {
    herald::signal<void()> a;
    int heard = 0;
    const auto c = a.connect([&] { heard++; });
    herald::signal<void()> b(std::move(a));
    CHECK(a.empty() && a.emit() == 0 && b.emit() == 1 && heard == 1 && c.connected()); // NOLINT: after the move
    a.connect([&] { heard += 10; });
    CHECK(a.emit() == 1 && heard == 11);
}

TEST("A signal that is assigned ends the connections that it had.") {
    herald::signal<void()> a, b;
    const auto ended = a.connect([t = tracked()] { static_cast<void>(t); });
    const auto kept = b.connect([] {});
    a = std::move(b);
    CHECK(!ended && tracked::alive == 0 && kept.connected() && a.emit() == 1 && b.emit() == 0);
    auto &itself = a;
    a = std::move(itself);
    CHECK(kept.connected() && a.emit() == 1);
}

TEST("A signal may be destroyed in its own emission; slots that have not been called are not called.") {
    auto s = std::make_unique<herald::signal<void(const std::string &)>>();
    int first = 0, after = 0;
    bool is_alive = false;
    s->connect([&, t = tracked()](const std::string &text) {
        s.reset();
        first++;
        is_alive = tracked::alive > 0 && text == "argument";
    });
    s->connect([&, t = tracked()](const std::string &) { after++; });
    CHECK(s->emit("argument") == 1 && first == 1 && after == 0 && is_alive && tracked::alive == 0);
}

TEST("A signal may be destroyed in an emission in an emission.") {
    auto s = std::make_unique<herald::signal<void(int)>>();
    int heard = 0;
    s->connect([&, t = tracked()](int depth) {
        heard++;
        if (depth == 3)
            s.reset();
        else
            (*s)(depth + 1);
    });
    s->connect([&, t = tracked()](int) { heard += 100; });
    (*s)(0);
    CHECK(heard == 4 && !s && tracked::alive == 0);
}

TEST("A signal may be cleared in its own emission, and connected again.") {
    herald::signal<void()> s;
    int later = 0, again = 0;
    s.connect([&, t = tracked()] {
        s.clear();
        s.connect([&] { again++; });
    });
    s.connect([&, t = tracked()] { later++; });
    CHECK(s.emit() == 1 && later == 0 && again == 0 && tracked::alive == 0);
    CHECK(s.emit() == 1 && again == 1);
}

TEST("A signal may be swapped and moved in its own emission, which goes on with the slots that it began with.") {
    herald::signal<void()> a, b;
    int of_a = 0, of_b = 0;
    a.connect([&] {
        of_a++;
        swap(a, b);
    });
    a.connect([&] { of_a++; });
    b.connect([&] { of_b++; });
    CHECK(a.emit() == 2 && of_a == 2 && of_b == 0);
    CHECK(a.emit() == 1 && of_b == 1);
    herald::signal<void()> c, d;
    int heard = 0;
    c.connect([&] {
        heard++;
        d = std::move(c);
    });
    c.connect([&] { heard++; });
    CHECK(c.emit() == 2 && heard == 2 && d.size() == 2 && c.empty());
}

TEST("The destructor of a capture may use the signal that ends it.") {
    struct Last {
        herald::signal<void()> *signal;
        explicit Last(herald::signal<void()> *s) : signal(s) {}
        Last(Last &&other) noexcept : signal(std::exchange(other.signal, nullptr)) {}
        ~Last() {
            if (signal) signal->connect([] {});
        }
    };
    herald::signal<void()> s;
    s.connect([last = Last(&s)] { static_cast<void>(last); });
    s.clear();
    CHECK(s.size() == 1);
}

TEST("A slot may disconnect slots before it and after it, and block them.") {
    herald::signal<void()> s;
    int heard = 0;
    const auto first = s.connect([&] { heard += 1; });
    herald::connection third;
    s.connect([&] {
        heard += 10;
        first.disconnect();
        third.block();
    });
    third = s.connect([&] { heard += 100; });
    CHECK(s.emit() == 2 && heard == 11 && s.size() == 2 && s.emit() == 1 && heard == 21);
}

TEST("A lock may be taken in a slot and in the destructor of a capture: none of the library's is held there.") {
    struct Locks {
        std::mutex *lock;
        herald::signal<void()> *signal;
        Locks(std::mutex *l, herald::signal<void()> *s) : lock(l), signal(s) {}
        Locks(Locks &&other) noexcept : lock(std::exchange(other.lock, nullptr)), signal(other.signal) {}
        ~Locks() {
            if (lock) use();
        }
        // On another thread, which needs every lock that this one might have.
        void use() const {
            std::thread([this] {
                const std::lock_guard<std::mutex> guard(*lock);
                const herald::scoped_connection c = signal->connect([] {});
                CHECK(!signal->empty());
            }).join();
        }
    };
    herald::signal<void()> s;
    std::mutex lock;
    const auto c = s.connect([locks = Locks(&lock, &s)] { locks.use(); });
    CHECK(s.emit() == 1 && c.disconnect());
    s.connect([locks = Locks(&lock, &s)] { locks.use(); });
    s.clear();
    CHECK(s.empty());
}
