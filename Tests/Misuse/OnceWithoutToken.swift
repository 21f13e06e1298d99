// expect-warning: result of call to 'observeOnce
import Herald

struct Ready: HeraldCenter.Message {}

func start(_ center: HeraldCenter) {
    #if MISUSE
    center.observeOnce(Ready.self) { _ in print("ready") }
    #else
    let token = center.observeOnce(Ready.self) { _ in print("ready") }
    token.keep()
    #endif
}
