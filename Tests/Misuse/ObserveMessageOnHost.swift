// expect: cannot convert value of type 'Saved.Type' to expected argument type 'HeraldCenter.Name'
import Herald

struct Saved: HeraldCenter.Message {}

func watch() {
    #if MISUSE
        let token = HeraldCenter.host.observe(Saved.self) { _ in }
    #else
        let token = HeraldCenter.local.observe(Saved.self) { _ in }
    #endif
    token.cancel()
}
