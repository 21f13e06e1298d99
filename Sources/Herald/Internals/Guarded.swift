#if os(Linux)
public import CHeraldRuntime
public import Synchronization

/// A state and its lock: a Mutex that the thread sanitizer can see. The sanitizer does not see Swift's own Mutex (as of
/// Swift 6.3), and would report races between accesses under the same Mutex. So `withLock` reports the lock to the
/// sanitizer.
@usableFromInline package struct Guarded<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>

    @usableFromInline package init(_ state: consuming sending State) { mutex = Mutex(state) }

    @inlinable @inline(__always)
    package borrowing func withLock<Result>(
        _ body: (inout sending State) throws -> sending Result
    ) rethrows -> sending Result {
        try mutex.withLock { state in
            withUnsafePointer(to: mutex) { herald_swift_lock_taken($0) }
            defer { withUnsafePointer(to: mutex) { herald_swift_lock_left($0) } }
            return try body(&state)
        }
    }

    /// The same without the lock, for a `deinit`: nobody else can reach the state any more, and whoever had the lock
    /// comes before. `checkLayouts` checks where a Mutex has its state.
    @inline(__always)
    borrowing func withoutLock<Result>(_ body: (inout State) -> Result) -> Result {
        withUnsafePointer(to: mutex) {
            herald_swift_lock_taken($0)
            let after = MemoryLayout<Mutex<Void>>.size, mask = MemoryLayout<State>.alignment - 1
            let state = UnsafeMutableRawPointer(mutating: $0) + (after + mask) & ~mask
            return body(&state.assumingMemoryBound(to: State.self).pointee)
        }
    }

    /// Whether a Mutex has its state where `withoutLock` reads it.
    static func stands(_ state: State) -> Bool where State: Equatable & Sendable {
        let guarded = Guarded<State?>(nil)
        guarded.withoutLock { $0 = state }
        return guarded.withLock { $0.take() } == state && guarded.withoutLock { $0 == nil }
    }
}
#endif
