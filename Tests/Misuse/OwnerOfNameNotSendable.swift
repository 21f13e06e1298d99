// expect: type 'View' does not conform to the 'Sendable' protocol
import Herald

final class View {
    var count = 0
}

func watch(_ view: View, _ center: HeraldCenter) {
    center.observe("saved", by: view) { view, _ in view.count += 1 }
}
