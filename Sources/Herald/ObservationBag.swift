/// Owns registrations: they end when the bag is deinitialized, or with ``cancelAll()``. Any thread may use it.
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

    /// Ends every registration in the bag, in the order in which they were stored.
    ///
    /// It waits for each as ``HeraldCenter/ObservationToken/cancel()`` does (R11). The bag can be used again.
    public func cancelAll() { end(wait: true) }

    /// Registrations stay in the bag until they have ended, so that another thread that cancels at the same time waits
    /// for them too.
    private func end(wait: Bool) {
        let ended = state.withLock { $0.items }
        for item in ended { item.registration.end(wait: wait) }
        state.withLock { state in state.items.removeAll { $0.number <= ended.last?.number ?? 0 } }
    }

    // Does not wait: a bag may be deinitialized under a lock that an observer takes.
    deinit { end(wait: false) }
}
