// expect: requires that 'Settings' conform to 'HeraldCenter.WireMessage'
import Herald

#if MISUSE
struct Settings: HeraldCenter.KeptMessage {}
#else
struct Settings: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.settings"
}
#endif

func watch() -> HeraldCenter.ObservationToken {
    HeraldCenter.host.observe(Settings.self, from: .kept) { _ in }
}
