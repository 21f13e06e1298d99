// expect: call to main actor-isolated instance method 'post' in a synchronous nonisolated context
import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

#if MISUSE
func redraw(_ center: HeraldCenter) {
    center.post(Redrawn(area: 1))
}
#else
@MainActor func redraw(_ center: HeraldCenter) {
    center.post(Redrawn(area: 1))
}

func redrawLater(_ center: HeraldCenter) async {
    await center.post(Redrawn(area: 1))
}
#endif
