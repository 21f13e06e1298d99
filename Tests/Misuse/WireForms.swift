// expect on each marked line: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
// Written by Scripts/forms: change the table there, and run `make forms`.
import Dispatch
import Herald

final class Document: Sendable {}

actor Store {}

#if MISUSE
struct Saved: HeraldCenter.Message, Sendable {}
#else
struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

final class Library: Sendable {
    @Sendable func note(_: Library, _: any Error, _: Saved) {}

    func watch(_ queue: DispatchQueue, _ store: Store) async {
        HeraldCenter.host.observe(Saved.self) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: "a") { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, by: self) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", by: self) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, via: queue) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", via: queue) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, via: { $0() }) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", via: { $0() }) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, by: self, via: queue) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", by: self, via: queue) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, by: self, via: { $0() }) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", by: self, via: { $0() }) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, async: { _ in }).keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", async: { _ in }).keep()  // here
        HeraldCenter.host.observe(Saved.self, by: self, async: { _, _ in })  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", by: self, async: { _, _ in })  // here
        HeraldCenter.host.observe(Saved.self, async: { _ in }, failed: { _, _ in }).keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", async: { _ in }, failed: { _, _ in }).keep()  // here
        HeraldCenter.host.observe(Saved.self, by: self, async: { _, _ in }, failed: note)  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", by: self, async: { _, _ in }, failed: note)  // here
        HeraldCenter.host.observe(Saved.self, on: store) { _, _ in }  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", on: store) { _, _ in }  // here
        _ = HeraldCenter.host.messages(Saved.self)  // here
        _ = HeraldCenter.host.messages(Saved.self, subject: "a")  // here
        await HeraldCenter.host.withMessages(Saved.self) { _ in }  // here
        await HeraldCenter.host.withMessages(Saved.self, subject: "a") { _ in }  // here
        _ = await HeraldCenter.host.next(Saved.self)  // here
        _ = await HeraldCenter.host.next(Saved.self, subject: "a")  // here
        HeraldCenter.host.observeOnce(Saved.self) { _ in }.keep()  // here
        HeraldCenter.host.observeOnce(Saved.self, subject: "a") { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, while: { _ in true }) { _ in }.keep()  // here
        HeraldCenter.host.observe(Saved.self, subject: "a", while: { _ in true }) { _ in }.keep()  // here
    }
}
