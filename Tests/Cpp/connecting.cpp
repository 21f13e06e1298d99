#include "check.hpp"

#include <string>

GROUP("connecting");

namespace {

struct View {
    int shown = 0;
    mutable int looked = 0;
    void show(int n) { shown = n; }
    void show_quietly(int n) noexcept { shown = n; }
    void look(int n) const { looked = n; }
    void look_quietly(int n) const noexcept { looked = n; }
    int show_and_tell(int n) { return shown = n; }
    void over(int n) { shown = n; }
    void over(const std::string &) { shown = -1; }
    virtual void draw(int n) { shown = n; }
    View() = default;
    View(const View &) = delete;
    virtual ~View() = default;
};
struct Wide {
    long before = 0;
};
struct Derived : Wide, View {
    int drawn = 0;
    void draw(int n) override { drawn = n; }
};

int called;
void plain(int n) { called = n; }
void quiet(int n) noexcept { called = n; }
void with_view(View &view, int n) { view.shown = n; }

// Its calls change it: it must not be copied for each of them.
struct counter {
    int *out;
    int count;
    explicit counter(int *o) : out(o), count(0) {}
    void operator()() { *out = ++count; }
};
struct small_counter {
    mutable int count = 0;
    int operator()(int &out) const { return out = ++count; }
};
struct overloaded {
    int *heard;
    void operator()(int) const { *heard = 1; }
    void operator()(const std::string &) const { *heard = 2; }
};
template <class Signal, class Slot, class = void> constexpr bool connects = false;
template <class Signal, class Slot>
constexpr bool connects<Signal, Slot, std::void_t<decltype(std::declval<Signal &>().connect(std::declval<Slot>()))>> =
    true;
using of_int = herald::signal<void(int)>;
static_assert(connects<of_int, void (*)(int)> && connects<of_int, void (*)(long)>);
static_assert(!connects<of_int, void (*)()>, "a slot takes all arguments");
static_assert(!connects<of_int, void (*)(int &)>, "a slot does not change a value that others get, too");
static_assert(!connects<of_int, void (*)(std::string)> && !connects<of_int, int> && !connects<of_int, View &>);
static_assert(!connects<const of_int, void (*)(int)>);
static_assert(connects<herald::signal<void(int &)>, void (*)(int &)>);

struct alignas(64) wide_slot {
    int *wrong;
    void operator()() const {
        if (reinterpret_cast<std::uintptr_t>(this) % 64 != 0) ++*wrong;
    }
};

} // namespace

TEST("A method that is known when compiling is called, constant or noexcept or virtual, too.") {
    herald::signal<void(int)> s;
    View view;
    const View constant;
    Derived derived;
    s.connect<&View::show>(view);
    s.connect<&View::look>(constant);
    s.connect<&View::look_quietly>(view);
    s.connect<&View::draw>(derived);
    CHECK(s.emit(3) == 4 && view.shown == 3 && constant.looked == 3 && view.looked == 3 && derived.drawn == 3);
    s.connect<&View::show_quietly>(&view);
    s.connect<&View::show_and_tell>(view);
    s.connect<&with_view>(view);
    CHECK(s.emit(4) == 7 && view.shown == 4);
}

TEST("A method and an object are called, also of a base class, constant, noexcept or overloaded.") {
    herald::signal<void(int)> s;
    View view;
    Derived derived;
    const View constant;
    s.connect(&View::show, &view);
    s.connect(&View::look, &constant);
    s.connect(&View::look_quietly, &view);
    s.connect(&View::draw, &derived);
    s.connect(&View::show_and_tell, &derived);
    s.connect(static_cast<void (View::*)(int)>(&View::over), &view);
    CHECK(s.emit(5) == 6 && view.shown == 5 && constant.looked == 5 && derived.drawn == 5 && derived.shown == 5);
}

TEST("Functions are called: by name, by pointer, and known when compiling.") {
    herald::signal<void(int)> s;
    s.connect(plain);
    s(1);
    CHECK(called == 1);
    s.clear();
    s.connect(&quiet);
    s(2);
    CHECK(called == 2);
    s.clear();
    s.connect<&plain>();
    s.connect<quiet>();
    CHECK(s.emit(3) == 2 && called == 3);
}

TEST("Lambdas are called: generic, noexcept, variadic, without and with captures of any size.") {
    herald::signal<void(int)> s;
    int sum = 0;
    long wide[4] = {1, 2, 3, 4};
    s.connect([&](auto n) { sum += n; });
    s.connect([&](const auto &...all) noexcept { sum += (0 + ... + all); });
    s.connect([&sum, wide](int) { sum += static_cast<int>(wide[3]); });
    s.connect([](int n) { called = n; });
    CHECK(s.emit(10) == 4 && sum == 24 && called == 10);
}

TEST("An object with several calls is called by the one that fits.") {
    herald::signal<void(int)> numbers;
    herald::signal<void(const std::string &)> texts;
    int heard = 0;
    numbers.connect(overloaded{&heard});
    numbers(1);
    CHECK(heard == 1);
    texts.connect(overloaded{&heard});
    texts("a");
    CHECK(heard == 2);
}

TEST("A std::function and a std::ref are called.") {
    herald::signal<void()> s;
    int calls = 0, last = 0;
    counter own(&last);
    s.connect(std::function<void()>([&] { calls++; }));
    s.connect(std::ref(own));
    s();
    s();
    CHECK(calls == 2 && own.count == 2);
}

TEST("A slot keeps what its calls change, be it as small as a word.") {
    herald::signal<void()> s;
    int last = 0, mutated = 0;
    s.connect(counter(&last));
    s.connect([&mutated, n = 0]() mutable { mutated = ++n; });
    s();
    s();
    s();
    CHECK(last == 3 && mutated == 3);
    herald::signal<void(int &)> small;
    small.connect(small_counter());
    int n = 0;
    small(n);
    small(n);
    CHECK(n == 2);
    static int of_mutable;
    herald::signal<void()> tiny;
    tiny.connect([count = 0]() mutable { of_mutable = ++count; });
    tiny();
    tiny();
    CHECK(of_mutable == 2);
}

TEST("A slot may have captures that can only be moved, and is moved into its place.") {
    herald::signal<void()> s;
    int heard = 0;
    s.connect([&heard, own = std::make_unique<int>(6)] { heard = *own; });
    s();
    CHECK(heard == 6);
    tracked::copies = 0;
    tracked t;
    s.connect([t = std::move(t)] { static_cast<void>(t); });
    CHECK(tracked::copies == 0);
}

TEST("A slot that must lie at a multiple of 64 does so.") {
    herald::signal<void()> s;
    int wrong = 0;
    for (int i = 0; i < 8; i++) s.connect(wide_slot{&wrong});
    CHECK(s.emit() == 8 && wrong == 0);
}

TEST("A function, a bound method and a lambda of one word need no block; another lambda needs one.") {
    herald::signal<void(int)> s;
    View view;
    int heard = 0;
    long pad = 0;
    const auto count = [&](auto connect) {
        const std::size_t before = check::blocks();
        connect();
        return check::blocks() - before;
    };
    CHECK(count([&] { s.connect(plain); }) == 0);
    CHECK(count([&] { s.connect<&plain>(); }) == 0);
    CHECK(count([&] { s.connect<&View::show>(view); }) == 0);
    CHECK(count([&] { s.connect([&heard](int n) { heard += n; }); }) == 0);
    CHECK(count([&] { s.connect([pad](int) { static_cast<void>(pad); }); }) == 0);
    CHECK(count([&] { s.connect([](int) {}); }) == 0);
    CHECK(count([&] { s.connect([&heard, pad](int n) { heard += n + static_cast<int>(pad); }); }) == 1);
    CHECK(count([&] { s.connect(&View::show, &view); }) == 1);
    CHECK(s.emit(1) == 8 && view.shown == 1 && heard == 2);
}

TEST("A weak owner's method and callable are called while the owner lives, and not once it is gone.") {
    herald::signal<void(int)> s;
    auto view = std::make_shared<View>();
    int alone = 0, with = 0;
    const auto a = s.connect(view, &View::show);
    const auto b = s.connect(std::weak_ptr<View>(view), [&](int n) { alone = n; });
    const auto c = s.connect(view, [&](View &v, int n) { with = v.shown + n; });
    const auto d = s.connect<&View::look>(view);
    const auto e = s.connect<&View::draw>(std::weak_ptr<View>(view));
    CHECK(view.use_count() == 1);
    CHECK(s.emit(2) == 5 && view->shown == 2 && view->looked == 2 && alone == 2 && with == 4);
    view.reset();
    CHECK(a.connected() && s.size() == 5);
    CHECK(s.emit(3) == 0 && alone == 2 && with == 4);
    CHECK(s.empty() && !a && !b && !c && !d && !e);
}

TEST("An owner lives during the call of its slot, and its captures are destroyed with the connection.") {
    herald::signal<void()> s;
    auto owner = std::make_shared<tracked>();
    bool alive = false;
    s.connect(owner, [&, t = tracked()](tracked &) {
        owner.reset();
        alive = tracked::alive == 2;
    });
    CHECK(s.emit() == 1 && alive && tracked::alive == 1);
    CHECK(s.emit() == 0 && tracked::alive == 0 && s.empty());
}

TEST("Slots of living owners are called after those of dead ones.") {
    herald::signal<void(int)> s;
    auto dead = std::make_shared<View>(), alive = std::make_shared<View>();
    s.connect(dead, &View::show);
    s.connect(alive, &View::show);
    s.connect(dead, &View::show);
    dead.reset();
    CHECK(s.emit(1) == 1 && alive->shown == 1 && s.size() == 1);
}

TEST("An owner that is null or gone gives a connection that is over.") {
    herald::signal<void(int)> s;
    std::shared_ptr<View> none;
    std::weak_ptr<View> gone = std::make_shared<View>();
    CHECK(!s.connect(none, &View::show) && !s.connect(gone, &View::show) && !s.connect<&View::show>(none));
    CHECK(s.empty() && s.emit(1) == 0);
}

TEST("An owner's slot may end the owner's last reference, and with it the signal.") {
    struct Owner {
        std::shared_ptr<Owner> self;
        herald::signal<void()> signal;
        tracked t;
    };
    auto owner = std::make_shared<Owner>();
    owner->self = owner;
    owner->signal.connect(owner, [](Owner &o) { o.self.reset(); });
    herald::signal<void()> &signal = owner->signal;
    owner.reset();
    CHECK(signal.emit() == 1);
}
