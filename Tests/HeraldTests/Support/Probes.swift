import Dispatch
import Foundation
import Herald

/// Entries that observers write, from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let written = Guarded<[Entry]>([])

    func append(_ entry: Entry) { written.withLock { $0.append(entry) } }

    var values: [Entry] { written.withLock { $0 } }
    var count: Int { written.withLock { $0.count } }

    /// Returns the entries so far and empties the log.
    func take() -> [Entry] {
        written.withLock { written in
            defer { written = [] }
            return written
        }
    }
}

/// A value that observers read and change, from any thread. A replaced value dies outside of the lock.
final class Box<Value: Sendable>: Sendable {
    private let held: Guarded<Value>

    init(_ value: Value) { held = Guarded(value) }

    var value: Value { held.withLock { $0 } }

    @discardableResult func put(_ value: Value) -> Value {
        held.withLock { held in
            defer { held = value }
            return held
        }
    }
}

/// An object to be captured, or to be a subject or an owner. It may run a closure when it dies.
final class Canary: Sendable {
    private let atDeath: @Sendable () -> Void

    init(atDeath: @escaping @Sendable () -> Void = {}) { self.atDeath = atDeath }

    deinit { atDeath() }
}

/// An object that calls a closure with itself in its `deinit`.
final class Leaving: Sendable {
    private let leave: @Sendable (Leaving) -> Void

    init(_ leave: @escaping @Sendable (Leaving) -> Void) { self.leave = leave }

    deinit { leave(self) }
}

/// Ensures that the arguments live until here, even if the optimizer would end them after their last use.
@inline(never) func keepAlive(_: Any?...) {}

/// Polls until the condition holds. Returns false if it does not in a time that no healthy machine needs.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(250)
    while ContinuousClock.now < end {
        if condition() { return true }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return condition()
}

/// As above, but other tasks may use the thread between the looks.
func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async -> Bool {
    let end = ContinuousClock.now + .seconds(250)
    while ContinuousClock.now < end {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}

/// As above, for a condition that belongs to an actor.
func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return await condition()
}

/// Runs the body on threads of their own, all released at once. Returns false if some have not returned.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
    let gate = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            gate.wait()
            body(index)
            group.leave()
        }.start()
    }
    for _ in 0..<count { gate.signal() }
    return group.wait(timeout: .now() + 60) == .success
}
