import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

@MainActor func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Redrawn.self) { _ in }
}
