// expect: expects value of type 'Saved.Subject' (aka 'Document') for parameter #2 (got 'Window')
import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

#if MISUSE
func watch(_ window: Window, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self, subject: window) { _ in }
}
#else
func watch(_ document: Document, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self, subject: document) { _ in }
}
#endif
