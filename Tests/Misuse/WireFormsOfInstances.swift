// expect on each marked line: between processes a subject is a `String`
// Written by Scripts/forms: change the table there, and run `make forms`.
import Dispatch
import Herald

final class Document: Sendable {}

actor Store {}

#if MISUSE
struct Saved: HeraldCenter.Message, Sendable { typealias Subject = Document }
let document = Document()
#else
struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
let document = "a document"
#endif

final class Library: Sendable {
    @Sendable func note(_: Library, _: any Error, _: Saved) {}

    func watch(_ queue: DispatchQueue, _ store: Store) async {
        HeraldCenter.host.observe(Saved.self, subject: document) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: document, by: self) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, subject: document, via: queue) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: document, via: { $0() }) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: document, by: self, via: queue) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, subject: document, by: self, via: { $0() }) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, subject: document, async: { _ in }).keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: document, by: self, async: { _, _ in })  // here
        HeraldCenter.host.observe(Saved.self, subject: document, async: { _ in }, failed: { _, _ in }).keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: document, by: self, async: { _, _ in }, failed: note)  // here
        HeraldCenter.host.observe(Saved.self, subject: document, on: store) { _, _ in }  // here
        _ = HeraldCenter.host.messages(Saved.self, subject: document)  // here
        await HeraldCenter.host.withMessages(Saved.self, subject: document) { _ in }  // here
        _ = await HeraldCenter.host.next(Saved.self, subject: document)  // here
        HeraldCenter.host.observeOnce(Saved.self, subject: document) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: document, while: { _ in true }) { _ in }.keep()  // here
    }
}
