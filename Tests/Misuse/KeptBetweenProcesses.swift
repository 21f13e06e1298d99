// expect: extra argument 'from' in call
import Herald

struct Settings: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.settings"
}

func watch() -> HeraldCenter.ObservationToken {
    #if MISUSE
        HeraldCenter.host.observe(Settings.self, from: .kept) { _ in }
    #else
        HeraldCenter.host.observe(Settings.self) { _ in }
    #endif
}
