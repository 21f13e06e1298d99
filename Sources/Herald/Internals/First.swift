import Synchronization

/// True for one of those who ask, on whatever threads.
final class First: Sendable {
    private let taken = Atomic(false)

    var isTaken: Bool { taken.load(ordering: .relaxed) }

    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }
}
