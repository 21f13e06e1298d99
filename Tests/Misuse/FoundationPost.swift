// expect-only: 'post(name:object:userInfo:)' is unavailable: write `center.post(name, subject: object, userInfo: userInfo)`
import Herald

extension HeraldCenter.Name {
    static let saved: Self = "saved"
}

func save(_ center: HeraldCenter) {
    #if MISUSE
    center.post(name: .saved, object: nil)
    #else
    center.post(.saved)
    #endif
}
