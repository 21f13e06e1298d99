// Boost.Signals2, with its default mutex.
#include "signals.hpp"

#include <boost/signals2.hpp>
#include <boost/version.hpp>
#include <string>

struct Boost {
    using Signal = boost::signals2::signal<void(const void *)>;
    using Connection = boost::signals2::connection;
    using Ending = boost::signals2::scoped_connection;
    template <class Functor> static Connection connect(Signal &signal, Functor functor) {
        return signal.connect(functor);
    }
    static void disconnect(Connection &connection) { connection.disconnect(); }
    static void emit(Signal &signal, const void *info) { signal(info); }
};

int main(int count, char **arguments) {
    std::string version = std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
    std::string title = "Boost.Signals2 " + version;
    peer it = {};
    it.name = "boost";
    it.title = title.c_str();
    it.package = "libboost-dev";
    it.ahead = "adjacent at-hand at-once";
    it.rank = 120;
    it.label = "Boost.Signals2";
    it.thread_safe = true;
    // As in the public comparison, which uses both: objects that Boost could track, and a scoped connection.
    it.other_slots = &Slots<Boost, Boost::Ending, boost::signals2::trackable>::all;
    return Signals<Boost>::main(count, arguments, it);
}
