import Inspecting
import Synchronization

/// An open page, and the pieces that wait to be written to it.
final class WebPage: Sendable {
    private struct State {
        var waiting = 0
        /// When a piece was taken last, or when there was none to take.
        var taken = 0.0
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let connection: WebConnection
    private let end: AsyncStream<[UInt8]>.Continuation
    /// The pieces to write. After each, the writer calls ``took(_:)``.
    let pieces: AsyncStream<[UInt8]>
    /// Called when its connection has ended.
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

    /// Whether fewer than `most` bytes wait. If nothing was taken for `patience` seconds, the page is closed.
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
