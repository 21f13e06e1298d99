// expect: type 'Saved' does not conform to protocol 'HeraldCenter.WireMessage'
import Herald

#if MISUSE
struct Saved: HeraldCenter.WireMessage { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#else
struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = "com.acme.saved" }
#endif

func save() throws { try HeraldCenter.host.post(Saved()) }
