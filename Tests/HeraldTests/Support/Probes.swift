import Dispatch
import Foundation
import Herald

/// What observers write down, from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let written = Guarded<[Entry]>([])

    func append(_ entry: Entry) { written.withLock { $0.append(entry) } }

    var values: [Entry] { written.withLock { $0 } }
    var count: Int { written.withLock { $0.count } }

    /// What has been written so far; what follows is written anew.
    func take() -> [Entry] {
        written.withLock { written in
            defer { written = [] }
            return written
        }
    }
}

/// A place for a value that observers read and change, from any thread. What is put out of it dies outside its lock.
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

/// Something to be captured, to be a subject or an owner; it may do something when it dies.
final class Canary: Sendable {
    private let atDeath: @Sendable () -> Void

    init(atDeath: @escaping @Sendable () -> Void = {}) { self.atDeath = atDeath }

    deinit { atDeath() }
}

/// Sees to it that what is given has lived until here, whatever the optimizer makes of a last use.
@inline(never) func keepAlive(_: Any?...) {}

/// Looks again and again until the condition holds. False: it has not, in a time that no healthy machine needs.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if condition() { return true }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return condition()
}

/// As the other, but lets other tasks have the thread meanwhile.
func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}

/// As the other, for what an actor knows.
func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return await condition()
}

/// Runs the body on threads of their own, all let loose at once. False: some have not come back.
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
