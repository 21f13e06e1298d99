// expect: call to main actor-isolated instance method 'post' in a synchronous nonisolated context
import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

func redraw(_ center: HeraldCenter) {
    center.post(Redrawn(area: 1))
}
