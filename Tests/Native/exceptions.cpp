// R17: C++ exceptions from observers and hooks, through every call that runs one. Prints "N passed, N failed".
#include <cstdio>
#include <herald/herald.h>
#include <herald/inspect.h>
#include <herald/transport.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static int passed, failed;
#define CHECK(condition) ((condition) ? passed++ : (failed++, std::printf("%d: %s\n", __LINE__, #condition), 0))

// Whether several hooks of one call may throw. Not in a library built by clang: there a second exception on top of the
// first ends the process (see herald.h).
#ifdef __clang__
static const bool several = false;
#else
static const bool several = true;
#endif

struct Counter {
    int calls = 0, released = 0, limit = 1000;
    HeraldToken token = {};
};

static void throwing(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *, const void *) {
    auto self = static_cast<Counter *>(observer);
    if (++self->calls % 5) HeraldCenterPostNotification(center, name, nullptr, nullptr, false); // five deep
    throw std::runtime_error("from an observer");
}
static void counting(HeraldCenterRef, void *observer, HeraldNameRef, const void *, const void *) {
    static_cast<Counter *>(observer)->calls++;
}
static void released(void *observer) { static_cast<Counter *>(observer)->released++; }
static void released_throwing(void *observer) {
    static_cast<Counter *>(observer)->released++;
    throw std::runtime_error("from a release");
}

static void add(HeraldCenterRef center, Counter &counter, HeraldCallback callback, const char *name,
                HeraldSuspensionBehavior behavior = HeraldSuspensionHold, void (*release)(void *) = released) {
    HeraldObserverOptions options = {};
    options.size = sizeof options;
    options.suspensionBehavior = behavior;
    options.release = release;
    CHECK(HeraldCenterAddObserverWithOptions(center, &counter, callback, HeraldNameCreate(name), nullptr, &options,
                                             &counter.token) == HeraldOK);
}

template <typename Act> static bool throws(Act act) {
    try {
        act();
    } catch (const std::runtime_error &) {
        return true;
    }
    return false;
}

struct Told {
    int begun = 0, ended = 0, unwound = 0;
};
static void note(void *context, const HeraldTraceEvent *event) {
    auto told = static_cast<Told *>(context);
    bool begins = event->phase == HeraldTracePostBegin || event->phase == HeraldTraceCallBegin;
    (begins ? told->begun : told->ended)++;
    if (event->outcome == HeraldTraceUnwound) told->unwound++;
}
static void a_trace_tells_of_what_is_thrown() { // R24
    HeraldCenterRef center = HeraldCenterCreate(nullptr);
    HeraldNameRef name = HeraldNameCreate("told");
    HeraldToken trace;
    Counter counter;
    Told told;
    add(center, counter, throwing, "told");
    CHECK(HeraldTraceStart(center, nullptr, note, &told, nullptr, &trace) == HeraldOK);
    CHECK(throws([&] { HeraldCenterPostNotification(center, name, nullptr, nullptr, false); }));
    CHECK(counter.calls == 5 && told.begun == 10 && told.ended == 10 && told.unwound == 10);
    counter.calls = 1000;
    HeraldCenterRemoveToken(center, counter.token);
    HeraldCenterPostNotification(center, name, nullptr, nullptr, false); // the thread is in no post any more
    CHECK(told.begun == 11 && told.ended == 11 && told.unwound == 10);
    CHECK(HeraldTraceStop(trace));
    HeraldCenterRelease(center);
}

static void an_observer_may_throw() {
    HeraldCenterRef center = HeraldCenterCreate(nullptr);
    HeraldNameRef name = HeraldNameCreate("throw");
    Counter bad, later;
    add(center, bad, throwing, "throw");
    add(center, later, counting, "throw");
    HeraldTopicRef topic = HeraldTopicCreate(center, name, nullptr);
    for (int i = 0; i < 50; i++) {
        CHECK(throws([&] { HeraldCenterPostNotification(center, name, nullptr, nullptr, false); }));
        CHECK(throws([&] { HeraldTopicPost(topic, nullptr); }));
    }
    CHECK(later.calls == 0);
    CHECK(HeraldGetCurrentTag() == nullptr);
    std::thread([&] { CHECK(HeraldCenterRemoveTokenAndWait(center, bad.token)); }).join(); // nothing is pinned
    CHECK(bad.released == 1);
    CHECK(HeraldTopicPost(topic, nullptr) == 1);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
    CHECK(later.released == 1);
}

static void nested(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *, const void *) {
    auto self = static_cast<Counter *>(observer);
    if (++self->calls < self->limit) {
        HeraldCenterPostNotification(center, name, nullptr, nullptr, false);
    } else {
        HeraldCenterRemoveToken(center, self->token);
        throw std::runtime_error("from the deepest");
    }
}

static void an_observer_may_throw_from_any_depth() {
    for (int depth : {1, 7, 8, 9, 30}) { // beyond eight, posts have overflow frames
        HeraldCenterRef center = HeraldCenterCreate(nullptr);
        Counter deep;
        deep.limit = depth;
        add(center, deep, nested, "deep");
        CHECK(throws([&] { HeraldCenterPostNotification(center, HeraldNameCreate("deep"), nullptr, nullptr, false); }));
        CHECK(deep.released == 1);
        HeraldCenterRelease(center);
    }
}

static void an_observer_may_throw_on_resume() {
    HeraldCenterRef center = HeraldCenterCreate(nullptr);
    HeraldNameRef name = HeraldNameCreate("throw");
    Counter bad, later;
    bad.calls = 4; // throws at once
    add(center, bad, throwing, "throw");
    add(center, later, counting, "throw");
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name, nullptr, nullptr, false);
    CHECK(throws([&] { HeraldCenterSetSuspended(center, false); }));
    CHECK(later.calls == 0);
    CHECK(HeraldCenterRemoveTokenAndWait(center, bad.token));
    CHECK(HeraldCenterPostNotification(center, name, nullptr, nullptr, false) == 1);
    CHECK(later.calls == 2); // the remaining deliveries were made first
    HeraldCenterRelease(center);
}

// R25. `throws_at`: throws in this call, or, if it is 0, when it has begun.
static int kept_calls, begins, throws_at;
static void hear_kept(HeraldCenterRef, void *, HeraldNameRef, const void *, const void *) {
    if (++kept_calls == throws_at) throw std::runtime_error("from an observer");
}
static void a_follower_may_throw() {
    for (throws_at = 0; throws_at <= 4; throws_at++) {
        HeraldCenterRef center = HeraldCenterCreate(nullptr);
        HeraldNameRef name = HeraldNameCreate("kept");
        static const char object = 0;
        Counter counter;
        kept_calls = begins = 0;
        auto keep = [&](const void *about) {
            CHECK(HeraldCenterPostKept(center, name, about, nullptr, nullptr, 0, nullptr) == HeraldOK);
        };
        keep(nullptr);
        keep(&object);
        HeraldObserverOptions options = {};
        options.size = sizeof options;
        options.release = released;
        options.start = HeraldStartKept;
        options.began = [](void *, size_t kept, HeraldStatus status) {
            CHECK(kept == 2 && kept_calls == 2 && status == HeraldOK);
            if (begins++ == 0 && throws_at == 0) throw std::runtime_error("when it has begun");
        };
        bool thrown = throws([&] {
            CHECK(HeraldCenterAddObserverWithOptions(center, &counter, hear_kept, name, nullptr, &options,
                                                     &counter.token) == HeraldOK);
        });
        CHECK(thrown == (throws_at < 3));
        CHECK(thrown ? kept_calls == (throws_at ? throws_at : 2) : begins == 1);
        CHECK(!HeraldPostIsKept());
        // What is left is heard at the next kept post, then this one.
        CHECK(throws([&] { keep(nullptr); }) == (throws_at == 3));
        CHECK(kept_calls == 3 && begins == 1);
        CHECK(throws([&] { keep(&object); }) == (throws_at == 4));
        CHECK(kept_calls == 4);
        std::thread([&] { CHECK(HeraldCenterRemoveTokenAndWait(center, counter.token)); }).join(); // nothing is shown
        CHECK(counter.released == 1);
        HeraldCenterRelease(center);
    }
}

static int values_released;
static void a_kept_posts_hooks_may_throw() {
    HeraldCenterOptions options = {};
    options.size = sizeof options;
    options.retainUserInfo = [](const void *info) -> const void * {
        if (info == &throws_at) throw std::runtime_error("from a retain");
        return info;
    };
    options.releaseUserInfo = [](const void *) {
        values_released++;
        throw std::runtime_error("from a release of userInfo");
    };
    HeraldCenterRef center = HeraldCenterCreate(&options);
    HeraldNameRef name = HeraldNameCreate("kept");
    auto keep = [&](const void *info) { HeraldCenterPostKept(center, name, nullptr, info, nullptr, 0, nullptr); };
    auto take = [](void *, const void *, const void *) { throw std::runtime_error("from a reader"); };
    auto visit = [](void *, HeraldNameRef, const void *, const void *, const void *) {
        throw std::runtime_error("from a reader");
    };
    CHECK(throws([&] { keep(&throws_at); }));
    CHECK(!HeraldCenterForget(center, name, nullptr));
    keep(&values_released);
    CHECK(throws([&] { HeraldCenterTakeKept(center, name, nullptr, take, nullptr); }));
    CHECK(throws([&] { HeraldCenterVisitKept(center, visit, nullptr); }));
    CHECK(values_released == 0);
    CHECK(throws([&] { keep(&options); }) && values_released == 1); // it is kept
    CHECK(throws([&] { HeraldCenterForget(center, name, nullptr); }) && values_released == 2);
    keep(&values_released);
    CHECK(throws([&] { HeraldCenterRelease(center); }) && values_released == 3);
}

static void a_release_may_throw() {
    HeraldCenterRef center = HeraldCenterCreate(nullptr);
    Counter counters[4], other;
    for (auto &counter : counters) add(center, counter, counting, "r", HeraldSuspensionHold, released_throwing);
    CHECK(throws([&] { HeraldCenterRemoveToken(center, counters[0].token); }));
    CHECK(counters[0].released == 1);
    CHECK(throws([&] { HeraldCenterRemoveTokenAndWait(center, counters[1].token); }));
    CHECK(counters[1].released == 1);
    for (int i = 0; i < 20000; i++) { // no slot is lost
        add(center, other, counting, "r", HeraldSuspensionHold, released_throwing);
        throws([&] { HeraldCenterRemoveTokenAndWait(center, other.token); });
    }
    CHECK(other.released == 20000);
    CHECK((other.token.registration & UINT32_MAX) < 10000);
    if (!several) CHECK(throws([&] { HeraldCenterRemoveToken(center, counters[2].token); }));
    CHECK(throws([&] { HeraldCenterRelease(center); }));
    CHECK(counters[2].released == 1 && counters[3].released == 1);
}

static int given, destroyed, lasts;
static void a_center_may_die_by_a_throw() {
    HeraldTransport transport = {};
    transport.size = sizeof transport;
    transport.destroy = [](void *) { destroyed++; };
    transport.lastObserver = [](void *, HeraldCenterRef, HeraldNameRef) {
        lasts++;
        throw std::runtime_error("from a transport");
    };
    HeraldCenterOptions options = {};
    options.size = sizeof options;
    options.retainUserInfo = [](const void *info) { return info; };
    options.releaseUserInfo = [](const void *) {
        given++;
        throw std::runtime_error("from a release of userInfo");
    };
    HeraldCenterRef center;
    HeraldCenterCreateWithTransport(&options, &transport, &center);
    Counter a, b;
    add(center, a, counting, "a");
    add(center, b, counting, "b");
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) HeraldCenterPostNotification(center, HeraldNameCreate("a"), nullptr, &a, false);
    HeraldCenterPostNotification(center, HeraldNameCreate("b"), nullptr, &b, false);
    CHECK(throws([&] { HeraldCenterRemoveToken(center, a.token); }));
    CHECK(a.released == 1 && given == 3 && lasts == 1);
    std::thread([&] { // the turn has been given up
        Counter c;
        add(center, c, counting, "c");
        CHECK(throws([&] { HeraldCenterRemoveTokenAndWait(center, c.token); }));
        CHECK(c.released == 1);
    })
        .join();
    CHECK(throws([&] { HeraldCenterRelease(center); }));
    CHECK(b.released == 1 && given == 4 && destroyed == 1 && lasts == 3);
}

static int asked;
static void a_transport_may_throw_when_asked() {
    HeraldTransport transport = {};
    transport.size = sizeof transport;
    transport.firstObserver = [](void *, HeraldCenterRef, HeraldNameRef) -> HeraldStatus {
        if (++asked == 1) throw std::runtime_error("from a transport");
        return HeraldOK;
    };
    HeraldCenterRef center;
    HeraldCenterCreateWithTransport(nullptr, &transport, &center);
    Counter counter;
    CHECK(throws([&] { add(center, counter, counting, "a"); }));
    CHECK(!HeraldCenterHasObservers(center, HeraldNameCreate("a")));
    add(center, counter, counting, "a");
    CHECK(asked == 2 && HeraldCenterHasObservers(center, HeraldNameCreate("a")));
    HeraldCenterRelease(center);
    CHECK(counter.released == 1);
}

/* The hook of levels: what it throws refuses an add, and does not keep a removal from its end. */
static int told;
static bool throws_when_told;
static uint64_t newest;
static void a_transport_may_throw_when_told() {
    HeraldTransport transport = {};
    transport.size = sizeof transport;
    transport.observed = [](void *, HeraldCenterRef, HeraldNameRef, bool isObserved, uint64_t version) -> HeraldStatus {
        if (throws_when_told) throw std::runtime_error("from a transport");
        CHECK(version > newest);
        newest = version;
        told += isObserved ? 1 : -1;
        return HeraldOK;
    };
    HeraldCenterRef center;
    HeraldCenterCreateWithTransport(nullptr, &transport, &center);
    Counter a, b;
    throws_when_told = true;
    CHECK(throws([&] { add(center, a, counting, "a"); }));
    CHECK(!HeraldCenterHasObservers(center, HeraldNameCreate("a")) && told == 0);
    throws_when_told = false;
    add(center, a, counting, "a");
    add(center, b, counting, "b");
    CHECK(told == 2);
    throws_when_told = true;
    CHECK(throws([&] { HeraldCenterRemoveTokenAndWait(center, a.token); }));
    CHECK(a.released == 1);
    CHECK(throws([&] { HeraldCenterRelease(center); }));
    CHECK(b.released == 1 && told == 2);
    throws_when_told = false;
}

static void released_exiting(void *observer) {
    static_cast<Counter *>(observer)->released++;
    pthread_exit(nullptr);
}
static void releases_may_end_their_thread() {
    static Counter counters[4];
    static HeraldCenterRef center = HeraldCenterCreate(nullptr);
    for (auto &counter : counters) add(center, counter, counting, "x", HeraldSuspensionHold, released_exiting);
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
            HeraldCenterRelease(center);
            return nullptr;
        },
        nullptr);
    pthread_join(thread, nullptr);
    for (auto &counter : counters) CHECK(counter.released == 1);
}

// A release that a fork has left to the child, and that throws, leaves the end of another center whole (R10, R18).
static volatile bool is_called, may_return;
static void waiting(HeraldCenterRef, void *, HeraldNameRef, const void *, const void *) {
    is_called = true;
    while (!may_return) usleep(1000);
}
static void an_inherited_release_may_throw() {
    static HeraldCenterRef first = HeraldCenterCreate(nullptr);
    HeraldCenterRef second = HeraldCenterCreate(nullptr);
    Counter a, b;
    add(first, a, waiting, "x", HeraldSuspensionDeliverImmediately, released_throwing);
    add(second, b, counting, "x", HeraldSuspensionDeliverImmediately, released);
    std::thread poster(
        [] { throws([&] { HeraldCenterPostNotification(first, HeraldNameCreate("x"), nullptr, nullptr, false); }); });
    while (!is_called) usleep(1000);
    HeraldCenterRemoveToken(first, a.token);
    pid_t child = fork();
    if (child == 0) {
        throws([&] { HeraldCenterRelease(second); });
        _exit(b.released == 1 ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    may_return = true;
    poster.join();
    HeraldCenterRelease(second);
    HeraldCenterRelease(first);
}

static void throwing_tagged(HeraldCenterRef, void *observer, HeraldNameRef, const void *, const void *, const void *) {
    static_cast<Counter *>(observer)->calls++;
    throw std::runtime_error("from an observer");
}
static void counting_tagged(HeraldCenterRef, void *observer, HeraldNameRef, const void *, const void *, const void *) {
    static_cast<Counter *>(observer)->calls++;
}

static void a_signal_may_throw_and_end_by_a_throw() { // R29
    HeraldCenterRef center = HeraldCenterCreate(nullptr);
    HeraldTopicRef signal = HeraldTopicCreateUnnamed(center);
    Counter before, throwing, after, release;
    auto connect = [&](Counter &counter, HeraldTaggedCallback callback, void (*hook)(void *)) {
        CHECK(HeraldTopicAddObserver(signal, &counter, callback, hook, &counter.token) == HeraldOK);
    };
    connect(before, counting_tagged, released);
    connect(throwing, throwing_tagged, released);
    connect(after, counting_tagged, released);
    CHECK(throws([&] { HeraldTopicPost(signal, nullptr); }));
    CHECK(before.calls == 1 && throwing.calls == 1 && after.calls == 0);
    CHECK(HeraldCenterSetTokenBlocked(center, throwing.token, true));
    CHECK(HeraldTopicPost(signal, nullptr) == 2 && after.calls == 1);
    CHECK(HeraldGetCurrentToken().center == 0);
    connect(release, counting_tagged, released_throwing);
    CHECK(throws([&] { HeraldTopicRemoveEveryObserver(signal); }));
    CHECK(release.released == 1 && before.released == 1 && throwing.released == 1 && after.released == 1);
    connect(release, counting_tagged, released_throwing);
    HeraldCenterRelease(center); // the signal keeps it
    CHECK(throws([&] { HeraldTopicRelease(signal); }));
    CHECK(release.released == 2 && !HeraldTokenRetainCenter(release.token));
}

int main() {
    a_trace_tells_of_what_is_thrown();
    an_observer_may_throw();
    an_observer_may_throw_from_any_depth();
    an_observer_may_throw_on_resume();
    a_follower_may_throw();
    a_kept_posts_hooks_may_throw();
    a_release_may_throw();
    if (several) a_center_may_die_by_a_throw();
    a_transport_may_throw_when_asked();
    a_transport_may_throw_when_told();
    if (several) releases_may_end_their_thread();
    an_inherited_release_may_throw();
    a_signal_may_throw_and_end_by_a_throw();
    std::printf("exceptions: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
