#if os(Linux)
extension HeraldCenter {
    /// Owns one registration. The registration ends when the token leaves its scope, unless ``keep()``,
    /// ``store(in:)-(ObservationBag)`` or ``erased()`` has consumed the token.
    ///
    /// Write `let token = center.observe(...)`. The compiler's fix-it writes `_ =` instead, but that ends the
    /// registration at once. A token retains its center until the token is cancelled. Any thread may use and end a
    /// token.
    ///
    /// The corresponding C type is `HeraldToken`.
    public struct ObservationToken: ~Copyable, Sendable {
        /// Nil when the registration is over or has been given away, and for an observer that can never be called.
        private let live: Guarded<Registration?>

        /// - Parameter registration: `nil` for an observer that can never be called.
        init(_ registration: Registration?) { live = Guarded(registration) }

        /// Ends the registration, and waits for running calls. When `cancel` returns, no call of the body is running on
        /// any thread, none will start (R6), and the body has been released (R10). From then on the token retains
        /// nothing, and another `cancel` does nothing. (The token retains its center for longer if a body still runs in
        /// a queue or on an actor, and after a `cancel` in an observer.)
        ///
        /// Inside an observer of any center, `cancel` does not wait (R11), because two observers that cancel each other
        /// would wait for ever. `cancel` also does not wait for a body that has begun on an actor or in a queue, but
        /// the body is not called again.
        ///
        /// To free what the observer uses, wherever you end the registration, use ``cancel(_:)``.
        ///
        /// The corresponding C function is `HeraldCenterRemoveTokenAndWait`.
        public func cancel() {
            // The registration stays in `live` until it is over. So another thread that cancels at the same time waits
            // too, and so does a `cancel` after an `end`.
            if let registration = live.withLock({ $0 }), registration.cancel() { _ = takeLive() }
        }

        /// Ends the registration, and calls a closure after the last call of the observer has returned on every
        /// thread. Calls in queues and on actors count, too.
        ///
        /// ```swift
        /// deinit { token.cancel { [file] in close(file) } }
        /// ```
        ///
        /// No thread waits. If no call is running, the closure is called before `cancel` returns. Otherwise the thread
        /// or task whose call returns last calls the closure. The body has been released then (R10). The closure is
        /// called exactly once, also when the registration has ended before; if several calls of `cancel` pass a
        /// closure, each closure is called once. In a closure ``cancel()`` may not wait, as in an observer.
        ///
        /// The corresponding C function is `HeraldCenterRemoveTokenThen`.
        ///
        /// - Parameter then: Frees what the observer has used, for example.
        public func cancel(_ then: @escaping @Sendable () -> Void) {
            guard let registration = live.withLock({ $0 }) else { return then() }
            registration.end(then: then)
        }

        /// Ends the registration, and does not wait. A post that begins after `end` has returned does not call the
        /// observer. A call that another thread has begun or decided on may still run (R6). The body is released when
        /// the last call has returned (R10).
        ///
        /// Any thread may call `end`, also in the observer itself and under a lock that the observer takes. Another
        /// `end` does nothing. A later ``cancel()`` waits for the calls that are still running.
        ///
        /// The corresponding C function is `HeraldCenterRemoveToken`.
        public func end() { live.withLock { $0 }?.end() }

        /// Whether the observer is muted: posts do not call it, and it misses what they carry.
        ///
        /// ```swift
        /// token.isMuted = true
        /// center.post(DocumentSaved(path: "draft.txt"))  // is not heard
        /// token.isMuted = false
        /// ```
        ///
        /// A post that begins after `isMuted` was set to `true` does not call the observer. A call that is running, or
        /// that another thread has decided on, is not stopped (R6), nor are messages that already wait in a queue or on
        /// an actor. The observer keeps its place in the order of registration. While nobody is muted, posts pay nothing
        /// for it. Any thread may set it. `false` once the registration is over; setting it then does nothing.
        ///
        /// An observer that began with what is kept hears, once it is no longer muted, what is kept from then on;
        /// ``HeraldCenter/kept(_:)`` gives the newest.
        ///
        /// The corresponding C functions are `HeraldCenterSetTokenBlocked` and `HeraldCenterIsTokenBlocked`.
        public var isMuted: Bool {
            get { live.withLock { $0 }?.isMuted ?? false }
            nonmutating set { live.withLock { $0 }?.isMuted = newValue }
        }

        /// How many messages have been dropped, if the observer runs in a queue or on an actor: because its buffer was
        /// full, or because its scheduler has dropped the work. 0 for other observers, and once the registration is
        /// over.
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
        /// - Returns: The instance that owns the registration. The registration lasts as long as the instance, or until
        ///   ``AnyObservation/cancel()``.
        public consuming func erased() -> AnyObservation { AnyObservation(self) }

        /// Gives the registration to a set: the registration lasts as long as the set contains it.
        public consuming func store(in set: inout Set<AnyObservation>) { erased().store(in: &set) }

        private func takeLive() -> Registration? { live.withLock { $0.take() } }

        // Does not wait, because a token may be deinitialized under a lock that the observer takes.
        deinit { live.withoutLock { $0.take() }?.end() }
    }
}
#endif
