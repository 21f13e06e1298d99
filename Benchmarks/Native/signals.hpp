// The common part of the C++ libraries of signals: a signal for each name and object, functors connected to it, and
// connections. A library defines how it makes, connects, disconnects and emits one.
#pragma once
#include <atomic>
#include <memory>
#include <new>
#include <peer.h>
#include <utility>

struct Plain {};

// An object whose method is connected to a signal. Ending is what disconnects when it ends: the library's own, or Ends.
template <class Library, class Ending, class Base = Plain> struct Slots {
    using Signal = typename Library::Signal;

    struct Object : Base {
        Ending ending;
        // As in a program where it is large. It uses nothing of the object, which another thread may have ended.
        __attribute__((noinline)) void hear(const void *random) {
            __asm__ volatile("" : : "r"(this));
            draw(static_cast<uint32_t *>(const_cast<void *>(random)));
        }
    };

    template <class T> static void *make(size_t count) {
        auto *all = static_cast<T *>(::operator new(count * sizeof(T)));
        std::uninitialized_value_construct_n(all, count);
        return all;
    }
    template <class T> static void end(void *all, size_t count) {
        std::destroy_n(static_cast<T *>(all), count);
        ::operator delete(all);
    }

    static auto connect_one(Signal &signal, Object *object) {
        return Library::connect(signal, [object](const void *random) { object->hear(random); });
    }
    static void connect(void *signal, void *objects, size_t count) {
        for (auto *object = static_cast<Object *>(objects); count; count--, object++)
            object->ending = connect_one(*static_cast<Signal *>(signal), object);
    }
    static void emit(void *signal, uint32_t *random) { Library::emit(*static_cast<Signal *>(signal), random); }
    static void live(long count) {
        static Object object;
        for (; count; count--) {
            Signal signal;
            connect_one(signal, &object);
        }
    }
    static constexpr slots all = {make<Signal>, end<Signal>, make<Object>, end<Object>, connect, emit, live};
};

// Disconnects when it ends, and does not wait.
template <class Library> class Ends {
    typename Library::Connection connection;

  public:
    Ends() = default;
    Ends(const Ends &) = delete;
    void operator=(typename Library::Connection &&its) { connection = std::move(its); }
    ~Ends() { Library::disconnect(connection); }
};

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
        if (!it.role) it.rival = "topic";
        it.owns = true;
        it.slots = &Slots<Library, typename Library::Ending>::all;
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
