import Herald

struct Saved: HeraldCenter.Message {}

func watch(_ center: HeraldCenter) -> @Sendable () -> Void {
    let token = center.observe(Saved.self) { _ in }
    return { token.cancel() }
}
