import CHerald
import Herald

struct DocumentSaved: HeraldCenter.Message {
    typealias Subject = Document
    var path: String
}

struct DocumentClosed: HeraldCenter.Message { var path = "" }

protocol DocumentObserver: AnyObject, Sendable { func renamed() }

final class Document: Sendable {}

final class DocumentWindow: DocumentObserver {
    let log: Log<String>

    init(_ log: Log<String>) { self.log = log }

    func renamed() { log.append("renamed") }
}

/// Observers of every kind, with what all of them do with subjects, owners and captures.
enum ObserverKind: CaseIterable {
    case name, nameByOwner, any, message, messageByOwner, messageByQueue, messageByActor, messageByOwnersActor

    /// Observes one subject. The bag gets the token, or the owner ends the observation.
    func observe(
        _ center: HeraldCenter, _ subject: Document, _ bag: ObservationBag, _ owner: DocumentWindow,
        _ body: @escaping @Sendable () -> Void
    ) {
        switch self {
        case .name: center.observe("saved", subject: subject) { _ in body() }.store(in: bag)
        case .nameByOwner: center.observe("saved", subject: subject, by: owner) { _, _ in body() }
        case .any: center.observeAll(subject: subject) { _ in body() }.store(in: bag)
        case .message: center.observe(DocumentSaved.self, subject: subject) { _ in body() }.store(in: bag)
        case .messageByOwner: center.observe(DocumentSaved.self, subject: subject, by: owner) { _, _ in body() }
        case .messageByQueue:
            center.observe(DocumentSaved.self, subject: subject, via: { $0() }) { _ in body() }.store(in: bag)
        case .messageByActor:
            center.observe(DocumentSaved.self, subject: subject, async: { @MainActor _ in body() }).store(in: bag)
        case .messageByOwnersActor:
            center.observe(DocumentSaved.self, subject: subject, by: owner, async: { @MainActor _, _ in body() })
        }
    }

    func post(_ center: HeraldCenter, _ subject: Document?) {
        switch self {
        case .name, .nameByOwner, .any: center.post("saved", subject: subject)
        default: center.post(DocumentSaved(path: ""), subject: subject)
        }
    }
}

extension HeraldCenter {
    /// Whether a post of this kind could be heard.
    func hasObservers(_ kind: ObserverKind) -> Bool {
        switch kind {
        case .name, .nameByOwner, .any: HeraldCenterHasObservers(native, HeraldNameCreate("saved"))
        default:
            HeraldCenterHasObservers(
                native, HeraldNameForAddress(unsafeBitCast(DocumentSaved.self as Any.Type, to: UnsafeRawPointer.self)))
        }
    }
}
