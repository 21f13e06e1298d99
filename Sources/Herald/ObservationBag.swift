/// Holds observations together: they end when the bag goes, or with ``cancelAll()``. Any thread may use it.
public final class ObservationBag: Sendable {
    private let held = Guarded<[(center: HeraldCenter, registration: Registration)]>([])

    public init() {}

    func add(_ center: HeraldCenter, _ registration: Registration) {
        held.withLock { $0.append((center, registration)) }
    }

    /// Ends every observation in the bag, in the order in which they were stored, and waits for each as
    /// ``HeraldCenter/ObservationToken/cancel()`` does. The bag may be filled again.
    public func cancelAll() { end(wait: true) }

    private func end(wait: Bool) {
        let ended = held.withLock { held in
            defer { held = [] }
            return held
        }
        for (center, registration) in ended { registration.end(in: center.native, wait: wait) }
    }

    deinit { end(wait: false) }
}
