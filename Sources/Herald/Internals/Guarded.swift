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
}
#endif
