// Qt, connected directly.
#include "qt.h"
#include "signals.hpp"

struct Qt6 {
    using Signal = Emitter;
    using Connection = QMetaObject::Connection;
    using Ending = Ends<Qt6>;
    template <class Functor> static Connection connect(Signal &signal, Functor functor) {
        return QObject::connect(&signal, &Emitter::posted, functor);
    }
    static void disconnect(Connection &connection) { QObject::disconnect(connection); }
    static void emit(Signal &signal, const void *info) { signal.posted(info); }
};

int main(int count, char **arguments) {
    peer it = {};
    it.name = "qt";
    it.title = "Qt " QT_VERSION_STR;
    it.package = "qt6-base-dev";
    it.ahead = "adjacent at-hand at-once small-name";
    it.rank = 130;
    it.label = "Qt";
    it.thread_safe = true;
    return Signals<Qt6>::main(count, arguments, it);
}
