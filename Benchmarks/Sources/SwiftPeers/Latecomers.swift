import Harness
import Herald
import Synchronization

// The last value for observers that come late: Herald's kept messages, and a value and a list of closures under a lock.
// CombinePeers.swift has OpenCombine's.

private struct State: HeraldCenter.KeptMessage { var value = 1 }

/// What a program writes by hand. (An observer that comes while others send may hear an older value after a newer one.)
private final class Locked: Sendable {
    private struct Inside {
        var value = 0
        var observers: [(id: Int, call: @Sendable (Int) -> Void)] = []
        var lastID = 0
    }

    private let inside = Mutex(Inside())

    var value: Int { inside.withLock { $0.value } }

    @inline(never) func send(_ value: Int) {
        let observers = inside.withLock { inside in
            inside.value = value
            return inside.observers
        }
        for observer in observers { observer.call(value) }
    }

    @inline(never) func observe(_ call: @escaping @Sendable (Int) -> Void) -> Int {
        let (id, value) = inside.withLock { inside in
            inside.lastID += 1
            inside.observers.append((inside.lastID, call))
            return (inside.lastID, inside.value)
        }
        call(value)
        return id
    }

    @inline(never) func remove(_ id: Int) { inside.withLock { $0.observers.removeAll { $0.id == id } } }
}

func newWord() -> Word {
    let word = Word.allocate(capacity: 1)
    word.initialize(to: 0)
    return word
}

func latecomers() -> [task] { posts() + reads() + beginnings() + combineLatecomers() }

private func posts() -> [task] {
    [
        swiftTask("kept-post") {
            let center = HeraldCenter()
            nonisolated(unsafe) let sum = newWord()
            center.observe(State.self) { sum.pointee &+= UInt64($0.value) }.keep()
            return { count in for _ in 0..<count { center.post(State()) } }
        },
        swiftTask("kept-post-follower") {
            let center = HeraldCenter()
            nonisolated(unsafe) let sum = newWord()
            center.observe(State.self, from: .kept) { sum.pointee &+= UInt64($0.value) }.keep()
            return { count in for _ in 0..<count { center.post(State()) } }
        },
        swiftTask("kept-post-locked") {
            let locked = Locked()
            nonisolated(unsafe) let sum = newWord()
            _ = locked.observe { sum.pointee &+= UInt64($0) }
            return { count in for _ in 0..<count { locked.send(1) } }
        },
    ]
}

private func reads() -> [task] {
    [
        swiftTask("kept-read") {
            let center = HeraldCenter(), sum = newWord()
            center.post(State())
            return { count in for _ in 0..<count { sum.pointee &+= UInt64(center.kept(State.self)?.value ?? 0) } }
        },
        swiftTask("kept-read-locked") {
            let locked = Locked(), sum = newWord()
            locked.send(1)
            return { count in for _ in 0..<count { sum.pointee &+= UInt64(locked.value) } }
        },
    ]
}

private func beginnings() -> [task] {
    [
        swiftTask("kept-begin") {
            let center = HeraldCenter()
            nonisolated(unsafe) let sum = newWord()
            center.post(State())
            return { count in
                for _ in 0..<count {
                    center.observe(State.self, from: .kept) { sum.pointee &+= UInt64($0.value) }.end()
                }
            }
        },
        swiftTask("kept-begin-locked") {
            let locked = Locked()
            nonisolated(unsafe) let sum = newWord()
            locked.send(1)
            return { count in for _ in 0..<count { locked.remove(locked.observe { sum.pointee &+= UInt64($0) }) } }
        },
    ]
}
