import Synchronization

/// A flag that is taken once: `take` returns true to one caller only, on any threads. Relaxed: it orders no other
/// memory.
final class First: Sendable {
    private let taken = Atomic(false)

    var isTaken: Bool { taken.load(ordering: .relaxed) }

    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }
}
