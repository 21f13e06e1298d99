extension HeraldCenter {
    /// Owns one registration, which ends when the token leaves its scope, unless ``keep()``,
    /// ``store(in:)-(ObservationBag)`` or ``erased()`` has consumed the token.
    ///
    /// Write `let token = center.observe(...)`. The compiler's fix-it writes `_ =` instead, which ends the registration
    /// at once. A token retains its center until it is cancelled. Any thread may use it and end it.
    ///
    /// The corresponding C type is `HeraldToken`.
    public struct ObservationToken: ~Copyable, Sendable {
        /// Nil after the registration has ended, and for an observer that can never be called.
        private let live: Guarded<Registration?>

        /// - Parameter registration: `nil` for an observer that can never be called.
        init(_ registration: Registration?) { live = Guarded(registration) }

        /// Ends the registration, and waits. When this returns, no call of the body is running on any thread, none will
        /// start (R6), and the body has been released (R10). Then the token retains nothing. A second call does
        /// nothing.
        ///
        /// In a call of an observer, of this or another center, it does not wait (R11), because two observers that
        /// cancel each other would wait for ever. Nor does it wait for a body that has begun on an actor or in a queue;
        /// no other body begins.
        ///
        /// The corresponding C function is `HeraldCenterRemoveTokenAndWait`.
        public func cancel() { end(wait: true) }

        /// How many messages have been dropped because the buffer of an observer in a queue or on an actor was full. 0
        /// once the token is cancelled.
        public var dropped: Int { live.withLock { $0 }?.delivery?.dropped ?? 0 }

        /// Gives the registration to its center: the registration lasts as long as the center, and cannot be cancelled.
        public consuming func keep() { _ = takeLive() }

        /// Gives the registration to a bag: the registration lasts as long as the bag, or until
        /// ``ObservationBag/cancelAll()``.
        public consuming func store(in bag: ObservationBag) {
            if let live = takeLive() { bag.add(live) }
        }

        /// Gives the registration to an instance that can be copied, stored and compared.
        ///
        /// - Returns: The owner of the registration, which lasts as long as this instance, or until
        ///   ``AnyObservation/cancel()``.
        public consuming func erased() -> AnyObservation { AnyObservation(self) }

        /// Gives the registration to a set: the registration lasts as long as the set contains it.
        public consuming func store(in set: inout Set<AnyObservation>) { erased().store(in: &set) }

        private func takeLive() -> Registration? {
            live.withLock { live in
                defer { live = nil }
                return live
            }
        }

        /// The registration stays in `live` until it has ended, so that another thread that cancels at the same time
        /// waits too.
        func end(wait: Bool) {
            guard let live = live.withLock({ $0 }) else { return }
            live.end(wait: wait)
            _ = takeLive()
        }

        // Does not wait: a token may be deinitialized under a lock that the observer takes.
        deinit { takeLive()?.end() }
    }
}
