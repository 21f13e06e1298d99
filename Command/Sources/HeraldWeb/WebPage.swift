import Inspecting
import Synchronization

/// An open page: what waits to be written to it.
final class WebPage: Sendable {
    private struct State {
        var waiting = 0
        /// When something was taken last, or there was nothing to take.
        var taken = 0.0
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let connection: WebConnection
    private let end: AsyncStream<[UInt8]>.Continuation
    /// Whoever has written one says so: ``took(_:)``.
    let pieces: AsyncStream<[UInt8]>
    /// Its connection has ended.
    let close: @Sendable () -> Void

    init(_ connection: WebConnection, close: @escaping @Sendable () -> Void) {
        self.connection = connection
        self.close = close
        (pieces, end) = AsyncStream.makeStream()
    }

    func tell(_ piece: [UInt8]) {
        let isTold = state.withLock { state in
            if state.waiting == 0 { state.taken = secondsNow() }
            if !state.hasEnded { state.waiting += piece.count }
            return !state.hasEnded
        }
        if isTold { end.yield(piece) }
    }

    func took(_ count: Int) {
        state.withLock { state in
            state.waiting -= count
            state.taken = secondsNow()
        }
    }

    /// Whether fewer bytes wait than that. Where nothing was taken for so many seconds the page is closed.
    func hasRoom(below most: Int, patience: Double) -> Bool {
        let (hasRoom, isStuck) = state.withLock { state in
            guard state.waiting >= most, !state.hasEnded else { return (true, false) }
            state.hasEnded = secondsNow() > state.taken + patience
            return (state.hasEnded, state.hasEnded)
        }
        if isStuck { connection.end() }
        return hasRoom
    }
}
