// A program that imports one of Herald's modules, and not Herald.
#if NETWORK
import HeraldNetwork
#elseif SUPPORT
import HeraldTestSupport
#else
import HeraldInstrumentation
#endif

struct Saved: HeraldCenter.Message { var path: String }

func save(_ center: HeraldCenter = .local) {
    let token = center.observe(Saved.self) { saved in print(saved.path) }
    center.post(Saved(path: "notes.txt"))
    HeraldCenter.host.post("com.acme.saved")
    token.cancel()
}
