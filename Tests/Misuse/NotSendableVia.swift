// expect: type 'Edited' does not conform to the 'Sendable' protocol
import Herald

final class Draft {
    var text = ""
}

struct Edited: HeraldCenter.Message { let draft: Draft }

func watch(_ center: HeraldCenter, _ scheduler: @escaping HeraldCenter.Scheduler) -> HeraldCenter.ObservationToken {
    center.observe(Edited.self, via: scheduler) { _ in }
}
