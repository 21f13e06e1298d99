// expect: instance method 'kept' requires that 'Saved' conform to 'HeraldCenter.KeptMessage'
import Herald

#if MISUSE
struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#else
struct Saved: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.saved"
}
#endif

func last() -> Saved? { HeraldCenter.host.kept(Saved.self) }
