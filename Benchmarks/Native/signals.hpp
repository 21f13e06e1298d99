// What the C++ libraries of signals have in common: a signal for each name and object, functors connected to it, and
// connections. A library says how it makes, connects, disconnects and emits one.
#pragma once
#include <memory>
#include <peer.h>

template <class Library> struct Signals {
    using Signal = typename Library::Signal;
    using Connection = typename Library::Connection;

    static Signal &signal(void *place) { return *static_cast<Signal *>(place); }

    template <class Functor> static void *connect(void *place, Functor functor) {
        return new Connection(Library::connect(signal(place), functor));
    }

    static void *add(void *place, uint64_t *word) {
        if (!word) return connect(place, [](const void *) { count_here(); });
        return connect(place, [word](const void *) { *word += 1; });
    }

    struct Owned : listener {
        explicit Owned(const listener &what) : listener(what) {}
        Owned(const Owned &) = delete;
        ~Owned() {
            if (release) release(context);
        }
    };

    static void *observe(void *place, const listener *what) {
        auto owned = std::make_shared<Owned>(*what);
        return connect(place, [owned](const void *) { owned->call(owned->context); });
    }

    static void post(void *place, long count) {
        for (Signal &here = signal(place); count; count--) Library::emit(here, "what happened");
    }

    static int main(int count, char **arguments, const char *title, bool thread_safe) {
        peer it = {};
        it.name = "signal";
        it.title = title;
        it.thread_safe = thread_safe;
        it.owns = true;
        it.make_center = []() -> void * { return new char; };
        it.end_center = [](void *center) { delete static_cast<char *>(center); };
        it.make_place = [](void *, const char *, const void *) -> void * { return new Signal; };
        it.end_place = [](void *place) { delete &signal(place); };
        it.add = add;
        it.observe = observe;
        it.remove = [](void *, void *registration) { Library::disconnect(*static_cast<Connection *>(registration)); };
        it.forget = [](void *registration) { delete static_cast<Connection *>(registration); };
        it.post = post;
        return peer_main(count, arguments, &it, 1, nullptr, 0);
    }
};
