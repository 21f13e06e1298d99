// expect: requires that 'Saved' conform to 'HeraldCenter.KeptMessage'
import Herald

#if MISUSE
struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#else
struct Saved: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.saved"
}
#endif

func watch() -> HeraldCenter.ObservationToken {
    HeraldCenter.host.observe(Saved.self, from: .kept) { _ in }
}
