// The common part of the C++ libraries of signals: a signal for each name and object, functors connected to it, and
// connections. A library defines how it makes, connects, disconnects and emits one.
#pragma once
#include <atomic>
#include <memory>
#include <new>
#include <peer.h>

template <class Library> struct Signals {
    using Signal = typename Library::Signal;
    using Connection = typename Library::Connection;

    static Signal &signal(void *place) { return *static_cast<Signal *>(place); }

    // A program keeps its connections in objects of its own: they cost it no allocation, so none is counted here.
    union Handle {
        Handle *next;
        alignas(Connection) unsigned char connection[sizeof(Connection)];
    };
    static Handle *&unused() {
        static thread_local Handle *list;
        return list;
    }
    static Handle *handle() {
        static Handle all[1200000];
        static std::atomic<size_t> used;
        Handle *free = unused();
        if (free) {
            unused() = free->next;
        } else {
            size_t next = used++;
            REQUIRE(next < sizeof all / sizeof *all);
            free = &all[next];
        }
        return free;
    }
    static Connection &connection(void *registration) {
        return *reinterpret_cast<Connection *>(static_cast<Handle *>(registration)->connection);
    }

    template <class Functor> static void *connect(void *place, Functor functor) {
        Handle *it = handle();
        new (it->connection) Connection(Library::connect(signal(place), functor));
        return it;
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

    // `it` comes with the members that describe the library.
    static int main(int count, char **arguments, peer it) {
        it.rival = "topic";
        it.owns = true;
        it.make_center = []() -> void * { return new char; };
        it.end_center = [](void *center) { delete static_cast<char *>(center); };
        it.make_place = [](void *, const char *, const void *) -> void * { return new Signal; };
        it.end_place = [](void *place) { delete &signal(place); };
        it.add = add;
        it.observe = observe;
        it.remove = [](void *, void *registration) { Library::disconnect(connection(registration)); };
        it.forget = [](void *registration) {
            connection(registration).~Connection();
            static_cast<Handle *>(registration)->next = unused();
            unused() = static_cast<Handle *>(registration);
        };
        it.post = post;
        return peer_main(count, arguments, &it, 1, nullptr, 0);
    }
};
