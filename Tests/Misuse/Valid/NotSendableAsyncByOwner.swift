import Herald

final class Draft: Sendable {
    let text = ""
}

struct Edited: HeraldCenter.Message, Sendable { let draft: Draft }

actor Editor {
    func watch(_ center: HeraldCenter) {
        center.observe(Edited.self, by: self, async: { _, _ in await Task.yield() })
    }
}
