// libsigc++, which is not thread-safe.
#include "signals.hpp"

#include <sigc++/sigc++.h>
#include <sigc++config.h>
#include <string>

struct Sigc {
    using Signal = sigc::signal<void(const void *)>;
    using Connection = sigc::connection;
    using Ending = Ends<Sigc>;
    template <class Functor> static Connection connect(Signal &signal, Functor functor) {
        return signal.connect(functor);
    }
    static void disconnect(Connection &connection) { connection.disconnect(); }
    static void emit(Signal &signal, const void *info) { signal(info); }
};

int main(int count, char **arguments) {
    std::string version = std::to_string(SIGCXX_MAJOR_VERSION) + "." + std::to_string(SIGCXX_MINOR_VERSION);
    std::string title = "libsigc++ " + version;
    peer it = {};
    it.name = "sigc";
    it.title = title.c_str();
    it.package = "libsigc++-3.0-dev";
    it.rank = 150;
    return Signals<Sigc>::main(count, arguments, it);
}
