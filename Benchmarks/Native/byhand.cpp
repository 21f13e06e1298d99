// Lists of observers as they are written by hand in C++, with the standard library alone: a list that is copied for
// each change, a list under a shared mutex, a list under a spin lock, and a dispatcher by strings.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <peer.h>
#include <sched.h>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

// An observer: a call and its context, released with the last reference.
struct Observer {
    void (*call)(void *context, const void *info);
    void *context;
    listener what;
    size_t number = 0; // by which it is removed; never used again
    Observer(void (*call)(void *, const void *), void *context, listener what = {})
        : call(call), context(context), what(what) {}
    Observer(const Observer &) = delete;
    ~Observer() {
        if (what.release) what.release(what.context);
    }
};

using Owned = std::shared_ptr<Observer>;
using List = std::vector<Owned>;

void hear(void *word, const void *info) {
    *static_cast<uint64_t *>(word) += 1;
    __asm__ volatile("" : : "r"(info));
}
void hear_here(void *, const void *info) {
    count_here();
    __asm__ volatile("" : : "r"(info));
}
Owned make_observer(uint64_t *word) { return std::make_shared<Observer>(word ? hear : hear_here, word); }
Owned make_observer(const listener *what) {
    auto made = std::make_shared<Observer>(
        [](void *context, const void *) {
            auto observer = static_cast<Observer *>(context);
            observer->what.call(observer->what.context);
        },
        nullptr, *what);
    made->context = made.get();
    return made;
}

void call_all(const List &list, const void *info) {
    for (auto &observer : list) observer->call(observer->context, info);
}
void *put_in(List &list, size_t &last, const Owned &observer) {
    observer->number = ++last;
    list.push_back(observer);
    return reinterpret_cast<void *>(observer->number);
}
// Returns it, so that the caller releases it outside of the lock.
Owned take_out(List &list, void *number) {
    for (auto at = list.end(); at != list.begin();) {
        if ((*--at)->number != reinterpret_cast<size_t>(number)) continue;
        Owned gone = std::move(*at);
        list.erase(at);
        return gone;
    }
    return nullptr;
}

// ---- Copied for each change: a post takes a reference to the list, atomically

struct Copied {
    std::shared_ptr<const List> list = std::make_shared<const List>();
    std::mutex changing;
    size_t last = 0;

    void *add(Owned observer) {
        std::lock_guard<std::mutex> lock(changing);
        auto next = std::make_shared<List>(*list);
        void *number = put_in(*next, last, observer);
        std::atomic_store(&list, std::shared_ptr<const List>(std::move(next)));
        return number;
    }
    void remove(void *number) {
        Owned gone;
        std::shared_ptr<const List> before;
        std::lock_guard<std::mutex> lock(changing);
        auto next = std::make_shared<List>(*list);
        if (!(gone = take_out(*next, number))) return;
        before = std::atomic_exchange(&list, std::shared_ptr<const List>(std::move(next)));
    }
    void post(const void *info) { call_all(*std::atomic_load(&list), info); }
};

// ---- Under a lock: it is held while observers are called

class Spin {
    std::atomic<bool> locked{false};

  public:
    void lock() {
        while (locked.exchange(true, std::memory_order_acquire))
            for (int i = 0; locked.load(std::memory_order_relaxed); i++)
                if (i % 64 == 63) sched_yield(); // the lock's owner may have no CPU
    }
    void unlock() { locked.store(false, std::memory_order_release); }
};

template <class Lock, class ForPosts> struct Locked {
    List list;
    Lock lock;
    size_t last = 0;

    void *add(Owned observer) {
        std::lock_guard<Lock> guard(lock);
        return put_in(list, last, observer);
    }
    void remove(void *number) {
        Owned gone;
        std::lock_guard<Lock> guard(lock);
        gone = take_out(list, number);
    }
    void post(const void *info) {
        ForPosts guard(lock);
        call_all(list, info);
    }
};
using Shared = Locked<std::shared_mutex, std::shared_lock<std::shared_mutex>>;
using Spinning = Locked<Spin, std::lock_guard<Spin>>;

// ---- By string: a table of lists, copied for each change; a lock for each look-up

struct Dispatcher {
    std::mutex lock;
    std::unordered_map<std::string, std::shared_ptr<const List>> lists;
    size_t last = 0;

    std::shared_ptr<const List> find(const std::string &name) {
        std::lock_guard<std::mutex> guard(lock);
        auto at = lists.find(name);
        return at == lists.end() ? nullptr : at->second;
    }
};

struct Named {
    Dispatcher &dispatcher;
    std::string name;

    void *add(Owned observer) {
        std::lock_guard<std::mutex> guard(dispatcher.lock);
        auto &list = dispatcher.lists[name];
        auto next = list ? std::make_shared<List>(*list) : std::make_shared<List>();
        void *number = put_in(*next, dispatcher.last, observer);
        list = std::move(next);
        return number;
    }
    void remove(void *number) {
        Owned gone;
        std::shared_ptr<const List> before;
        std::lock_guard<std::mutex> guard(dispatcher.lock);
        auto at = dispatcher.lists.find(name);
        if (at == dispatcher.lists.end()) return;
        auto next = std::make_shared<List>(*at->second);
        if (!(gone = take_out(*next, number))) return;
        before = std::move(at->second);
        if (next->empty()) {
            dispatcher.lists.erase(at);
        } else {
            at->second = std::move(next);
        }
    }
    void post(const void *info) {
        if (auto list = dispatcher.find(name)) call_all(*list, info);
    }
};

// ---- For the harness

template <class Place> Place &place_of(void *place) { return *static_cast<Place *>(place); }

template <class Place> peer by_hand(const char *name, const char *title, const char *ahead, int rank) {
    peer it = {};
    it.name = name;
    it.title = title;
    it.rival = "topic";
    it.ahead = ahead;
    it.rank = rank;
    it.thread_safe = true;
    it.owns = true;
    it.make_center = []() -> void * { return new Dispatcher; };
    it.end_center = [](void *center) { delete static_cast<Dispatcher *>(center); };
    if constexpr (!std::is_same_v<Place, Named>)
        it.make_place = [](void *, const char *, const void *) -> void * { return new Place; };
    else
        it.make_place = [](void *center, const char *name, const void *) -> void * {
            return new Place{*static_cast<Dispatcher *>(center), name};
        };
    it.end_place = [](void *place) { delete &place_of<Place>(place); };
    it.add = [](void *place, uint64_t *word) { return place_of<Place>(place).add(make_observer(word)); };
    it.observe = [](void *place, const listener *what) { return place_of<Place>(place).add(make_observer(what)); };
    it.remove = [](void *place, void *registration) { place_of<Place>(place).remove(registration); };
    it.post = [](void *place, long count) {
        for (auto &here = place_of<Place>(place); count; count--) here.post("what happened");
    };
    return it;
}

} // namespace

int main(int count, char **arguments) {
    peer peers[] = {
        by_hand<Copied>("byhand-copied", "by hand, shared_ptr copied on write", "unnamed", 112),
        by_hand<Shared>("byhand-shared", "by hand, shared_mutex", "unnamed under-lock", 113),
        by_hand<Spinning>("byhand-spin", "by hand, spin lock", "unnamed under-lock", 114),
        by_hand<Named>("byhand-string", "by hand, strings in a table, mutex", "unnamed", 115),
    };
    peers[3].lookup = "string";
    peers[3].rival = "string";
    return peer_main(count, arguments, peers, sizeof peers / sizeof *peers, nullptr, 0);
}
