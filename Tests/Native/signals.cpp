// A C++ program with signals, in one file; and a plugin and the program that opens it. run.sh builds this file three
// times: as it is, with PLUGIN as the plugin, and with OPENS as the program, which gets the plugin's path.
#include <herald/host.h>

// A program's own functions may have the names of the header's, and come before it.
inline void check(HeraldStatus) {}
inline void fail(HeraldStatus, const char *) {}
namespace app {
struct Changed {
    int number = 0;
};
template <class... A> int hold(A &&...) { return 0; }
template <class... A> bool call(A &&...) { return false; }
template <class... A> int observe(A &&...) { return 0; }
template <class... A> void apply(A &&...) {}
template <class T> void refuse_null(T &&) {}
} // namespace app

#include <herald/herald.hpp>
#include <memory>
#include <string>

inline int hear_changed() {
    struct Slot {
        int *sum;
        long more = 0;
        void operator()(const app::Changed &changed) const { *sum += changed.number; }
    };
    int sum = 0;
    herald::signal<void(const app::Changed &)> changes;
    const herald::scoped_connection one =
        changes.connect([&sum](const app::Changed &changed) { sum += changed.number; });
    const herald::scoped_connection two = changes.connect(Slot{&sum});
    const herald::scoped_connection three =
        herald::center::local().observe<app::Changed>([&sum](const app::Changed &changed) { sum += changed.number; });
    changes(app::Changed{1});
    check(HeraldOK);
    return herald::center::local().post(app::Changed{10}) == 1 ? sum : -1; // 12
}

// Visible, so that the type is the same in the plugin, which hides what is its own.
struct __attribute__((visibility("default"))) Saved {
    std::string path;
};

using Signal = herald::signal<void(const std::string &)>;

// What the plugin does: it connects to a signal of the program, emits it, and gives away a signal of its own.
struct Plugin {
    herald::connection (*connect)(Signal &, std::string &);
    herald::connection (*observe)(std::string &);
    void (*emit)(const Signal &);
    void (*post)();
    std::unique_ptr<Signal> (*make)();
};

#if defined(PLUGIN)
extern "C" __attribute__((visibility("default"))) const Plugin herald_plugin;
const Plugin herald_plugin = {
    [](Signal &signal, std::string &heard) {
        return signal.connect([&heard](const std::string &text) { heard += text + "."; });
    },
    [](std::string &heard) {
        return herald::center::local().observe<Saved>([&heard](const Saved &m) { heard += m.path + ","; });
    },
    [](const Signal &signal) { signal("plugin"); },
    [] { herald::center::local().post(Saved{"posted"}); },
    [] { return std::make_unique<Signal>(); },
};
#elif defined(OPENS)
#include <cstdio>
#include <dlfcn.h>

static bool expect(const std::string &heard, const char *expected) {
    if (heard == expected) return true;
    std::fprintf(stderr, "heard %s, not %s\n", heard.c_str(), expected);
    return false;
}

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    const auto *plugin = library ? static_cast<const Plugin *>(dlsym(library, "herald_plugin")) : nullptr;
    if (!plugin) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    bool ok = true;
    std::string theirs, ours;
    { // a signal of the program's
        Signal signal;
        signal.connect([&](const std::string &text) { ours += text; });
        const herald::connection c = plugin->connect(signal, theirs);
        signal("a");
        plugin->emit(signal);
        ok &= expect(theirs, "a.plugin.") && expect(ours, "aplugin");
        ok &= c.connected() && c.block() && c.blocked() && c.unblock() && signal.size() == 2;
        ok &= c.disconnect_and_wait() && !c.connected() && signal.size() == 1;
    }
    { // a signal of the plugin's
        theirs = ours = "";
        const std::unique_ptr<Signal> signal = plugin->make();
        const herald::connection first = plugin->connect(*signal, theirs);
        const herald::connection second = signal->connect([&](const std::string &text) { ours += text; });
        plugin->emit(*signal);
        ok &= expect(theirs, "plugin.") && expect(ours, "plugin") && signal->size() == 2;
        ok &= second.disconnect() && first.disconnect() && signal->empty();
    }
    { // types, in the local center
        theirs = ours = "";
        const herald::scoped_connection their_observer = plugin->observe(theirs);
        const herald::scoped_connection our_observer =
            herald::center::local().observe<Saved>([&](const Saved &m) { ours += m.path; });
        herald::center::local().post(Saved{"b"});
        plugin->post();
        ok &= expect(theirs, "b,posted,") && expect(ours, "bposted");
    }
    return ok ? 0 : 1;
}
#else
int main() {
    Signal saved;
    std::string heard;
    {
        const herald::scoped_connection c = saved.connect([&](const std::string &path) { heard += path; });
        saved("notes.txt");
    }
    saved("lost.txt");
    auto observer = herald::center::local().observe<Saved>([&](const Saved &m) { heard += m.path; });
    herald::center::local().post(Saved{"b.txt"});
    return heard == "notes.txtb.txt" && saved.empty() && observer.disconnect() && hear_changed() == 12 ? 0 : 1;
}
#endif
