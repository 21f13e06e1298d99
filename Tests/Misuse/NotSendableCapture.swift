// expect: capture of 'draft' with non-Sendable type 'Draft' in a '@Sendable' closure
import Herald

#if MISUSE
final class Draft {
    var text = ""
}
#else
@MainActor final class Draft {
    var text = ""
}
#endif

struct Saved: HeraldCenter.Message {}

#if MISUSE
func watch(_ draft: Draft, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self) { _ in draft.text = "" }
}
#else
@MainActor func watch(_ draft: Draft, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self, async: { _ in draft.text = "" })
}
#endif
