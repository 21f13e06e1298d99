// expect-only: 'publisher(for:object:)' is unavailable: write `let token = center.observe(name) { notice in ... }`, or `center.messages(named: name)`
import Herald

extension HeraldCenter.Name {
    static let saved: Self = "saved"
}

func observe(_ center: HeraldCenter) {
    #if MISUSE
    _ = center.publisher(for: .saved).sink { notification in print(notification.name) }
    #else
    center.observe(.saved) { notice in print(notice.name) }.keep()
    #endif
}
