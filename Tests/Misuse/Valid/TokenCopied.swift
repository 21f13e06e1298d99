import Herald

struct Saved: HeraldCenter.Message {}

final class Watcher {
    var token: HeraldCenter.ObservationToken?

    func watch(_ center: HeraldCenter) {
        token = center.observe(Saved.self) { _ in }
    }

    func stop() {
        token?.cancel()
        token = nil
    }

    deinit { token?.cancel() }
}

func watch(_ center: HeraldCenter) {
    let token = center.observe(Saved.self) { _ in }
    let moved = token
    defer { moved.cancel() }
    center.post(Saved())
}
