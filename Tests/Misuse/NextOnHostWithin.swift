// expect: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
import Herald

#if MISUSE
    struct Saved: HeraldCenter.Message, Sendable {}
#else
    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

func wait() async -> Bool {
    await HeraldCenter.host.next(Saved.self, within: .seconds(1), where: { _ in true }) != nil
}
