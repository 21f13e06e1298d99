// expect: call to main actor-isolated instance method 'show' in a synchronous nonisolated context
import Herald

struct Ticked: HeraldCenter.Message, Sendable { let number: Int }

// The most common mistake, where a method is called.
@MainActor final class Clock {
    private var text = ""
    func show(_ number: Int) { text = "\(number)" }

    func watch(_ center: HeraldCenter) {
        #if MISUSE
        center.observe(Ticked.self, by: self) { me, tick in me.show(tick.number) }
        #else
        center.observe(Ticked.self, by: self, async: { me, tick in me.show(tick.number) })
        #endif
    }
}
