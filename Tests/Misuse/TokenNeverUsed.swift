// expect-warning: initialization of immutable value 'token' was never used
import Herald

struct Saved: HeraldCenter.Message {}

// Both functions in full: a name counts as used in lines that are not compiled.
#if MISUSE
func watch(_ center: HeraldCenter) {
    let token = center.observe(Saved.self) { _ in }
    center.post(Saved())
}
#else
func watch(_ center: HeraldCenter) {
    let token = center.observe(Saved.self) { _ in }
    center.post(Saved())
    token.cancel()
}
#endif
