import Herald

final class Draft: Sendable {
    let text = ""
}

func post(_ center: HeraldCenter) {
    center.post("edited", userInfo: Draft())
}
