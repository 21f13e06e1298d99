// expect: cannot convert value of type 'Saved' to expected argument type 'HeraldCenter.Name'
import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

#if MISUSE
func post(_ window: Window, _ center: HeraldCenter) {
    center.post(Saved(), subject: window)
}
#else
func post(_ document: Document, _ center: HeraldCenter) {
    center.post(Saved(), subject: document)
}
#endif
