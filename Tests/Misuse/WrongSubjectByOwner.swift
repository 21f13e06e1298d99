// expect: expects value of type 'Saved.Subject' (aka 'Document') for parameter #2 (got 'Window')
import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

final class Index: Sendable {
    #if MISUSE
    func watch(_ window: Window, _ center: HeraldCenter) {
        center.observe(Saved.self, subject: window, by: self) { _, _ in }
    }
    #else
    func watch(_ document: Document, _ center: HeraldCenter) {
        center.observe(Saved.self, subject: document, by: self) { _, _ in }
    }
    #endif
}
