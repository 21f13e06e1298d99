import Herald

final class View: @unchecked Sendable {
    var count = 0
}

func watch(_ view: View, _ center: HeraldCenter) {
    center.observe("saved", by: view) { view, _ in view.count += 1 }
}
