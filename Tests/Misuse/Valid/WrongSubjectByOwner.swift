import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

final class Index: Sendable {
    func watch(_ document: Document, _ center: HeraldCenter) {
        center.observe(Saved.self, subject: document, by: self) { _, _ in }
    }
}
