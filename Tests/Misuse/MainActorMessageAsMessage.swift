// expect: requires that 'Redrawn' conform to 'HeraldCenter.Message'
import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

func relay<M: HeraldCenter.Message>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}

func redraw(_ center: HeraldCenter) {
    relay(Redrawn(area: 1), on: center)
}
