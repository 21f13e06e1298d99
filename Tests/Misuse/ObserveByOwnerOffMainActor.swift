// expect: call to main actor-isolated instance method 'observe(_:subject:by:_:)' in a synchronous nonisolated context
import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

@MainActor final class View {
    var areas: [Int] = []
}

#if MISUSE
    func watch(_ view: View, _ center: HeraldCenter) {
        center.observe(Redrawn.self, by: view) { _, _ in }
    }
#else
    @MainActor func watch(_ view: View, _ center: HeraldCenter) {
        center.observe(Redrawn.self, by: view) { view, message in view.areas.append(message.area) }
    }
#endif
