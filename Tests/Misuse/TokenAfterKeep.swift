// expect: 'token' used after consume
import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter) {
    let token = center.observe(Saved.self) { _ in }
    token.keep()
    token.cancel()
}
