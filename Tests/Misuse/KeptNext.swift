// expect: extra argument 'from' in call
import Herald

struct Settings: HeraldCenter.KeptMessage {}

func wait(_ center: HeraldCenter) async -> Settings? {
    #if MISUSE
    await center.next(Settings.self, from: .kept)
    #else
    await center.next(Settings.self)
    #endif
}
