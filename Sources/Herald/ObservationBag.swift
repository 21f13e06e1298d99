#if os(Linux)
/// Owns registrations. They end when the bag is deinitialized, or with ``cancelAll()``. Any thread may use a bag.
public final class ObservationBag: Sendable {
    private struct Item: Sendable {
        let number: Int
        let registration: Registration
    }

    private struct State: Sendable {
        var items: [Item] = []
        var lastNumber = 0
    }

    private let state = Guarded(State())

    /// An empty bag.
    public init() {}

    func add(_ registration: Registration) {
        state.withLock { state in
            state.lastNumber += 1
            state.items.append(Item(number: state.lastNumber, registration: registration))
        }
    }

    /// Ends the registrations in the bag, in the order in which they were stored.
    ///
    /// For each registration this call waits for running calls of the body, as
    /// ``HeraldCenter/ObservationToken/cancel()`` does (R11). Afterwards the bag can be used again.
    public func cancelAll() {
        // The registrations stay in the bag until they have ended. So another thread that calls `cancelAll` at the same
        // time waits for them too.
        let ended = state.withLock { $0.items }
        for item in ended { item.registration.cancel() }
        state.withLock { state in state.items.removeAll { $0.number <= ended.last?.number ?? 0 } }
    }

    /// Ends the registrations, and does not wait.
    func end() {
        for item in state.withLock({ $0.items }) { item.registration.end() }
    }

    // Does not wait, because a bag may be deinitialized under a lock that an observer takes.
    deinit { end() }
}
#endif
