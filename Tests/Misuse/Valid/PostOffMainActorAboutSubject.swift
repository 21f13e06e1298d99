import Herald

final class View: Sendable {}

struct Redrawn: HeraldCenter.MainActorMessage {
    typealias Subject = View
}

@MainActor func redraw(_ view: View, _ center: HeraldCenter) {
    center.post(Redrawn(), subject: view)
}
