#include "check.hpp"

#if defined(__cpp_lib_jthread)
#include <stop_token>
#include <vector>

GROUP("stopping");

TEST("Stopping the token ends the connection, and destroys the captures.") {
    herald::signal<void()> s;
    std::stop_source source;
    int heard = 0;
    const auto c = s.connect([&, t = tracked()] { heard++; }, source.get_token());
    s();
    CHECK(c.connected() && heard == 1);
    source.request_stop();
    CHECK(!c && s.empty() && s.emit() == 0 && heard == 1 && tracked::alive == 0);
}

TEST("A token that is stopped already connects nothing; one that cannot be stopped connects for good.") {
    herald::signal<void()> s;
    std::stop_source source;
    source.request_stop();
    const std::size_t before = check::allocations();
    CHECK(!s.connect([t = tracked()] { static_cast<void>(t); }, source.get_token()) && s.empty());
    CHECK(check::allocations() == before);
    const auto c = s.connect([t = tracked()] { static_cast<void>(t); }, std::stop_token());
    CHECK(c.connected() && s.emit() == 1 && c.disconnect() && tracked::alive == 0);
}

TEST("A slot may stop its own token, and lives until its call returns.") {
    herald::signal<void()> s;
    std::stop_source source;
    int alive = 0;
    s.connect(
        [&, t = tracked()] {
            source.request_stop();
            alive = tracked::alive;
        },
        source.get_token());
    CHECK(s.emit() == 1 && s.emit() == 0 && alive == 1 && tracked::alive == 0);
}

TEST("A connection that ended before the token is stopped leaves nothing with the token.") {
    std::stop_source source;
    {
        herald::signal<void()> s;
        s.connect([t = tracked()] { static_cast<void>(t); }, source.get_token());
        const auto c = s.connect([t = tracked()] { static_cast<void>(t); }, source.get_token());
        c.disconnect();
        CHECK(tracked::alive == 1);
    }
    CHECK(tracked::alive == 0);
    source.request_stop();
}

TEST("Tokens may be stopped while threads connect and emit: nothing is left connected.") {
    for (int round = 0; round < 200; round++) {
        herald::signal<void()> s;
        std::stop_source source;
        std::atomic<int> ready{0};
        std::thread connecting([&] {
            ready++;
            while (ready < 3) {
            }
            for (int i = 0; i < 10; i++) s.connect([t = tracked()] { static_cast<void>(t); }, source.get_token());
        });
        std::thread emitting([&] {
            ready++;
            while (ready < 3) {
            }
            for (int i = 0; i < 10; i++) s();
        });
        ready++;
        while (ready < 3) {
        }
        source.request_stop();
        connecting.join();
        emitting.join();
        CHECK(s.empty() && tracked::alive == 0);
    }
}

TEST("A signal may be cleared while threads connect with tokens, and stop them.") {
    for (int round = 0; round < 200; round++) {
        herald::signal<void()> s;
        std::atomic<bool> is_done{false};
        std::thread connecting([&] {
            for (int i = 0; i < 20; i++) {
                std::stop_source source;
                s.connect([t = tracked()] { static_cast<void>(t); }, source.get_token());
                if (i % 2) source.request_stop();
            }
            is_done = true;
        });
        while (!is_done) s.clear();
        connecting.join();
        s.clear();
        CHECK(s.empty() && tracked::alive == 0);
    }
}

TEST("A std::jthread's token ends the connections of its thread.") {
    herald::signal<void()> s;
    check::door is_connected;
    {
        std::jthread thread([&](std::stop_token token) {
            s.connect([] {}, token);
            is_connected.open();
        });
        CHECK(is_connected.wait() && s.size() == 1);
    }
    CHECK(s.empty());
}
#endif
