#include "check.hpp"

#include <array>
#include <memory>
#include <string>

GROUP("arguments");

namespace {

enum class color { red, green };
struct abstract {
    virtual int value() const = 0;
    virtual ~abstract() = default;
};
struct concrete final : abstract {
    int value() const override { return 5; }
};

} // namespace

TEST("R14: An emission allocates nothing and copies no argument, whatever the arguments are.") {
    herald::signal<void(tracked, const tracked &, tracked &, int, const char *, std::string)> s;
    int heard = 0;
    for (int i = 0; i < 10; i++) {
        s.connect([&](const tracked &, const tracked &, tracked &, int n, const char *, const std::string &text) {
            heard += n + static_cast<int>(text.size());
        });
    }
    tracked a, b, c;
    const std::string text(100, 'x');
    s(a, b, c, 1, "", text); // a thread's first post makes room for it
    tracked::copies = tracked::moves = 0;
    heard = 0;
    const std::size_t before = check::allocations();
    for (int i = 0; i < 100; i++) s(a, b, c, 1, "", text);
    CHECK(check::allocations() == before);
    CHECK(tracked::copies == 0 && tracked::moves == 0 && heard == 100 * 10 * 101);
}

TEST("A slot that takes a value makes one copy; the others none.") {
    herald::signal<void(tracked)> s;
    s.connect([](tracked) {});
    s.connect([](const tracked &) {});
    s.connect([](auto) {});
    s.connect([](const auto &) {});
    tracked t;
    tracked::copies = tracked::moves = 0;
    s(t);
    CHECK(tracked::copies == 2 && tracked::moves == 0);
    s(tracked());
    CHECK(tracked::copies == 4 && tracked::moves == 0);
}

TEST("A reference goes to the emitter's own variable.") {
    herald::signal<void(int &, std::string &)> s;
    s.connect([](int &n, std::string &text) {
        n++;
        text += 'a';
    });
    s.connect([](int &n, const std::string &) { n++; });
    int n = 0;
    std::string text;
    s(n, text);
    CHECK(n == 2 && text == "a");
}

TEST("An rvalue reference goes as it is: the first slot that moves from it leaves an empty value to the others.") {
    herald::signal<void(std::unique_ptr<int> &&)> s;
    int looked = 0, taken = 0, left = 0;
    s.connect([&](std::unique_ptr<int> &&p) { looked = *p; });
    s.connect([&](std::unique_ptr<int> p) { taken = *p; });
    s.connect([&](std::unique_ptr<int> &&p) { left = p ? 1 : 2; });
    s(std::make_unique<int>(8));
    CHECK(looked == 8 && taken == 8 && left == 2);
}

TEST("A value that can only be moved is passed as a constant reference.") {
    herald::signal<void(std::unique_ptr<int>)> s;
    int sum = 0;
    s.connect([&](const std::unique_ptr<int> &p) { sum += *p; });
    s.connect([&](const auto &p) { sum += *p; });
    s(std::make_unique<int>(4));
    CHECK(sum == 8);
}

TEST("A generic slot cannot change a value that others get, too.") {
    herald::signal<void(int)> s;
    bool is_constant = false;
    int heard = 0;
    s.connect([&](auto &&n) { is_constant = std::is_const_v<std::remove_reference_t<decltype(n)>>; });
    s.connect([&](int n) { heard = n++; });
    s.connect([&](int n) { heard += n; });
    s(3);
    CHECK(is_constant && heard == 6);
}

TEST("What is emitted is converted once, to the signal's type.") {
    herald::signal<void(const std::string &, double, color)> s;
    std::string text;
    double number = 0;
    s.connect([&](const std::string &t, double n, color) {
        text = t;
        number = n;
    });
    s.connect([&](std::string_view t, float, color c) { CHECK(t == "a" && c == color::green); });
    s("a", 2, color::green);
    CHECK(text == "a" && number > 1.5);
}

TEST("Abstract classes, arrays, functions and wide tuples travel as well.") {
    herald::signal<void(const abstract &, const std::array<int, 64> &, void (*)(int &), const int(&)[2],
                        std::nullptr_t)>
        s;
    int sum = 0;
    s.connect([&](const abstract &a, const std::array<int, 64> &all, void (*change)(int &), const int(&two)[2],
                  std::nullptr_t) {
        sum = a.value() + all[63] + two[1];
        change(sum);
    });
    const std::array<int, 64> all = {};
    const int two[2] = {1, 2};
    s(
        concrete(), all, [](int &n) { n *= 2; }, two, nullptr);
    CHECK(sum == 14);
    herald::signal<void(std::tuple<int>, std::tuple<>)> tuples;
    tuples.connect([&](std::tuple<int> t, std::tuple<>) { sum = std::get<0>(t); });
    tuples(std::tuple<int>(9), std::tuple<>());
    CHECK(sum == 9);
}

TEST("Twelve arguments arrive in their order.") {
    herald::signal<void(int, int, int, int, int, int, int, int, int, int, int, int)> s;
    std::string heard;
    s.connect([&](auto... all) { ((heard += static_cast<char>('a' + all)), ...); });
    s(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    CHECK(heard == "abcdefghijkl");
}
