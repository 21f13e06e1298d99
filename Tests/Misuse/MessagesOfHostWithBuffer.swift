// expect: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`
import Herald

#if MISUSE
    struct Saved: HeraldCenter.Message, Sendable {}
#else
    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

func watch() async {
    for await _ in HeraldCenter.host.messages(Saved.self, subject: "notes", buffer: .newest(1)) {}
}
