import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

func post(_ document: Document, _ center: HeraldCenter) {
    center.post(Saved(), subject: document)
}
