// expect: 'token' used after consume
import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter, _ bag: ObservationBag) {
    let token = center.observe(Saved.self) { _ in }
    token.store(in: bag)
    #if MISUSE
    token.cancel()
    #else
    center.observe(Saved.self) { _ in }.store(in: bag)
    bag.cancelAll()
    #endif
}
