import CHerald

extension HeraldCenter {
    /// Owns one registration, which ends when the token leaves its scope, unless ``keep()`` or ``store(in:)`` has
    /// consumed the token.
    ///
    /// Write `let token = center.observe(...)`. The compiler's fix-it writes `_ =` instead, which ends the registration
    /// at once. A token retains its center. Any thread may use it and let it go.
    ///
    /// The corresponding C type is `HeraldToken`.
    public struct ObservationToken: ~Copyable, Sendable {
        private let center: HeraldCenter
        private var registration: Registration?

        /// - Parameter registration: `nil` for an observer that can never be called.
        init(_ center: HeraldCenter, _ registration: Registration?) {
            self.center = center
            self.registration = registration
        }

        /// Ends the registration, and waits: when this returns no call of it is running on any thread, none will start
        /// (R6), and the body has been released (R10). A second call does nothing.
        ///
        /// Inside an observer, of any center, it does not wait (R11): two observers that cancel each other would wait
        /// for ever. It does not wait for a body that has begun on an actor or in a queue; no other one begins.
        ///
        /// The corresponding C function is `HeraldCenterRemoveTokenAndWait`.
        public func cancel() {
            registration?.end(in: center.native, wait: true)
        }

        /// Gives the registration to its center: it lasts as long as the center, and cannot be cancelled.
        public consuming func keep() {
            registration = nil
        }

        /// Gives the registration to a bag: it lasts as long as the bag, or until ``ObservationBag/cancelAll()``.
        public consuming func store(in bag: ObservationBag) {
            if let registration { bag.add(center, registration) }
            registration = nil
        }

        // Does not wait: a token may be deinitialized under a lock that the observer takes.
        deinit { registration?.end(in: center.native) }
    }
}
