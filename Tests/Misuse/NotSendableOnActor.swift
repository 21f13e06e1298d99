// expect: type 'Edited' does not conform to the 'Sendable' protocol
import Herald

final class Draft {
    var text = ""
}

struct Edited: HeraldCenter.Message { let draft: Draft }

actor Editor {
    func watch(_ center: HeraldCenter) {
        center.observe(Edited.self, on: self) { _, _ in }
    }
}
