import Herald

struct Saved: HeraldCenter.Message {}

final class View: Sendable {}

func watch(_ view: View, _ center: HeraldCenter) {
    center.observe(Saved.self, by: view) { _, _ in }
}
