// expect: cannot convert value of type 'Window' to expected argument type 'Saved.Subject'
import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

#if MISUSE
func watch(_ window: Window, _ center: HeraldCenter) -> Messages<Saved> {
    center.messages(Saved.self, subject: window)
}
#else
func watch(_ document: Document, _ center: HeraldCenter) -> Messages<Saved> {
    center.messages(Saved.self, subject: document)
}
#endif
