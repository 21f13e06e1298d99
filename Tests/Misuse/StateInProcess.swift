// expect: extra argument 'state' in call
import Herald

func post(_ center: HeraldCenter, _ name: HeraldCenter.Name) throws {
    #if MISUSE
    center.post(name, state: 3)
    #else
    try HeraldCenter.host.post(name, state: 3)
    #endif
}
