// expect: cannot convert value of type 'Window' to expected argument type 'Saved.Subject
import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

#if MISUSE
func prepare(_ window: Window, _ center: HeraldCenter) -> HeraldCenter.Topic<Saved> {
    center.topic(for: Saved.self, subject: window)
}
#else
func prepare(_ document: Document, _ center: HeraldCenter) -> HeraldCenter.Topic<Saved> {
    center.topic(for: Saved.self, subject: document)
}
#endif
