// expect: type 'Draft' does not conform to the 'Sendable' protocol
import Herald

#if MISUSE
final class Draft {
    var text = ""
}
#else
final class Draft: Sendable {
    let text = ""
}
#endif

func post(_ center: HeraldCenter) {
    center.post("edited", userInfo: Draft())
}
