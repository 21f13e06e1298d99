// expect-only: 'addObserver(forName:object:queue:using:)' is unavailable: write `let token = center.observe(name) { notice in ... }`, with `via: queue` for a queue, and keep the token
import Herald

struct OtherName {
    static let saved = OtherName()
}

func observe(_ center: HeraldCenter) {
    #if MISUSE
    _ = center.addObserver(forName: OtherName.saved, object: nil, queue: .main) { _ in print("saved") }
    #else
    center.observe("saved") { _ in print("saved") }.keep()
    #endif
}
