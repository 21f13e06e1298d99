import Herald

struct Saved: HeraldCenter.Message {}

func watch() {
    let token = HeraldCenter.local.observe(Saved.self) { _ in }
    token.cancel()
}
