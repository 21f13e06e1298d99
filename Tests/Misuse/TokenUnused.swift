// expect-warning: result of call to 'observe(_:subject:_:)' is unused
import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter) {
    center.observe(Saved.self) { _ in }
}
