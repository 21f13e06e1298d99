// expect: type 'HeraldCenter.Name' has no member 'under'
import Herald

func watch() -> HeraldCenter.ObservationToken {
    #if MISUSE
    HeraldCenter.host.observe(messages: .under("com.acme"), from: .kept) { _ in }
    #else
    HeraldCenter.host.observe(messages: "com.acme.settings", from: .kept) { _ in }
    #endif
}
