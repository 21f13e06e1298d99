import Herald

struct Redrawn: HeraldCenter.MainActorMessage {}

struct Saved: HeraldCenter.Message {}

@MainActor func run(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.post(Saved())
    let token = center.observe(Redrawn.self) { _ in MainActor.assertIsolated() }
    Task { @MainActor in center.post(Redrawn()) }
    return token
}
