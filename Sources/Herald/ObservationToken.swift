import CHerald

extension HeraldCenter {
    /// Holds one observation. It ends when the token leaves its scope, unless ``keep()`` or ``store(in:)`` took it
    /// over.
    ///
    /// Write `let token = center.observe(...)`. The compiler's offer to write `_ =` instead ends the observation at
    /// once. A token keeps its center alive. It may be used and dropped on any thread.
    ///
    /// The corresponding C type is `HeraldToken`.
    public struct ObservationToken: ~Copyable, Sendable {
        private let center: HeraldCenter
        private var registration: Registration?

        /// `registration` nil: of an observation that can hear nothing.
        init(_ center: HeraldCenter, _ registration: Registration?) {
            self.center = center
            self.registration = registration
        }

        /// Ends the observation, and waits: when this returns no call of it is running on any thread, none will start,
        /// and what the body captured has been given back. The second time it does nothing.
        ///
        /// Called inside an observer, of any center, it does not wait: two observers that cancel each other could wait
        /// for ever (R11). A body that runs elsewhere, on an actor or in a queue, and has begun, runs to its end; none
        /// begins any more.
        ///
        /// The corresponding C function is `HeraldCenterRemoveTokenAndWait`.
        public func cancel() {
            registration?.end(in: center.native, wait: true)
        }

        /// Lets the observation last as long as its center.
        public consuming func keep() {
            registration = nil
        }

        /// Lets the observation last as long as the bag.
        public consuming func store(in bag: ObservationBag) {
            if let registration { bag.add(center, registration) }
            registration = nil
        }

        // Does not wait: a token may go while a lock is held that the observer wants.
        deinit { registration?.end(in: center.native) }
    }
}
