import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self) { _ in }
}
