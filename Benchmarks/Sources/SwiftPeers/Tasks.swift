import Dispatch
import Foundation
import Harness
import Herald
import Observation

/// A task of the harness from a closure. Its state is made when it is opened.
///
/// With `elsewhere` the work goes to other threads, which would otherwise inherit the CPU of the thread that begins
/// them. `settle` is called after each sample and not timed: it waits until that work is done.
func swiftTask(
    _ name: StaticString, elsewhere: Bool = false, settle: @escaping () -> Void = {},
    _ make: @escaping () -> (Int) -> Void
) -> task {
    final class Lazily {
        let make: () -> (Int) -> Void
        let settle: () -> Void
        lazy var body = make()
        init(_ make: @escaping () -> (Int) -> Void, _ settle: @escaping () -> Void) {
            self.make = make
            self.settle = settle
        }
    }
    var it = task()
    it.name = text(name)
    it.context = give(Lazily(make, settle))
    if elsewhere {
        it.open = { _ in
            pin_to(-1)
            return nil
        }
    }
    it.run = { (object($0) as! Lazily).body($1) }
    it.settle = { (object($0) as! Lazily).settle() }
    return it
}

func tasks() -> [task] { floors() + arrays() + literals() + properties() + elsewhere() + consumers() + latecomers() }

// ---- Floors

/// A weak owner without a center.
private final class Loose {
    private weak let owner: Owner?
    private let body: (Owner, borrowing Tick) -> Void

    init(_ owner: Owner, _ body: @escaping (Owner, borrowing Tick) -> Void) {
        self.owner = owner
        self.body = body
    }

    @inline(never)
    func call(_ tick: borrowing Tick) { if let owner { body(owner, tick) } }
}

/// Another object that references the owner weakly.
private final class Others {
    private weak let owner: Owner?
    init(_ owner: Owner) { self.owner = owner }
}

private final class Closure {
    let body: (borrowing Tick) -> Void
    init(_ body: @escaping (borrowing Tick) -> Void) { self.body = body }
    @inline(never)
    func call(_ tick: borrowing Tick) { body(tick) }
}

/// A property that is written by hand to report its changes: a store, and a check whether there is an observer.
private final class Plain {
    var value = 0
    private var hearer: Owner?

    func set(_ next: Int) {
        value = next
        if let hearer { hearer.hear(Tick(value: next)) }
    }
}

private func floors() -> [task] {
    [
        swiftTask("closure") {
            let word = Word.allocate(capacity: 1)
            word.initialize(to: 0)
            let closure = Closure { tick in word.pointee &+= UInt64(tick.value) }
            return { count in for _ in 0..<count { closure.call(Tick()) } }
        },
        swiftTask("weak") {
            let word = Word.allocate(capacity: 1)
            word.initialize(to: 0)
            let owner = Owner(word)
            let loose = Loose(owner) { owner, tick in owner.hear(tick) }
            return { count in
                for _ in 0..<count { loose.call(Tick()) }
                withExtendedLifetime(owner) {}
            }
        },
        swiftTask("owner-shared") {
            let word = Word.allocate(capacity: 1)
            word.initialize(to: 0)
            let owner = Owner(word)
            let others = Others(owner)
            let center = HeraldCenter()
            let topic = center.topic(for: Tick.self)
            center.observe(Tick.self, by: owner) { owner, tick in owner.hear(tick) }
            return { count in
                for _ in 0..<count { topic.post(Tick()) }
                withExtendedLifetime((owner, others)) {}
            }
        },
        swiftTask("store") {
            let plain = Plain()
            return { count in for next in 0..<count { plain.set(next) } }
        },
        // As above without a class: two words of memory.
        swiftTask("store-bare") {
            let value = UnsafeMutablePointer<Int>.allocate(capacity: 2)
            value.initialize(repeating: 0, count: 2)
            let hearers = value + 1
            return { count in
                for next in 0..<count {
                    value.pointee = next
                    if hearers.pointee != 0 { count_here() }
                }
            }
        },
        // The closure where it is called.
        swiftTask("closure-here") {
            let word = Word.allocate(capacity: 1)
            word.initialize(to: 0)
            let closure = Closure { tick in word.pointee &+= UInt64(tick.value) }
            return { count in for _ in 0..<count { closure.body(Tick()) } }
        },
    ]
}

/// Lists as they are written by hand: each observer has a word of its own, as those of a center have.
private func arrays() -> [task] {
    func words(_ count: Int) -> [Word] {
        (0..<count).map { _ in
            let word = Word.allocate(capacity: 8)
            word.initialize(repeating: 0, count: 8)
            return word
        }
    }
    func closures(_ name: StaticString, _ observers: Int) -> task {
        swiftTask(name) {
            let all = words(observers).map { word in Closure { tick in word.pointee &+= UInt64(tick.value) }.body }
            return { count in
                for _ in 0..<count {
                    let tick = Tick()
                    for body in all { body(tick) }
                }
            }
        }
    }
    func references(_ name: StaticString, _ observers: Int) -> task {
        swiftTask(name) {
            let owners = words(observers).map { Owner($0) }
            let all = owners.map { Loose($0) { owner, tick in owner.hear(tick) } }
            return { count in
                for _ in 0..<count {
                    let tick = Tick()
                    for one in all { one.call(tick) }
                }
                withExtendedLifetime(owners) {}
            }
        }
    }
    return [
        closures("closures-1", 1), closures("closures-64", 64), closures("closures-1024", 1024),
        references("references-1", 1), references("references-64", 64), references("references-1024", 1024),
    ]
}

// ---- Literals

/// A name that is written where it is posted.
private func literals() -> [task] {
    [
        swiftTask("literal") {
            let center = HeraldCenter()
            let word = Word.allocate(capacity: 1)
            word.initialize(to: 0)
            nonisolated(unsafe) let sum = word
            center.observe("document.saved") { _ in sum.pointee &+= 1 }.keep()
            return { count in for _ in 0..<count { center.post("document.saved") } }
        }
    ]
}

// ---- Properties

private final class WatchedModel {
    @Watched var value = 0
}

@Observable private final class ObservableModel {
    var value = 0
}

private func properties() -> [task] {
    [
        swiftTask("watched") {
            let model = WatchedModel()
            return { count in for next in 0..<count { model.value = next } }
        },
        swiftTask("watched-heard") {
            let model = WatchedModel()
            nonisolated(unsafe) var sum = 0
            model.$value.observe { _, new in sum &+= new }.keep()
            return { count in for next in 0..<count { model.value = next } }
        },
        swiftTask("observable") {
            let model = ObservableModel()
            return { count in for next in 0..<count { model.value = next } }
        },
        swiftTask("observable-heard") {
            let model = ObservableModel()
            nonisolated(unsafe) var sum = 0
            func track() {
                withObservationTracking {
                    sum &+= model.value
                } onChange: {
                    sum &+= 1
                }
            }
            return { count in
                for next in 0..<count {
                    track()  // it hears one change
                    model.value = next
                }
            }
        },
    ]
}
