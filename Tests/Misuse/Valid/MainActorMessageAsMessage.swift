import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

struct Saved: HeraldCenter.Message {}

func relay<M: HeraldCenter.Message>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}

@MainActor func relay<M: HeraldCenter.MainActorMessage>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}

@MainActor func redraw(_ center: HeraldCenter) {
    relay(Saved(), on: center)
    relay(Redrawn(area: 1), on: center)
}
