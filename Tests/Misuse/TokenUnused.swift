// expect-warning: result of call to 'observe(_:_:file:line:)' is unused
import Herald

struct Saved: HeraldCenter.Message {}

#if MISUSE
func watch(_ center: HeraldCenter) {
    center.observe(Saved.self) { _ in }
}
#else
final class Watcher: Sendable {
    func watch(_ center: HeraldCenter) {
        center.observe(Saved.self, by: self) { _, _ in }
    }
}
#endif
