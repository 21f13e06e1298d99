// Herald in C++: signals.
#include "signals.hpp"

#include <herald/herald.hpp>

struct Herald {
    using Signal = herald::signal<void(const void *)>;
    using Connection = herald::connection;
    using Ending = Ends<Herald>;
    template <class Functor> static Connection connect(Signal &signal, Functor functor) {
        return signal.connect(functor);
    }
    static void disconnect(Connection &connection) { connection.disconnect(); }
    static void emit(Signal &signal, const void *info) { signal(info); }
};

int main(int count, char **arguments) {
    peer it = {};
    it.name = "signal";
    it.title = "Herald (C++), signal";
    it.role = "herald";
    it.like = "topic";
    it.thread_safe = true;
    it.other_slots = &Slots<Herald, herald::scoped_connection>::all;
    it.remove_and_wait = [](void *, void *registration) {
        Signals<Herald>::connection(registration).disconnect_and_wait();
    };
    return Signals<Herald>::main(count, arguments, it);
}
