import Herald

final class Draft: Sendable {
    let text = ""
}

struct Edited: HeraldCenter.Message, Sendable { let draft: Draft }

func watch(_ center: HeraldCenter, _ scheduler: @escaping HeraldCenter.Scheduler) -> HeraldCenter.ObservationToken {
    center.observe(Edited.self, via: scheduler) { _ in }
}
