// expect: call to main actor-isolated instance method 'post(_:subject:)' in a synchronous nonisolated context
import Herald

final class View: Sendable {}

struct Redrawn: HeraldCenter.MainActorMessage {
    typealias Subject = View
}

#if MISUSE
func redraw(_ view: View, _ center: HeraldCenter) {
    center.post(Redrawn(), subject: view)
}
#else
@MainActor func redraw(_ view: View, _ center: HeraldCenter) {
    center.post(Redrawn(), subject: view)
}
#endif
