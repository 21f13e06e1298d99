// expect: cannot convert value of type 'Window' to expected argument type 'AnySubject'
import Herald

final class Document: Sendable {}

final class Window: Sendable {}

struct Saved: HeraldCenter.Message {
    typealias Subject = Document
}

func watch(_ window: Window, _ center: HeraldCenter) -> Messages<Saved> {
    center.messages(Saved.self, subject: window)
}
