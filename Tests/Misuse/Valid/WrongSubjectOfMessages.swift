import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

func watch(_ document: Document, _ center: HeraldCenter) -> Messages<Saved> {
    center.messages(Saved.self, subject: document)
}
