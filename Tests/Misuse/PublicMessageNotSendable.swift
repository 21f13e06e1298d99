// expect: type 'Saved' does not conform to the 'Sendable' protocol
import Herald

#if MISUSE
public struct Saved: HeraldCenter.Message {
    public var path: String
}
#else
public struct Saved: HeraldCenter.Message, Sendable {
    public var path: String
}
#endif

func observe(_ center: HeraldCenter) {
    center.observe(Saved.self, via: { $0() }) { saved in print(saved.path) }.keep()
}
