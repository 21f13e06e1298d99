// expect: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
import Herald

#if MISUSE
    struct Saved: HeraldCenter.Message, Sendable {}
#else
    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

@MainActor final class Window {
    var title = ""

    func watch() {
        HeraldCenter.host.observe(Saved.self, by: self, async: { me, _ in me.title = "saved" })
    }
}
