// expect: type 'Draft' does not conform to the 'Sendable' protocol
import Herald

final class Draft {
    var text = ""
}

func post(_ center: HeraldCenter) {
    center.post("edited", userInfo: Draft())
}
