// Signals, and Herald's centers, for C++17 and later. A header over the C library: link with -lherald.
//
//      herald::signal<void(const std::string &)> saved;              // one word; makes nothing until the first connect
//      herald::connection c = saved.connect([&](const std::string &path) { show(path); });
//      saved("notes.txt");                                           // calls the slots, in the order of connecting
//      c.disconnect();                                               // or keep it as a herald::scoped_connection
//
//      struct DocumentSaved { std::string path; };
//      auto o = herald::center::local().observe<DocumentSaved>([](const DocumentSaved &m) { ... });
//      herald::center::local().post(DocumentSaved{"notes.txt"});     // the type is the key
//
// THE WAYS TO CONNECT. The object of a method, and everything that a callable refers to, must outlive the connection.
//      connect(callable)                         a lambda, a function, a std::function, std::ref(callable)
//      connect<&View::show>(view)                a method that is known when compiling, also of a const object
//      connect<&show>()                          a function that is known when compiling
//      connect(&View::show, &view)               a method and an object
//      connect(owner, &View::show)               owner is a std::shared_ptr or std::weak_ptr, and is held weakly
//      connect<&View::show>(owner)               the same
//      connect(owner, callable)                  the callable gets the arguments, or the owner (View &) before them
//                                                if it does not take the arguments alone
//      connect(callable, stop_token)             C++20: until the token is stopped
//
// The rules stand at the end: THE RULES OF SIGNALS, ARGUMENTS, MEMORY, ERRORS and LIBRARIES.
//
// Signals and centers share connections and the ways to keep a callable, so they are in one file.
#ifndef HERALD_HERALD_HPP
#define HERALD_HERALD_HPP

#if defined(__cplusplus) && __cplusplus < 201703L
#error "herald.hpp needs C++17: compile with -std=c++17 or later"
#endif

#include <herald/host.h>
#include <herald/inspect.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <span>
#include <version>
#endif
#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif
#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

// Libraries that hide their own symbols share the types, and the centers of the signals, all the same.
#pragma GCC visibility push(default)

namespace herald {

#if defined(__cpp_exceptions)
/// Thrown by a call that has changed nothing. what() says what was wrong, and what would be right.
class error : public std::runtime_error {
  public:
    error(HeraldStatus status, const char *sentence) : std::runtime_error(sentence), status_(status) {}
    HeraldStatus status() const noexcept { return status_; }

  private:
    HeraldStatus status_;
};
#endif

namespace detail {

[[noreturn]] inline void fail(HeraldStatus status, const char *sentence) {
#if defined(__cpp_exceptions)
    if (status == HeraldOutOfMemory) throw std::bad_alloc();
    throw error(status, sentence);
#else
    std::fprintf(stderr, "herald: %s (%s)\n", sentence, HeraldStatusGetDescription(status));
    std::abort();
#endif
}

inline void check(HeraldStatus status) {
    if (status != HeraldOK) detail::fail(status, HeraldGetErrorDescription());
}

// ---- The centers of the signals -------------------------------------------------------------------------------------

// Signals have centers of their own, which nobody suspends and nobody observes as a whole. There are eight, so that
// threads that connect to different signals seldom wait for each other. They are made when they are needed, and last as
// long as the process: so a connection may use its center at any time.
struct home {
    std::atomic<HeraldCenterRef> center{nullptr};
    std::atomic<std::uint64_t> number{0}; // as in tokens; 0: not known yet

    HeraldCenterRef obtain() {
        HeraldCenterRef found = center.load(std::memory_order_acquire);
        if (found) return found;
        HeraldCenterOptions options{};
        options.size = sizeof options;
        options.staysQuiet = true;
        HeraldCenterRef made = HeraldCenterCreate(&options);
        if (!made) detail::fail(HeraldOutOfMemory, "there is no memory for the signals' center");
        HeraldCenterSetLabel(made, "signals");
        // Release: a thread that finds the center finds it complete. If two threads are first, one of the two stays.
        if (center.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
            found = made;
        } else {
            HeraldCenterRelease(made);
        }
        // Relaxed: a connection that does not see the number yet goes by its token alone.
        number.store(HeraldCenterGetNumber(found), std::memory_order_relaxed);
        return found;
    }
};

inline home homes[8];

// Multiplying spreads neighbours over the centers: signals are members of objects, at regular distances.
inline home &home_for(const void *signal) noexcept {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(signal));
    return homes[(address * 0x9E3779B97F4A7C15u) >> 61];
}

// The signals' center that the token names. NULL: it is another center, or one of a library with homes of its own.
inline HeraldCenterRef find_home(const home &likely, HeraldToken token) noexcept {
    const home *found = &likely;
    if (found->number.load(std::memory_order_relaxed) != token.center) { // the signal has been moved
        found = nullptr;
        for (const home &each : homes) {
            if (each.number.load(std::memory_order_relaxed) == token.center) found = &each;
        }
    }
    return found ? found->center.load(std::memory_order_acquire) : nullptr;
}

} // namespace detail

// ---- Connections ----------------------------------------------------------------------------------------------------

/// One slot of a signal, or one observer of a center, as a value: copies mean the same connection. It may outlive the
/// signal and the center; then it is over. A default-made connection is over.
class connection {
  public:
    constexpr connection() noexcept = default;
    /// The registration that a call of the C library has made.
    explicit constexpr connection(HeraldToken token) noexcept : token_(token) {}

    /// Ends the connection and does not wait (R6). False: it was over.
    bool disconnect() const noexcept {
        if (lasting_) return HeraldCenterRemoveToken(lasting_, token_);
        return token_.center != 0 && HeraldTokenRemove(token_);
    }
    /// Ends the connection, and waits until no thread is in the slot and its captures are destroyed. It waits, too, if
    /// another thread has ended the connection. Inside a slot or an observer it does not wait (R11).
    bool disconnect_and_wait() const noexcept {
        if (lasting_) return HeraldCenterRemoveTokenAndWait(lasting_, token_);
        return token_.center != 0 && HeraldTokenRemoveAndWait(token_);
    }
    /// Whether it has not ended. A connection that is blocked counts.
    bool connected() const noexcept { return ask(HeraldCenterHasToken); }
    explicit operator bool() const noexcept { return connected(); }

    /// Emissions that begin later do not call the slot, until unblock(). Blocking twice is ended by one unblock().
    /// False: the connection is over.
    bool block() const noexcept {
        return ask(
            [](HeraldCenterRef center, HeraldToken token) { return HeraldCenterSetTokenBlocked(center, token, true); });
    }
    bool unblock() const noexcept {
        return ask([](HeraldCenterRef center, HeraldToken token) {
            return HeraldCenterSetTokenBlocked(center, token, false);
        });
    }
    bool blocked() const noexcept { return ask(HeraldCenterIsTokenBlocked); }

    HeraldToken token() const noexcept { return token_; }

    /// Whether both mean the same connection, or both are default-made.
    friend bool operator==(const connection &a, const connection &b) noexcept {
        return a.token_.center == b.token_.center && a.token_.registration == b.token_.registration;
    }
    friend bool operator!=(const connection &a, const connection &b) noexcept { return !(a == b); }

  private:
    template <class Signature> friend class signal;
    constexpr connection(HeraldCenterRef lasting, HeraldToken token) noexcept : lasting_(lasting), token_(token) {}

    template <class Question> bool ask(Question question) const noexcept {
        if (lasting_) return question(lasting_, token_);
        HeraldCenterRef center = token_.center != 0 ? HeraldTokenRetainCenter(token_) : nullptr;
        const bool answer = center && question(center, token_);
        HeraldCenterRelease(center);
        return answer;
    }

    HeraldCenterRef lasting_ = nullptr; // a center that never ends; NULL: the token alone says which
    HeraldToken token_ = {0, 0};
};

/// A connection that ends with this object, which waits as disconnect_and_wait() does. So declare it after what the
/// slot uses.
class scoped_connection : public connection {
  public:
    scoped_connection() noexcept = default;
    scoped_connection(const connection &c) noexcept : connection(c) {} // NOLINT: meant to be implicit
    scoped_connection(scoped_connection &&other) noexcept : connection(other.release()) {}
    scoped_connection &operator=(scoped_connection &&other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    scoped_connection(const scoped_connection &) = delete;
    scoped_connection &operator=(const scoped_connection &) = delete;
    ~scoped_connection() { reset(); }

    /// Ends the connection that it has, then takes the other one.
    void reset(const connection &other = {}) noexcept {
        if (*this != other) disconnect_and_wait();
        own() = other;
    }
    /// Gives the connection up, without ending it.
    connection release() noexcept { return std::exchange(own(), connection()); }
    /// The connection, which this object goes on to own.
    const connection &get() const noexcept { return *this; }

  private:
    connection &own() noexcept { return *this; }
};

/// Blocks a connection as long as this object lives. It unblocks only what it has blocked itself, so they may be
/// nested. Threads that block the same connection must agree on the order.
class [[nodiscard]] blocker {
  public:
    explicit blocker(const connection &c) noexcept : connection_(c), has_blocked_(!c.blocked() && c.block()) {}
    blocker(const blocker &) = delete;
    blocker &operator=(const blocker &) = delete;
    ~blocker() {
        if (has_blocked_) connection_.unblock();
    }

  private:
    connection connection_;
    bool has_blocked_;
};

namespace detail {

// ---- Callables ------------------------------------------------------------------------------------------------------

// A callable that was named when compiling.
template <auto callable> struct constant {
    template <class... A, class = std::enable_if_t<std::is_invocable_v<decltype(callable), A...>>>
    void operator()(A &&...a) const {
        static_cast<void>(std::invoke(callable, std::forward<A>(a)...));
    }
};

// The same with an object before the arguments.
template <auto callable, class T> struct bound {
    T *object;
    template <class... A, class = std::enable_if_t<std::is_invocable_v<decltype(callable), T &, A...>>>
    void operator()(A &&...a) const {
        static_cast<void>(std::invoke(callable, *object, std::forward<A>(a)...));
    }
};

template <class Method, class T> struct method_of {
    Method method;
    T *object;
    template <class... A, class = std::enable_if_t<std::is_invocable_v<Method, T &, A...>>>
    void operator()(A &&...a) const {
        static_cast<void>(std::invoke(method, *object, std::forward<A>(a)...));
    }
};

// Whose owner is held weakly. The owner lives during the call. False: it is gone.
template <class T, class F> struct owned {
    std::weak_ptr<T> owner;
    F f;
    template <class... A> bool call_if_alive(A &&...a) {
        const std::shared_ptr<T> alive = owner.lock();
        if (!alive) return false;
        if constexpr (std::is_invocable_v<F &, A...>) {
            static_cast<void>(std::invoke(f, std::forward<A>(a)...));
        } else {
            static_cast<void>(std::invoke(f, *alive, std::forward<A>(a)...));
        }
        return true;
    }
};

template <class F> inline constexpr bool is_owned = false;
template <class T, class F> inline constexpr bool is_owned<owned<T, F>> = true;

template <class F, class T, class... A>
inline constexpr bool hears_with = std::is_invocable_v<F &, A...> || std::is_invocable_v<F &, T &, A...>;

// Smart pointers must not be taken for objects, although std::invoke would.
template <class T> inline constexpr bool is_pointer_like = std::is_pointer_v<T>;
template <class T> inline constexpr bool is_pointer_like<std::shared_ptr<T>> = true;
template <class T> inline constexpr bool is_pointer_like<std::weak_ptr<T>> = true;
template <class T, class D> inline constexpr bool is_pointer_like<std::unique_ptr<T, D>> = true;
template <class T> inline constexpr bool is_pointer_like<std::reference_wrapper<T>> = true;
template <class T> inline constexpr bool is_pointer_like<const T> = is_pointer_like<T>;

// A callable that only refers to what it calls.
template <class F> inline constexpr bool is_reference = std::is_pointer_v<F>;
template <class T> inline constexpr bool is_reference<std::reference_wrapper<T>> = true;
template <auto callable, class T> inline constexpr bool is_reference<bound<callable, T>> = true;

// A lambda with captures can be told from a class by three things: it is no aggregate, it cannot be default-made, and
// it cannot be assigned. A class might change its members in a call, so it is not copied for each call.
template <class F>
inline constexpr bool is_closure = std::is_class_v<F> && !std::is_aggregate_v<F> &&
                                   !std::is_default_constructible_v<F> && !std::is_copy_assignable_v<F>;

// Whether F can be the observer's pointer itself. A lambda that is `mutable` cannot: its calls change its captures.
template <class Reader, class F>
inline constexpr bool is_word = sizeof(F) <= sizeof(void *) && std::is_trivially_copyable_v<F> &&
                                (std::is_empty_v<F> || is_reference<F> ||
                                 (is_closure<F> && Reader::template calls<const F>));

// A callable that may be null is refused when it is connected: in an emission nobody expects the failure.
template <class F, class = void> struct can_be_null : std::false_type {};
template <class F>
struct can_be_null<F, std::void_t<decltype(std::declval<const F &>() == nullptr)>>
    : std::bool_constant<std::is_constructible_v<F, std::nullptr_t>> {};

template <class F> void refuse_null(const F &f) {
    if constexpr (can_be_null<std::decay_t<F>>::value && !std::is_function_v<F>) {
        if (f == nullptr)
            detail::fail(HeraldInvalidArgument, "connect: the callable is empty: give it a function to call");
    }
}

template <class T> T *refuse_null_object(T *object) {
    if (!object) detail::fail(HeraldInvalidArgument, "connect: the object of the method is null");
    return object;
}

// ---- Registrations --------------------------------------------------------------------------------------------------

// What a callback gets.
struct post {
    HeraldNameRef name;
    const void *object, *info, *tag;
};

// A Reader turns a post into the call of F. It returns false if the owner of F is gone: then the registration ends.
template <class F, class... A> bool call(F &f, A &&...a) {
    if constexpr (is_owned<F>) {
        return f.call_if_alive(std::forward<A>(a)...);
    } else {
        static_cast<void>(std::invoke(f, std::forward<A>(a)...));
        return true;
    }
}

template <class Reader, class F>
void call_block(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *info,
                const void *tag) {
    if (!Reader::read(*static_cast<F *>(observer), post{name, object, info, tag}))
        HeraldCenterRemoveToken(center, HeraldGetCurrentToken());
}

template <class F> void delete_block(void *observer) { delete static_cast<F *>(observer); }

template <class Reader, class F>
void call_word(HeraldCenterRef, void *observer, HeraldNameRef name, const void *object, const void *info,
               const void *tag) {
    alignas(void *) unsigned char bytes[sizeof(void *)];
    std::memcpy(bytes, &observer, sizeof bytes);
    static_cast<void>(Reader::read(*std::launder(reinterpret_cast<F *>(bytes)), post{name, object, info, tag}));
}

// Registers an observer: add(observer, callback, release, &token) does so in a signal or in a center. If it fails,
// `release` is called here. If it is left by an exception, of what it has called, the registration ends.
template <class Add>
HeraldToken hold(void *observer, HeraldTaggedCallback callback, void (*release)(void *), Add &&add) {
    struct addition {
        void *observer;
        void (*release)(void *);
        HeraldToken token;
        bool is_complete;
        ~addition() {
            if (is_complete) return;
            if (token.center != 0) {
                HeraldTokenRemove(token); // and its release hook runs
            } else if (release) {
                release(observer);
            }
        }
    } own{observer, release, {0, 0}, false};
    detail::check(add(observer, callback, release, &own.token));
    own.is_complete = true;
    return own.token;
}

// Registers a callable.
template <class Reader, class Given, class Add> HeraldToken observe(Given &&given, Add &&add) {
    using F = std::decay_t<Given>;
    if constexpr (is_word<Reader, F>) {
        void *word = nullptr;
        if constexpr (!std::is_empty_v<F>) {
            const F f(std::forward<Given>(given));
            std::memcpy(&word, std::addressof(f), sizeof f);
        }
        return detail::hold(word, &call_word<Reader, F>, nullptr, add);
    } else {
        return detail::hold(new F(std::forward<Given>(given)), &call_block<Reader, F>, &delete_block<F>, add);
    }
}

// ---- Emissions ------------------------------------------------------------------------------------------------------

template <class T> using passed = std::conditional_t<std::is_reference_v<T>, T, const T &>; // what a slot gets
template <class T> using taken = std::conditional_t<std::is_scalar_v<T>, T, passed<T>>;     // what emit takes

// On the emitter's stack. Its address is the userInfo of the post.
template <class... Args> struct emission {
    std::tuple<passed<Args> &&...> arguments;
    std::size_t gone; // how many of the calls were of slots whose owners are gone
};

template <class... Args> struct emitted {
    template <class F> static constexpr bool calls = std::is_invocable_v<F &, passed<Args>...>;
    template <class F> static bool read(F &f, const post &p) {
        auto &all = *static_cast<emission<Args...> *>(const_cast<void *>(p.info));
        const bool called = apply(f, all, std::index_sequence_for<Args...>());
        if (!called) all.gone++;
        return called;
    }
    template <class F, std::size_t... I>
    static bool apply(F &f, [[maybe_unused]] emission<Args...> &all, std::index_sequence<I...>) {
        return detail::call(f, static_cast<passed<Args> &&>(std::get<I>(all.arguments))...);
    }
};

#if defined(__cpp_lib_jthread)
// A slot that ends when a token is stopped. The registration uses it, and connect does until it returns: the token may
// be stopped, and the registration may end, at any time before that. The last of the two deletes it.
template <class F> struct until_stopped {
    struct stop {
        connection c;
        void operator()() const noexcept {
            const connection own = c; // ending the registration may destroy this object
            own.disconnect();
        }
    };
    F f;
    std::atomic<unsigned> users{2};
    std::optional<std::stop_callback<stop>> on_stop{}; // written by connect, destroyed with this object

    template <class Given> explicit until_stopped(std::in_place_t, Given &&given) : f(std::forward<Given>(given)) {}
    template <class... A> void operator()(A &&...a) { static_cast<void>(std::invoke(f, std::forward<A>(a)...)); }
    void leave() noexcept {
        // Acquire and release: the last one sees what the other has done.
        if (users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    struct leaver {
        void operator()(until_stopped *slot) const noexcept { slot->leave(); }
    };
    static void release(void *observer) { static_cast<until_stopped *>(observer)->leave(); }
};
#endif

} // namespace detail

// ---- Signals --------------------------------------------------------------------------------------------------------

template <class Signature> class signal {
    static_assert(!sizeof(Signature *), "a signal ignores what its slots return: write herald::signal<void(Args...)>");
};

/// A signal: see the head of this file, and the rules at its end.
template <class... Args> class signal<void(Args...)> {
    template <class F>
    static constexpr bool hears =
        std::is_invocable_v<std::decay_t<F> &, detail::passed<Args>...> &&std::is_constructible_v<std::decay_t<F>, F>;
    template <class T, class F>
    static constexpr bool hears_with = detail::hears_with<std::decay_t<F>, T, detail::passed<Args>...>;
    template <auto callable, class T>
    static constexpr bool is_bound =
        std::is_invocable_v<decltype(callable), T &, detail::passed<Args>...> && !detail::is_pointer_like<T>;
    using reader = detail::emitted<Args...>;

  public:
    constexpr signal() noexcept = default;
    signal(signal &&other) noexcept : topic_(other.topic_.exchange(nullptr, std::memory_order_acq_rel)) {}
    signal &operator=(signal &&other) noexcept {
        signal taken(std::move(other));
        swap(taken);
        return *this;
    }
    /// Ends all connections, without waiting for calls on other threads.
    ~signal() {
        if (HeraldTopicRef topic = topic_.load(std::memory_order_acquire)) HeraldTopicRelease(topic);
    }

    void swap(signal &other) noexcept {
        HeraldTopicRef own = topic_.load(std::memory_order_acquire);
        topic_.store(other.topic_.exchange(own, std::memory_order_acq_rel), std::memory_order_release);
    }
    friend void swap(signal &a, signal &b) noexcept { a.swap(b); }

    /// A callable.
    template <class F, class = std::enable_if_t<hears<F>>> connection connect(F &&f) {
        detail::refuse_null(f);
        return add(std::forward<F>(f));
    }
    /// A function that is known when compiling.
    template <auto callable, class = std::enable_if_t<std::is_invocable_v<decltype(callable), detail::passed<Args>...>>>
    connection connect() {
        return add(detail::constant<callable>());
    }
    /// A method that is known when compiling, or a function that takes the object before the arguments.
    template <auto callable, class T, class = std::enable_if_t<is_bound<callable, T>>> connection connect(T &object) {
        return add(detail::bound<callable, T>{std::addressof(object)});
    }
    template <auto callable, class T, class = std::enable_if_t<is_bound<callable, T>>> connection connect(T *object) {
        return add(detail::bound<callable, T>{detail::refuse_null_object(object)});
    }
    /// A method and an object.
    template <class Method, class T,
              class = std::enable_if_t<std::is_member_pointer_v<Method> &&
                                       std::is_invocable_v<Method, T &, detail::passed<Args>...>>>
    connection connect(Method method, T *object) {
        detail::refuse_null(method);
        return add(detail::method_of<Method, T>{method, detail::refuse_null_object(object)});
    }
    /// While the owner lives. It is held weakly, and lives during each call. The first emission after its end ends the
    /// connection. An owner that is null, or gone already, gives a connection that is over.
    template <class T, class F, class = std::enable_if_t<hears_with<T, F>>>
    connection connect(const std::weak_ptr<T> &owner, F &&f) {
        detail::refuse_null(f);
        if (owner.expired()) return {};
        return add(detail::owned<T, std::decay_t<F>>{owner, std::forward<F>(f)});
    }
    template <class T, class F, class = std::enable_if_t<hears_with<T, F>>>
    connection connect(const std::shared_ptr<T> &owner, F &&f) {
        return connect(std::weak_ptr<T>(owner), std::forward<F>(f));
    }
    template <auto callable, class T, class = std::enable_if_t<is_bound<callable, T>>>
    connection connect(const std::weak_ptr<T> &owner) {
        return connect(owner, callable);
    }
    template <auto callable, class T, class = std::enable_if_t<is_bound<callable, T>>>
    connection connect(const std::shared_ptr<T> &owner) {
        return connect(std::weak_ptr<T>(owner), callable);
    }
#if defined(__cpp_lib_jthread)
    /// Until the token is stopped, on any thread. Stopping does not wait for calls on other threads. A token that is
    /// stopped already gives a connection that is over.
    template <class F, class = std::enable_if_t<hears<F>>> connection connect(F &&f, std::stop_token token) {
        using slot = detail::until_stopped<std::decay_t<F>>;
        detail::refuse_null(f);
        if (token.stop_requested()) return {};
        const std::unique_ptr<slot, typename slot::leaver> own(new slot(std::in_place, std::forward<F>(f)));
        const connection c = to(detail::hold(own.get(), &detail::call_block<reader, slot>, &slot::release,
                                             [this](auto... how) { return HeraldTopicAddObserver(obtain(), how...); }));
        own->on_stop.emplace(std::move(token), typename slot::stop{c}); // disconnects at once if it has been stopped
        return c;
    }
#endif

    /// Calls the slots. Returns how many it has called.
    std::size_t emit(detail::taken<Args>... args) const {
        // Acquire: partner of obtain(). Nothing of this object is used after the post, in which it may be destroyed.
        HeraldTopicRef topic = topic_.load(std::memory_order_acquire);
        if (!topic) return 0;
        detail::emission<Args...> all{
            std::tuple<detail::passed<Args> &&...>(static_cast<detail::passed<Args> &&>(args)...), 0};
        const std::size_t called = HeraldTopicPost(topic, &all);
        return called - all.gone;
    }
    void operator()(detail::taken<Args>... args) const { emit(static_cast<detail::taken<Args> &&>(args)...); }

    /// Ends all connections, without waiting for calls on other threads.
    void clear() noexcept { HeraldTopicRemoveEveryObserver(topic_.load(std::memory_order_acquire)); }
    /// How many connections there are. Those whose owners are gone count until the next emission.
    std::size_t size() const noexcept {
        HeraldTopicRef topic = topic_.load(std::memory_order_acquire);
        return topic ? HeraldTopicGetObserverCount(topic) : 0;
    }
    bool empty() const noexcept { return size() == 0; }

  private:
    template <class F> connection add(F &&f) {
        return to(detail::observe<reader>(std::forward<F>(f),
                                          [this](auto... how) { return HeraldTopicAddObserver(obtain(), how...); }));
    }
    connection to(HeraldToken token) const noexcept {
        return connection(detail::find_home(detail::home_for(this), token), token);
    }
    HeraldTopicRef obtain() {
        HeraldTopicRef found = topic_.load(std::memory_order_acquire);
        if (found) return found;
        HeraldTopicRef made = HeraldTopicCreateUnnamed(detail::home_for(this).obtain());
        if (!made) detail::fail(HeraldOutOfMemory, "there is no memory for a signal");
        // Release: a thread that finds the topic finds it complete. If two threads are first, one of the two stays.
        if (topic_.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire))
            return made;
        HeraldTopicRelease(made);
        return found;
    }

    std::atomic<HeraldTopicRef> topic_{nullptr}; // NULL until the first connect
};

// ---- Names, notices and messages ------------------------------------------------------------------------------------

/// A name: interned, compared by its pointer (R13). An empty name names nothing: a post of it calls nobody.
class name {
  public:
    constexpr name() noexcept = default;
    /// herald::error for a text that is null, empty or not UTF-8, or that contains a zero.
    name(const char *utf8) : ref_(HeraldNameCreate(utf8)) { // NOLINT: meant to be implicit
        if (!ref_) detail::fail(HeraldInvalidArgument, "a name is UTF-8 of one byte or more (or there is no memory)");
    }
    name(const std::string &utf8) : name(checked(utf8)) {}   // NOLINT: meant to be implicit
    name(std::string_view utf8) : name(std::string(utf8)) {} // NOLINT: meant to be implicit
    explicit constexpr name(HeraldNameRef ref) noexcept : ref_(ref) {}
    /// The name if it exists, else an empty one. For names to post that come from outside the program.
    static name find(const char *utf8) noexcept { return name(HeraldNameFind(utf8)); }

    HeraldNameRef ref() const noexcept { return ref_; }
    explicit operator bool() const noexcept { return ref_ != nullptr; }
    /// Its text, for the life of the process. Empty for an empty name, and for a name that is an address.
    std::string_view text() const noexcept {
        const char *text = HeraldNameGetUTF8String(ref_);
        return text ? std::string_view(text) : std::string_view();
    }
    friend bool operator==(const name &a, const name &b) noexcept { return a.ref_ == b.ref_; }
    friend bool operator!=(const name &a, const name &b) noexcept { return a.ref_ != b.ref_; }

  private:
    static const char *checked(const std::string &utf8) {
        if (utf8.find('\0') != std::string::npos) detail::fail(HeraldInvalidArgument, "a name contains a zero byte");
        return utf8.c_str();
    }
    HeraldNameRef ref_ = nullptr;
};

/// What an observer of a name gets. All pointers are borrowed for the call.
struct notice {
    herald::name name;
    const void *object, *info, *tag;
};

/// A message (R23), to post and as it arrives. All that it points to is borrowed: for the post, or for the call.
struct message {
    const void *bytes = nullptr;
    std::size_t length = 0;
    const char *type = nullptr;   // a media type such as "application/json"; null: not stated
    const char *object = nullptr; // what it is about; null: nothing in particular
    // Observers get these three; a post ignores them. HeraldMessage (message.h) says more.
    std::uint64_t sequence = 0, missed = 0, sender = 0;

    message() noexcept = default;
    message(const void *its_bytes, std::size_t its_length, const char *its_type = nullptr,
            const char *its_object = nullptr) noexcept
        : bytes(its_bytes), length(its_length), type(its_type), object(its_object) {}
    explicit message(std::string_view its_text, const char *its_type = "text/plain",
                     const char *its_object = nullptr) noexcept
        : message(its_text.data(), its_text.size(), its_type, its_object) {}
    explicit message(const HeraldMessage &m) noexcept
        : bytes(m.bytes), length(m.length), type(m.type), object(m.object), sequence(m.sequence), missed(m.missed),
          sender(m.sender) {}
    std::string_view text() const noexcept { return {static_cast<const char *>(bytes), length}; }
#if __cplusplus >= 202002L
    explicit message(std::span<const std::byte> its_bytes, const char *its_type = nullptr,
                     const char *its_object = nullptr) noexcept
        : message(its_bytes.data(), its_bytes.size(), its_type, its_object) {}
    std::span<const std::byte> span() const noexcept { return {static_cast<const std::byte *>(bytes), length}; }
#endif
};

namespace detail {

// A type of messages: the address of `address` is the name, and the tag. A center that has to deliver a post later
// keeps a copy of the message; if it cannot be copied, the post overtakes those that wait.
template <class M> struct kind {
    alignas(8) static inline char address = 0;
    static HeraldNameRef name() noexcept { return HeraldNameForAddress(&address); }
    static const void *tag() {
        static const bool described = describe();
        static_cast<void>(described);
        return &address;
    }
    static bool describe() {
        HeraldTagOptions options{};
        options.size = sizeof options;
        if constexpr (std::is_copy_constructible_v<M>) {
            options.retainUserInfo = [](const void *info) -> const void * {
                return new (std::nothrow) M(*static_cast<const M *>(info));
            };
            options.releaseUserInfo = [](const void *info) { delete static_cast<const M *>(info); };
        } else {
            options.borrowed = true;
        }
        const HeraldStatus status = HeraldTagSetOptions(&address, &options);
        if (status == HeraldOutOfMemory) detail::fail(status, HeraldGetErrorDescription());
        return true;
    }
};

template <class M> struct typed {
    template <class F> static constexpr bool calls = std::is_invocable_v<F &, const M &>;
    template <class F> static bool read(F &f, const post &p) {
        if (!p.info || p.tag != &kind<M>::address) return true; // C has posted this address
        return detail::call(f, *static_cast<const M *>(p.info));
    }
};

struct noticed {
    template <class F> static constexpr bool calls = std::is_invocable_v<F &, const notice &>;
    template <class F> static bool read(F &f, const post &p) {
        const notice all{name(p.name), p.object, p.info, p.tag};
        return detail::call(f, all);
    }
};

struct messaged {
    template <class F> static constexpr bool calls = std::is_invocable_v<F &, const message &>;
    template <class F> static bool read(F &f, const post &) {
        const HeraldMessage *current = HeraldGetCurrentMessage();
        if (!current) return true; // a plain post of the name
        const message all(*current);
        return detail::call(f, all);
    }
};

// Types whose values post() takes for messages: no texts, which are names.
template <class M, class... Others> inline constexpr bool is_none_of = (!std::is_same_v<M, Others> && ...);
template <class M>
inline constexpr bool is_message = is_none_of<M, name, message, std::string, std::string_view> &&
                                   (std::is_class_v<M> || std::is_union_v<M> ||
                                    std::is_enum_v<M>)&&std::is_same_v<M, std::remove_cv_t<M>>;

// For the functions in which a type is written that nobody can post.
template <class M> constexpr void require_message() {
    static_assert(is_message<M>, "the type of a message is a class, a union or an enumeration, without const");
}

} // namespace detail

// ---- Centers --------------------------------------------------------------------------------------------------------

/// What an observer hears first (R25).
enum class start {
    next, ///< the next post
    kept  ///< what is kept, in the call that observes; on the host center soon after it, on Herald's thread
};

/// A center (R19). Copies mean the same center, which lives as long as one of them. A moved-from center has none: then
/// posts call nobody, and observing gives herald::error.
class center {
  public:
    /// The center of this process.
    static center local() noexcept { return center(HeraldCenterGetLocalCenter()); }
    /// The center of all processes of the user (host.h). It carries names and messages; types stay in the process. Its
    /// observers are called on a thread of Herald's, so they must not throw.
    static center host() { return center(made(HeraldCenterGetHostCenter())); }
    /// A new center.
    static center create() {
        center own(nullptr);
        own.ref_ = made(HeraldCenterCreate(nullptr));
        return own;
    }
    /// A center of the C library. It is retained.
    explicit center(HeraldCenterRef ref) noexcept : ref_(HeraldCenterRetain(ref)) {}
    center(const center &other) noexcept : ref_(HeraldCenterRetain(other.ref_)) {}
    center(center &&other) noexcept : ref_(std::exchange(other.ref_, nullptr)) {}
    center &operator=(center other) noexcept {
        std::swap(ref_, other.ref_);
        return *this;
    }
    ~center() { HeraldCenterRelease(ref_); }

    HeraldCenterRef ref() const noexcept { return ref_; }
    friend bool operator==(const center &a, const center &b) noexcept { return a.ref_ == b.ref_; }
    friend bool operator!=(const center &a, const center &b) noexcept { return a.ref_ != b.ref_; }

    /// Observes the messages of type M: f(const M &). If f throws in this call, the observer is gone again.
    template <class M, class F, class = std::enable_if_t<std::is_invocable_v<std::decay_t<F> &, const M &>>>
    connection observe(F &&f, start from = start::next) const {
        detail::require_message<M>();
        return add<detail::typed<M>>(std::forward<F>(f), detail::kind<M>::name(), nullptr, from);
    }
    /// While the owner lives, as in signal::connect: f is a method, f(const M &), or f(owner, const M &).
    template <class M, class T, class F, class = std::enable_if_t<detail::hears_with<std::decay_t<F>, T, const M &>>>
    connection observe(const std::weak_ptr<T> &owner, F &&f, start from = start::next) const {
        detail::require_message<M>();
        detail::refuse_null(f);
        if (owner.expired()) return {};
        return add<detail::typed<M>>(detail::owned<T, std::decay_t<F>>{owner, std::forward<F>(f)},
                                     detail::kind<M>::name(), nullptr, from);
    }
    template <class M, class T, class F, class = std::enable_if_t<detail::hears_with<std::decay_t<F>, T, const M &>>>
    connection observe(const std::shared_ptr<T> &owner, F &&f, start from = start::next) const {
        return observe<M>(std::weak_ptr<T>(owner), std::forward<F>(f), from);
    }
    /// Observes the posts of a name, messages included: f(const herald::notice &). Object null: of any object.
    template <class F, class = std::enable_if_t<std::is_invocable_v<std::decay_t<F> &, const notice &>>>
    connection observe(const name &n, F &&f, const void *object = nullptr) const {
        return add<detail::noticed>(std::forward<F>(f), n.ref(), object, start::next);
    }
    /// Observes the messages of a name, and no plain posts: f(const herald::message &). Object null: of any object.
    template <class F, class = std::enable_if_t<std::is_invocable_v<std::decay_t<F> &, const message &>>>
    connection observe_messages(const name &n, F &&f, const char *object = nullptr, start from = start::next) const {
        const void *about = object ? HeraldObjectForString(object) : nullptr;
        if (object && !about) detail::fail(HeraldInvalidArgument, "an object is UTF-8 (or there is no memory)");
        return add<detail::messaged>(std::forward<F>(f), n.ref(), about, from);
    }

    /// Posts a message of a type. Returns how many observers were called. Observers of a base class are not: the type
    /// that is written is the key.
    template <class M, class = std::enable_if_t<detail::is_message<M>>> std::size_t post(const M &m) const {
        return HeraldCenterPostTagged(ref_, detail::kind<M>::name(), nullptr, &m, detail::kind<M>::tag(), 0);
    }
    /// Posts a name. Returns how many observers were called before it returned.
    std::size_t post(const name &n, const void *object = nullptr, const void *info = nullptr) const {
        return HeraldCenterPostNotification(ref_, n.ref(), object, info, false);
    }
    /// A text is no object: write herald::message("...").
    template <std::size_t size> std::size_t post(const name &n, const char (&text)[size]) const = delete;
    /// Posts a message of a name. The statuses are those of HeraldCenterPostMessage.
    HeraldStatus post(const name &n, const message &m) const { return post_bytes(n, m, 0); }

    /// Posts a message, and keeps a copy for observers that come later: state, such as settings (R25). The statuses are
    /// those of HeraldCenterPostKept and HeraldCenterPostMessage.
    template <class M, class = std::enable_if_t<detail::is_message<M>>> HeraldStatus post_kept(const M &m) const {
        static_assert(std::is_copy_constructible_v<M>, "a message that is kept is copied");
        return HeraldCenterPostKept(ref_, detail::kind<M>::name(), nullptr, &m, detail::kind<M>::tag(), 0, nullptr);
    }
    HeraldStatus post_kept(const name &n, const message &m) const { return post_bytes(n, m, HeraldPostKeep); }
    /// Forgets the message that is kept; later observers begin without it. False: none is kept.
    template <class M> bool forget() const {
        detail::require_message<M>();
        return HeraldCenterForget(ref_, detail::kind<M>::name(), nullptr);
    }

    /// Suspends and resumes the center (R16). These observers hear posts at once all the same; others may not.
    void suspend() const { HeraldCenterSetSuspended(ref_, true); }
    void resume() const { HeraldCenterSetSuspended(ref_, false); }

  private:
    static HeraldCenterRef made(HeraldCenterRef ref) {
        if (!ref) detail::fail(HeraldOutOfMemory, "there is no memory for a center");
        return ref;
    }
    HeraldStatus post_bytes(const name &n, const message &m, unsigned options) const {
        HeraldMessage own{};
        own.size = sizeof own;
        own.bytes = m.bytes;
        own.length = m.length;
        own.type = m.type;
        own.object = m.object;
        own.options = options;
        return HeraldCenterPostMessage(ref_, n.ref(), &own);
    }
    template <class Reader, class F> connection add(F &&f, HeraldNameRef n, const void *object, start from) const {
        detail::refuse_null(f);
        if (!n) detail::fail(HeraldInvalidArgument, "observe: the name is empty");
        HeraldObserverOptions options{};
        options.size = sizeof options;
        options.start = from == start::kept ? HeraldStartKept : HeraldStartNext;
        const auto how = [&](void *observer, HeraldTaggedCallback callback, void (*release)(void *),
                             HeraldToken *token) {
            options.taggedCallback = callback;
            options.release = release;
            return HeraldCenterAddObserverWithOptions(ref_, observer, nullptr, n, object, &options, token);
        };
        return connection(detail::observe<Reader>(std::forward<F>(f), how));
    }

    HeraldCenterRef ref_;
};

} // namespace herald

#pragma GCC visibility pop

// THE RULES OF SIGNALS are those of the contract (CONTRACT.md):
//      An emission calls the slots in the order in which they were connected (R2), on its own thread (R3). It does not
//      call a slot that is connected during the emission (R5), nor one that is disconnected before it is reached (R6).
//      Slots may emit, connect, disconnect, clear, swap and destroy the signal, and throw (R7, R17). An exception
//      leaves the emission; the slots after it are not called.
//      disconnect() does not wait: another thread may be in the slot, or may already have decided to call it.
//      disconnect_and_wait() and scoped_connection wait until no thread is in the slot and its captures are destroyed,
//      so that the caller may free what the slot uses (R11). Inside a slot or an observer they do not wait.
//      Captures are destroyed once, after the last call on every thread (R10), under no lock.
//      All calls may be made from any thread at the same time, except that nobody may move, swap or destroy a signal
//      while another thread uses it.
//
// ARGUMENTS. An emission allocates nothing, takes no lock (R14) and copies no argument. A slot gets T as const T &, and
// T & and T && as they are. So a slot that takes a value makes its own copy, and a slot that moves from a T && leaves
// the rest to the slots after it. Results of slots are ignored.
//
// MEMORY. These need no memory of their own: a function, a method that is known when compiling, and a lambda whose
// captures are one word (such as [this] and [&x]). Such a lambda is called in a copy: it must not rely on its address,
// or on a `mutable` member of an object that it has captured. Any other callable is in one block.
//
// ERRORS. If memory is out, std::bad_alloc is thrown. An empty std::function, a null pointer to a function, method or
// object, and a call that the C library refuses give herald::error. Nothing has changed then. With -fno-exceptions the
// program ends with a sentence. Emitting and disconnecting never fail.
//
// LIBRARIES. A signal may be made in one library and used in another. A library must end its connections before it is
// unloaded. A type of messages is the same in a program and in a plugin that it opens if the type is visible in both
// (default visibility), and the program shows its symbols (-rdynamic).
#endif
