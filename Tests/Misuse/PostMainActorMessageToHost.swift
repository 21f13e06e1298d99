// expect: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
import Herald

#if MISUSE
struct Saved: HeraldCenter.MainActorMessage {}
#else
struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

@MainActor func save() throws {
    try HeraldCenter.host.post(Saved())
}
