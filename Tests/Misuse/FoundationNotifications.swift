// expect-only: 'notifications(named:object:)' is unavailable: write `center.messages(named: name, subject: object)`
import Herald

extension HeraldCenter.Name {
    static let saved: Self = "saved"
}

func listen(_ center: HeraldCenter) async {
    #if MISUSE
    for await notification in center.notifications(named: .saved) {
        print(notification.userInfo?["path"] ?? "no path")
    }
    #else
    for await posted in center.messages(named: .saved) {
        print(posted["path", as: String.self] ?? "no path")
    }
    #endif
}
