// expect: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
import Dispatch
import Herald

#if MISUSE
    struct Saved: HeraldCenter.Message, Sendable {}
#else
    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

func watch(_ queue: DispatchQueue) -> HeraldCenter.ObservationToken {
    HeraldCenter.host.observe(Saved.self, subject: "notes", via: queue, buffer: .newest(1)) { _ in }
}
