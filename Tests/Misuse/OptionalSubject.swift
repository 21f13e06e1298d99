// expect on each marked line: must be unwrapped to a value of type
import Dispatch
import Herald

final class Document: Sendable {}

struct Saved: HeraldCenter.Message, Sendable {
    typealias Subject = Document
}

struct Shown: HeraldCenter.MainActorMessage, Sendable {
    typealias Subject = Document
}

struct Shared: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.shared"
}

#if MISUSE
typealias Perhaps<T> = T?
#else
typealias Perhaps<T> = T
#endif

final class Library: Sendable {
    func watch(_ document: Perhaps<Document>, _ title: Perhaps<String>, _ queue: DispatchQueue) async {
        let center = HeraldCenter.local, host = HeraldCenter.host, bag = ObservationBag()
        center.observe(Saved.self, subject: document) { _ in }.store(in: bag)  // here
        center.observe(Saved.self, subject: document, by: self) { _, _ in }  // here
        center.observe(Saved.self, subject: document, via: queue) { _ in }.store(in: bag)  // here
        center.observe(Saved.self, subject: document, async: { _ in }).store(in: bag)  // here
        center.observe(Shown.self, subject: document) { _ in }.store(in: bag)  // here
        center.observeOnce(Saved.self, subject: document) { _ in }.store(in: bag)  // here
        _ = center.messages(Saved.self, subject: document)  // here
        _ = await center.next(Saved.self, subject: document)  // here
        host.observe(Shared.self, subject: title) { _ in }.store(in: bag)  // here
        host.observe(Shared.self, subject: title, by: self, via: queue) { _, _ in }  // here
        host.observe(messages: .all, subject: title) { _ in }.store(in: bag)  // here
        _ = await host.next(Shared.self, subject: title)  // here
    }
}
