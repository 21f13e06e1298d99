// expect: cannot convert value of type 'Saved.Type' to expected argument type 'HeraldCenter.Name'
import Herald

struct Saved: HeraldCenter.Message {}

func watch() {
    let token = HeraldCenter.host.observe(Saved.self) { _ in }
    token.cancel()
}
