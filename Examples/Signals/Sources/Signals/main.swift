// Posts when a signal arrives: SIGHUP posts Reload, SIGTERM posts End. The observers run on the queue of the source, so
// they may lock, allocate and call Herald.
import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Herald

struct Reload: HeraldCenter.Message {}
struct End: HeraldCenter.Message {}

func say(_ line: String) {
    print(line)
    fflush(nil)
}

let center = HeraldCenter.local
let reload = center.observe(Reload.self) { _ in say("app.reload") }
let end = center.observe(End.self) { _ in say("app.end") }

let installed = DispatchGroup()

/// Calls `message`, which posts, when the signal arrives, for as long as the source is kept. `resume` returns before the
/// source hears anything, and a signal that arrives earlier is ignored: so `installed` is left once it hears.
func post(_ message: @escaping @Sendable () -> Void, on number: Int32) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler(handler: message)
    installed.enter()
    source.setRegistrationHandler { installed.leave() }
    source.resume()
    return source
}

let sources = [
    post({ HeraldCenter.local.post(Reload()) }, on: SIGHUP),
    post(
        {
            HeraldCenter.local.post(End())
            exit(0)
        }, on: SIGTERM),
]
installed.notify(queue: .main) { say("ready") }
dispatchMain()
