// expect: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
import Dispatch
import Herald

#if MISUSE
    struct Saved: HeraldCenter.Message, Sendable {}
#else
    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

final class Library: Sendable {
    func watch(_ queue: DispatchQueue) {
        HeraldCenter.host.observe(Saved.self, by: self, via: queue) { _, _ in }
    }
}
