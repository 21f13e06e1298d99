// expect: type 'View' does not conform to the 'Sendable' protocol
import Herald

struct Saved: HeraldCenter.Message {}

#if MISUSE
final class View {
    var count = 0
}
#else
final class View: @unchecked Sendable {
    var count = 0
}
#endif

func watch(_ view: View, _ center: HeraldCenter) {
    center.observe(Saved.self, by: view) { view, _ in view.count += 1 }
}
