import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

@MainActor func redraw(_ center: HeraldCenter) {
    center.post(Redrawn(area: 1))
}

func redrawLater(_ center: HeraldCenter) async {
    await center.post(Redrawn(area: 1))
}
