// expect-only: 'addObserver(_:selector:name:object:)' is unavailable: write `center.observe(name, by: self) { owner, notice in owner.method(notice) }`
import Herald

extension HeraldCenter.Name {
    static let saved: Self = "saved"
}

final class Window: Sendable {
    func start(_ center: HeraldCenter) {
        #if MISUSE
        center.addObserver(self, selector: "saved:", name: .saved, object: nil)
        #else
        center.observe(.saved, by: self) { window, notice in window.saved(notice) }
        #endif
    }

    func saved(_ notice: HeraldCenter.Notice) {}
}
