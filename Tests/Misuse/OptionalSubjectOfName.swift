// expect on each marked line: expected to be an instance of a class or class-constrained type
import Herald

final class Document: Sendable {}

#if MISUSE
typealias Perhaps<T> = T?
#else
typealias Perhaps<T> = T
#endif

final class Library: Sendable {
    func watch(_ document: Perhaps<Document>) async {
        let center = HeraldCenter.local, bag = ObservationBag()
        center.observe("saved", subject: document) { _ in }.store(in: bag)  // here
        center.observe("saved", subject: document, by: self) { _, _ in }  // here
        center.observe(posts: .all, subject: document) { _ in }.store(in: bag)  // here
        center.observeAll(subject: document) { _ in }.store(in: bag)  // here
        _ = center.messages(named: "saved", subject: document)  // here
        _ = await center.next("saved", subject: document)  // here
    }
}
