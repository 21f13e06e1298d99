import Herald

@MainActor final class Draft {
    var text = ""
}

struct Saved: HeraldCenter.Message {}

@MainActor func watch(_ draft: Draft, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self, async: { _ in draft.text = "" })
}
