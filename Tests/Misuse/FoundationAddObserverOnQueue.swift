// expect-only: 'addObserver(forName:object:queue:using:)' is unavailable: write `let token = center.observe(name) { notice in ... }`, with `via: queue` for a queue, and keep the token
import Dispatch
import Herald

func observe(_ center: HeraldCenter) {
    #if MISUSE
    _ = center.addObserver(forName: "saved", object: nil, queue: .main) { notification in
        print(notification.name, notification.object ?? "no object")
    }
    #else
    center.observe("saved", via: DispatchQueue.main) { posted in
        print(posted.name, posted.subject ?? "no subject")
    }.keep()
    #endif
}
