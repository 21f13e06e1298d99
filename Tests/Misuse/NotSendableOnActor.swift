// expect: type 'Edited' does not conform to the 'Sendable' protocol
import Herald

#if MISUSE
final class Draft {
    var text = ""
}

struct Edited: HeraldCenter.Message { let draft: Draft }
#else
final class Draft: Sendable {
    let text = ""
}

struct Edited: HeraldCenter.Message, Sendable { let draft: Draft }
#endif

actor Editor {
    func watch(_ center: HeraldCenter) {
        center.observe(Edited.self, on: self) { _, _ in }
    }
}
