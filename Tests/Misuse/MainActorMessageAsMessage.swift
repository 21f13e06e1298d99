// expect: requires that 'Redrawn' conform to 'HeraldCenter.Message'
import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

#if !MISUSE
struct Saved: HeraldCenter.Message {}
#endif

func relay<M: HeraldCenter.Message>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}

#if MISUSE
func redraw(_ center: HeraldCenter) {
    relay(Redrawn(area: 1), on: center)
}
#else
@MainActor func relay<M: HeraldCenter.MainActorMessage>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}

@MainActor func redraw(_ center: HeraldCenter) {
    relay(Saved(), on: center)
    relay(Redrawn(area: 1), on: center)
}
#endif
