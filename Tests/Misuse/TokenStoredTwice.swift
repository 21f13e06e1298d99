// expect: 'token' consumed more than once
import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter, _ one: ObservationBag, _ other: ObservationBag) {
    let token = center.observe(Saved.self) { _ in }
    token.store(in: one)
    #if MISUSE
    token.store(in: other)
    #else
    let second = center.observe(Saved.self) { _ in }
    second.store(in: other)
    #endif
}
