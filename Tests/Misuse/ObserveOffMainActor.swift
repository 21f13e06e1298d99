// expect: call to main actor-isolated instance method 'observe(_:subject:_:)' in a synchronous nonisolated context
import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

#if MISUSE
    func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
        center.observe(Redrawn.self) { _ in }
    }
#else
    @MainActor func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
        center.observe(Redrawn.self) { _ in }
    }
#endif
