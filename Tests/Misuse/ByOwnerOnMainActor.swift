// expect: main actor-isolated property 'numbers' can not be mutated from a Sendable closure
import Herald

struct Ticked: HeraldCenter.Message, Sendable { let number: Int }

// The most common mistake of all. A label corrects it.
@MainActor final class Clock {
    var numbers: [Int] = []

    func watch(_ center: HeraldCenter) {
        #if MISUSE
        center.observe(Ticked.self, by: self) { me, tick in me.numbers.append(tick.number) }
        #else
        center.observe(Ticked.self, by: self, async: { me, tick in me.numbers.append(tick.number) })
        #endif
    }
}
