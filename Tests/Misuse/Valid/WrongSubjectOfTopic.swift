import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

func prepare(_ document: Document, _ center: HeraldCenter) -> HeraldCenter.Topic<Saved> {
    center.topic(for: Saved.self, subject: document)
}
