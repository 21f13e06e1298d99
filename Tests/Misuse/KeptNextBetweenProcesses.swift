// expect: extra argument 'from' in call
import Herald

struct Settings: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.settings"
}

func wait() async -> Settings? {
    #if MISUSE
    await HeraldCenter.host.next(Settings.self, from: .kept)
    #else
    await HeraldCenter.host.next(Settings.self)
    #endif
}
