// expect-warning: initialization of immutable value 'token' was never used
import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter) {
    let token = center.observe(Saved.self) { _ in }
    center.post(Saved())
}
