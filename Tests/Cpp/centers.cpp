#include "check.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

GROUP("centers");

namespace {

struct Saved {
    std::string path;
};
struct Closed {};
struct Unsaved : Saved {};
struct OnlyMoved {
    std::unique_ptr<int> value;
};
enum class Level { low, high };
struct View {
    std::string shown;
    void saved(const Saved &m) { shown = m.path; }
};

// The file of the host center, for this process alone.
struct host_folder {
    char path[32] = "/tmp/herald-cpp-XXXXXX";
    host_folder() {
        if (!mkdtemp(path) || setenv("HERALD_HOST_DIRECTORY", path, 1) != 0) std::abort();
    }
    ~host_folder() {
        std::remove((std::string(path) + "/herald-3").c_str());
        std::remove(path);
    }
};
host_folder folder;

} // namespace

TEST("The type of a message is its key: observers of other types, and of its base, do not hear it.") {
    const auto own = herald::center::create();
    std::string path;
    int others = 0;
    const auto c = own.observe<Saved>([&](const Saved &m) { path = m.path; });
    own.observe<Closed>([&](const Closed &) { others++; });
    CHECK(own.post(Saved{"notes.txt"}) == 1 && path == "notes.txt" && others == 0);
    CHECK(own.post(Unsaved()) == 0 && own.post(Level::low) == 0);
    CHECK(c.disconnect() && own.post(Saved{"lost"}) == 0 && path == "notes.txt");
}

TEST("Messages that can only be moved, enumerations, and constant messages are posted.") {
    const auto own = herald::center::create();
    int heard = 0;
    own.observe<OnlyMoved>([&](const OnlyMoved &m) { heard += *m.value; });
    own.observe<Level>([&](Level l) { heard += l == Level::high ? 10 : 0; });
    const OnlyMoved message{std::make_unique<int>(1)};
    const Level high = Level::high;
    CHECK(own.post(message) == 1 && own.post(high) == 1 && heard == 11);
}

TEST("R14: A post of a type allocates nothing and copies nothing.") {
    const auto own = herald::center::create();
    own.observe<tracked>([](const tracked &) {});
    const tracked message;
    own.post(message);
    tracked::copies = 0;
    const std::size_t before = check::allocations();
    for (int i = 0; i < 100; i++) own.post(message);
    CHECK(check::allocations() == before && tracked::copies == 0);
}

TEST("A weak owner observes a type, by a method and by a callable, while it lives.") {
    const auto own = herald::center::create();
    auto view = std::make_shared<View>();
    int calls = 0;
    const auto a = own.observe<Saved>(view, &View::saved);
    own.observe<Saved>(std::weak_ptr<View>(view), [&](View &v, const Saved &m) { calls += v.shown == m.path; });
    own.observe<Saved>(view, [&](const Saved &) { calls++; });
    CHECK(own.post(Saved{"a"}) == 3 && view->shown == "a" && calls == 2 && view.use_count() == 1);
    view.reset();
    CHECK(a.connected());
    own.post(Saved{"b"});
    CHECK(!a && calls == 2 && own.post(Saved{"c"}) == 0);
    CHECK(!own.observe<Saved>(view, &View::saved));
}

TEST("Centers are separate; copies of one are the same center, which lives as long as one of them.") {
    struct Changed {};
    auto a = herald::center::create();
    const auto b = herald::center::create(), copy = a;
    int heard = 0;
    const auto c = a.observe<Changed>([&](const Changed &) { heard++; });
    CHECK(a == copy && a != b && b.post(Changed()) == 0 && copy.post(Changed()) == 1);
    CHECK(herald::center(a.ref()) == a && herald::center::local() == herald::center::local());
    a = b;
    CHECK(copy.post(Changed()) == 1 && c.connected() && heard == 2);
}

TEST("A center may be released in its own observer.") {
    struct Changed {};
    auto own = std::make_unique<herald::center>(herald::center::create());
    int heard = 0;
    own->observe<Changed>([&, t = tracked()](const Changed &) {
        heard++;
        own.reset();
    });
    own->observe<Changed>([&, t = tracked()](const Changed &) { heard += 10; });
    const herald::center &center = *own;
    CHECK(center.post(Changed()) == 1 && heard == 1 && tracked::alive == 0);
}

TEST("An observer of a type does not take C's post of the same address for a message.") {
    const auto own = herald::center::create();
    int heard = 0;
    own.observe<Saved>([&](const Saved &) { heard++; });
    const int other = 5;
    HeraldCenterPostNotification(own.ref(), herald::detail::kind<Saved>::name(), nullptr, &other, false);
    HeraldCenterPostNotification(own.ref(), herald::detail::kind<Saved>::name(), nullptr, nullptr, false);
    CHECK(heard == 0);
}

TEST("A message that is posted while held posts are delivered is heard later, as a copy, or at once if it has none.") {
    struct Poster {
        herald::center center = herald::center::create();
        std::vector<std::string> heard;
        std::size_t heard_at_once = 0;
    } own;
    own.center.observe<Saved>([&](const Saved &m) { own.heard.push_back(m.path); });
    own.center.observe<OnlyMoved>([&](const OnlyMoved &) { own.heard.push_back("moved"); });
    HeraldObserverOptions options{};
    options.size = sizeof options;
    options.suspensionBehavior = HeraldSuspensionHold;
    const herald::name begin("begin");
    CHECK(HeraldCenterAddObserverWithOptions(
              own.center.ref(), &own,
              [](HeraldCenterRef, void *observer, HeraldNameRef, const void *, const void *) {
                  auto &poster = *static_cast<Poster *>(observer);
                  poster.center.post(Saved{"a text that is longer than a word or two"});
                  poster.center.post(OnlyMoved{nullptr});
                  poster.heard_at_once = poster.heard.size();
              },
              begin.ref(), nullptr, &options, nullptr) == HeraldOK);
    own.center.suspend();
    own.center.post(begin);
    CHECK(own.heard.empty());
    own.center.resume();
    CHECK(own.heard_at_once == 1 && own.heard.size() == 2 && own.heard[0] == "moved");
    CHECK(own.heard[1] == "a text that is longer than a word or two");
}

TEST("R25: An observer that starts with what is kept hears it in the call that observes, and then later posts.") {
    const auto own = herald::center::create();
    std::string heard;
    CHECK(own.post_kept(Saved{"old"}) == HeraldOK && own.post_kept(Saved{"new"}) == HeraldOK);
    own.observe<Saved>([&](const Saved &m) { heard += m.path + "."; }, herald::start::kept);
    CHECK(heard == "new.");
    own.observe<Saved>([&](const Saved &m) { heard += m.path + "!"; });
    CHECK(own.post_kept(Saved{"a"}) == HeraldOK && own.post(Saved{"b"}) == 2 && heard == "new.a.a!b.b!");
    CHECK(own.forget<Saved>() && !own.forget<Saved>());
    auto view = std::make_shared<View>();
    own.observe<Saved>(view, &View::saved, herald::start::kept);
    CHECK(view->shown.empty() && own.post_kept(Saved{"c"}) == HeraldOK && view->shown == "c");
    CHECK(own.post_kept("doc.state", herald::message("on")) == HeraldOK);
    std::string text;
    own.observe_messages(
        "doc.state", [&](const herald::message &m) { text += m.text(); }, nullptr, herald::start::kept);
    CHECK(own.post("doc.state", herald::message(" off")) == HeraldOK && text == "on off");
    CHECK(own.post_kept(Level::high) == HeraldOK &&
          herald::center(nullptr).post_kept(Saved()) == HeraldInvalidArgument);
}

TEST("An observer is blocked and ended by its connection, on any center.") {
    const auto local = herald::center::local();
    int heard = 0;
    const herald::scoped_connection c = local.observe<Closed>([&](const Closed &) { heard++; });
    {
        const herald::blocker blocker(c);
        CHECK(local.post(Closed()) == 0 && c.blocked());
    }
    CHECK(local.post(Closed()) == 1 && heard == 1);
    CHECK(c.disconnect_and_wait() && local.post(Closed()) == 0);
}

TEST("R13: Equal texts are equal names, made of any kind of text; an empty name names nothing.") {
    const std::string text = "doc.saved";
    const herald::name a("doc.saved"), b(text), c(std::string_view(text).substr(0, 9));
    CHECK(a == b && b == c && a.text() == "doc.saved" && a && a != herald::name("doc.closed"));
    CHECK(!herald::name() && herald::name().text().empty() && herald::name() != a);
    CHECK(herald::name::find("doc.saved") == a && !herald::name::find("doc.never made"));
}

TEST("An observer of a name hears its posts, with object and info, from C, too.") {
    const auto own = herald::center::create();
    const int object = 1, info = 2;
    int heard = 0;
    const auto hear = [&](const herald::notice &n) {
        heard += n.name.text() == "doc.saved" && n.object == &object && n.info == &info && !n.tag;
    };
    own.observe("doc.saved", hear);
    own.observe("doc.saved", hear, &object);
    own.observe(std::string("doc.saved"), hear, &info);
    CHECK(own.post("doc.saved", &object, &info) == 2 && heard == 2);
    HeraldCenterPostNotification(own.ref(), HeraldNameCreate("doc.saved"), &object, &info, false);
    CHECK(heard == 4 && own.post("doc.closed") == 0 && own.post(std::string("doc.saved")) == 1);
}

TEST("R23: Messages carry bytes, a type and an object; observers of messages hear no plain posts.") {
    const auto own = herald::center::create();
    std::string text, type, object;
    int plain = 0, about = 0;
    own.observe_messages("doc.saved", [&](const herald::message &m) {
        text = m.text();
        type = m.type ? m.type : "";
        object = m.object ? m.object : "";
    });
    own.observe_messages(
        "doc.saved", [&](const herald::message &) { about++; }, "a.txt");
    own.observe("doc.saved", [&](const herald::notice &) { plain++; });
    own.post("doc.saved");
    CHECK(plain == 1 && text.empty());
    CHECK(own.post("doc.saved", herald::message("hello")) == HeraldOK);
    CHECK(text == "hello" && type == "text/plain" && object.empty() && about == 0 && plain == 2);
    const unsigned char bytes[] = {'x', 'y'};
    CHECK(own.post("doc.saved", herald::message(bytes, sizeof bytes, nullptr, "a.txt")) == HeraldOK);
    CHECK(text == "xy" && type.empty() && object == "a.txt" && about == 1);
    CHECK(own.post("doc.saved", herald::message()) == HeraldOK && text.empty());
#if __cplusplus >= 202002L
    const std::array<std::byte, 3> three = {std::byte('a'), std::byte('b'), std::byte('c')};
    std::size_t size = 0;
    own.observe_messages("doc.span", [&](const herald::message &m) { size = m.span().size(); });
    CHECK(own.post("doc.span", herald::message(three, "application/octet-stream")) == HeraldOK && size == 3);
#endif
}

TEST("The host center carries names and messages, on a thread of its own.") {
    const auto host = herald::center::host();
    check::door heard_name, heard_message, heard_method;
    std::string text;
    const herald::scoped_connection a = host.observe("com.acme.changed", [&](const herald::notice &n) {
        if (n.name.text() == "com.acme.changed") heard_name.open();
    });
    const herald::scoped_connection b = host.observe_messages("com.acme.saved", [&](const herald::message &m) {
        text = m.text();
        heard_message.open();
    });
    host.post("com.acme.changed");
    CHECK(host.post("com.acme.saved", herald::message("{}", "application/json")) == HeraldOK);
    CHECK(heard_name.wait() && heard_message.wait() && text == "{}");
    CHECK(host.post("com.acme.saved", herald::message(std::string_view(std::string(70000, 'x')))) == HeraldTooLarge);
    {
        const herald::blocker blocker(a);
        CHECK(a.blocked());
    }
    CHECK(a.connected() && a.disconnect_and_wait() && !a);
#if defined(__cpp_exceptions)
    THROWS(herald::error, host.observe<Saved>([](const Saved &) {}));
#endif
}

#if defined(__cpp_exceptions)
TEST("An exception of what an observer starts with leaves observe, and the observer is gone.") {
    const auto own = herald::center::create();
    CHECK(own.post_kept(Saved{"a"}) == HeraldOK);
    int heard = 0;
    THROWS(int, own.observe<Saved>(
                    [&, t = tracked()](const Saved &) {
                        heard++;
                        throw 1;
                    },
                    herald::start::kept));
    THROWS(int, own.observe<Saved>(
                    [&heard](const Saved &) {
                        heard++;
                        throw 1;
                    },
                    herald::start::kept));
    CHECK(heard == 2 && tracked::alive == 0 && own.post(Saved{"b"}) == 0 && heard == 2);
}
#endif
