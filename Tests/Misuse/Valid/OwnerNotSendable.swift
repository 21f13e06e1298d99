import Herald

struct Saved: HeraldCenter.Message {}

final class View: @unchecked Sendable {
    var count = 0
}

func watch(_ view: View, _ center: HeraldCenter) {
    center.observe(Saved.self, by: view) { view, _ in view.count += 1 }
}
