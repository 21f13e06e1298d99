// expect: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
import Herald

#if MISUSE
    struct Saved: HeraldCenter.Message, Sendable {}
#else
    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

actor Library {
    private var count = 0

    func watch() {
        HeraldCenter.host.observe(Saved.self, on: self) { me, _ in me.count += 1 }
    }
}
