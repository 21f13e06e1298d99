import Herald

struct Saved: HeraldCenter.Message {}

final class Watcher: Sendable {
    func watch(_ center: HeraldCenter) {
        center.observe(Saved.self, by: self) { _, _ in }
    }
}
