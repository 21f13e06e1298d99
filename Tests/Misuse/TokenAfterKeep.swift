// expect: 'token' used after consume
import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter) {
    let token = center.observe(Saved.self) { _ in }
    token.keep()
    #if MISUSE
    token.cancel()
    #else
    center.observe(Saved.self) { _ in }.keep()
    #endif
}
