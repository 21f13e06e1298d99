import Herald

final class Draft: Sendable {
    let text = ""
}

struct Edited: HeraldCenter.Message, Sendable { let draft: Draft }

func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Edited.self, async: { _ in await Task.yield() })
}
