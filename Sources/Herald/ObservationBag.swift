/// Owns registrations: they end when the bag is deinitialized, or with ``cancelAll()``. Any thread may use it.
public final class ObservationBag: Sendable {
    private let registrations = Guarded<[(center: HeraldCenter, registration: Registration)]>([])

    public init() {}

    func add(_ center: HeraldCenter, _ registration: Registration) {
        registrations.withLock { $0.append((center, registration)) }
    }

    /// Ends every registration in the bag, in the order in which they were stored.
    ///
    /// It waits for each as ``HeraldCenter/ObservationToken/cancel()`` does (R11). The bag can be used again.
    public func cancelAll() { end(wait: true) }

    private func end(wait: Bool) {
        let ended = registrations.withLock { registrations in
            defer { registrations = [] }
            return registrations
        }
        for (center, registration) in ended { registration.end(in: center.native, wait: wait) }
    }

    // Does not wait: a bag may be deinitialized under a lock that an observer takes.
    deinit { end(wait: false) }
}
