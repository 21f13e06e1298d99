#if os(Linux)
import Synchronization

/// A flag that only one caller can take, on any thread: `take` returns true to that caller alone. Relaxed: the flag
/// orders no other memory. A stale `isTaken` does no harm, because `take` decides.
final class First: Sendable {
    private let taken = Atomic(false)

    var isTaken: Bool { taken.load(ordering: .relaxed) }

    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }
}
#endif
