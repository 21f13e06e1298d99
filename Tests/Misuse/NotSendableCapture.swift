// expect: capture of 'draft' with non-Sendable type 'Draft' in a '@Sendable' closure
import Herald

final class Draft {
    var text = ""
}

struct Saved: HeraldCenter.Message {}

func watch(_ draft: Draft, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self) { _ in draft.text = "" }
}
