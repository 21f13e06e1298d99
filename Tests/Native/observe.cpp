// A C++ program: a closure as an observer, owned by its registration.
#include <functional>
#include <herald/herald.h>
#include <herald/transport.h>
#include <iostream>
#include <memory>

using Handler = std::function<void(const char *)>;

static HeraldToken observe(HeraldCenterRef center, HeraldNameRef name, Handler handler) {
    HeraldObserverOptions options = {};
    options.size = sizeof options;
    options.release = [](void *observer) { delete static_cast<Handler *>(observer); };
    auto owned = std::make_unique<Handler>(std::move(handler));
    HeraldToken token = {};
    HeraldStatus status = HeraldCenterAddObserverWithOptions(
        center, owned.get(),
        [](HeraldCenterRef, void *observer, HeraldNameRef, const void *, const void *userInfo) {
            (*static_cast<Handler *>(observer))(static_cast<const char *>(userInfo));
        },
        name, nullptr, &options, &token);
    if (status == HeraldOK) owned.release();
    return token;
}

int main() {
    HeraldCenterRef center = HeraldCenterCreate(nullptr);
    HeraldNameRef name = HeraldNameCreate("document.saved");
    int heard = 0;
    HeraldToken token = observe(center, name, [&](const char *what) {
        heard++;
        std::cout << "saved " << what << "\n";
    });
    HeraldCenterPostNotification(center, name, nullptr, "notes.txt", false);
    bool removed = HeraldCenterRemoveToken(center, token);
    HeraldCenterPostNotification(center, name, nullptr, "lost.txt", false);
    HeraldCenterRelease(center);
    return removed && heard == 1 ? 0 : 1;
}
