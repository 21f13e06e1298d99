// expect-only: 'addObserver(forName:object:queue:using:)' is unavailable: write `let token = center.observe(name) { notice in ... }`, with `via: queue` for a queue, and keep the token
import Herald

extension HeraldCenter.Name {
    static let saved: Self = "saved"
}

func observe(_ center: HeraldCenter) {
    #if MISUSE
    let token = center.addObserver(forName: .saved, object: nil, queue: nil) { notification in
        guard let path = notification.userInfo?["path"] as? String else { return }
        print(path)
    }
    _ = token
    #else
    let token = center.observe(.saved) { notice in
        guard let path = notice["path", as: String.self] else { return }
        print(path)
    }
    token.keep()
    #endif
}
