import Dispatch
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting
import Synchronization

/// Prints a line for each post on Herald's thread, and wakes the command's first thread when it is done.
///
/// *Progress.* While a reader stalls, Herald's thread sleeps in `print` and holds the lock of `stdout`. So no other
/// thread may use `stdout` before the observations are cancelled, not even for `ferror`.
struct Printer: WatchWork {
    private let line: @Sendable (WirePost) -> String
    private let state: State

    init(_ tally: Tally, _ line: @escaping @Sendable (WirePost) -> String) {
        self.line = line
        state = State(tally)
    }

    private final class State: Sendable {
        let tally: Mutex<Tally>
        let cannotPrint = Mutex(false)
        init(_ tally: Tally) { self.tally = Mutex(tally) }
    }

    var tally: Tally { state.tally.withLock { $0 } }
    let printsLines = true

    var observer: @Sendable (WirePost) -> Heard {
        { [line, state] post in  // one at a time
            guard !state.tally.withLock({ $0.isEnough }) else { return Heard(isDone: false, isLast: true) }
            unblockSignals()  // Herald's thread blocks them, but SIGPIPE must end this process
            print(line(post))
            let isEnough = state.tally.withLock { tally in
                tally.add(post.count)
                return tally.isEnough
            }
            let cannotPrint = ferror(stdout) != 0
            if cannotPrint { state.cannotPrint.withLock { $0 = true } }
            if isEnough || cannotPrint { Signals.wake() }
            return Heard(isDone: !cannotPrint, isLast: isEnough || cannotPrint)
        }
    }

    mutating func proceed(isOver: Bool) -> Bool { isOver || tally.isEnough || state.cannotPrint.withLock { $0 } }
}
