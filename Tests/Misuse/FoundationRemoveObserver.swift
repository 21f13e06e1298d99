// expect-only: 'removeObserver(_:name:object:)' is unavailable: write `center.removeObserver(owner, of: name)`; a token ends its observer with `cancel()`
import Herald

extension HeraldCenter.Name {
    static let saved: Self = "saved"
}

final class Window: Sendable {
    func stop(_ center: HeraldCenter) {
        #if MISUSE
        center.removeObserver(self, name: .saved, object: nil)
        #else
        center.removeObserver(self, of: .saved)
        #endif
    }
}
