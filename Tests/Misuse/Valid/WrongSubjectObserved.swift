import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

func watch(_ document: Document, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self, subject: document) { _ in }
}
