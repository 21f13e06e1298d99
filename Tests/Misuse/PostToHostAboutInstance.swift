// expect: between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`
import Herald

struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }

final class Document: Sendable {
    let name = "notes"
}

func save(_ document: Document) throws {
    #if MISUSE
    HeraldCenter.host.post(Saved(), subject: document)
    #else
    try HeraldCenter.host.post(Saved(), subject: document.name)
    #endif
}
