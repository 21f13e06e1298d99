// expect: noncopyable 'token' cannot be consumed when captured by an escaping closure
import Herald

struct Saved: HeraldCenter.Message {}

#if MISUSE
func watch(_ center: HeraldCenter) -> () -> Void {
    let token = center.observe(Saved.self) { _ in }
    return { token.keep() }
}
#else
func watch(_ center: HeraldCenter) -> @Sendable () -> Void {
    let token = center.observe(Saved.self) { _ in }
    return { token.cancel() }
}
#endif
