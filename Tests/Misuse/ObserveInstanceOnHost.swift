// expect: between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`
import Herald

struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }

final class Document: Sendable {
    let name = "notes"
}

func watch(_ document: Document) -> HeraldCenter.ObservationToken {
    #if MISUSE
        HeraldCenter.host.observe(Saved.self, subject: document) { _ in }
    #else
        HeraldCenter.host.observe(Saved.self, subject: document.name) { _ in }
    #endif
}
