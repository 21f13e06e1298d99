// expect: 'token' used after consume
import Herald

struct Saved: HeraldCenter.Message {}

#if !MISUSE
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
#endif

func watch(_ center: HeraldCenter) {
    let token = center.observe(Saved.self) { _ in }
    #if MISUSE
    let copy = token
    token.cancel()
    copy.cancel()
    #else
    let moved = token
    defer { moved.cancel() }
    center.post(Saved())
    #endif
}
