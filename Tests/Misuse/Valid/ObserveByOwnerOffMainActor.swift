import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

@MainActor final class View {
    var areas: [Int] = []
}

@MainActor func watch(_ view: View, _ center: HeraldCenter) {
    center.observe(Redrawn.self, by: view) { view, message in view.areas.append(message.area) }
}
