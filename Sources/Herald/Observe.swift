extension HeraldCenter {
    /// Observes the messages of a type, on the thread that posts them, until the token goes.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only those about this instance. Left out or a literal `nil`: all. A variable that is `nil`: none, ever.
    ///     The instance is not kept alive; a later one at its address is never taken for it (R12).
    ///   - body: Called before the post returns, on the poster's thread, with the poster's own message, borrowed. It may
    ///     do anything, observing, posting and cancelling included (R7).
    ///
    /// A trailing body that contains `await` is ``observe(_:subject:buffer:async:)``, which queues.
    ///
    /// The corresponding C function is `HeraldCenterAddObserverWithOptions`.
    @inlinable
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?? = nil, _ body: @escaping @Sendable (borrowing M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), Filter(subject)) { _, _, payload in
            body(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    /// Observes main-actor messages, on the main actor, before their posts return.
    @MainActor @inlinable
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: M.Subject?? = nil, _ body: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        // Who posts such a message is on the main actor: the compiler has seen to it.
        let body = unsafeBitCast(body, to: ((M) -> Void).self)
        return observe(.message, Herald.name(of: M.self), Filter(subject)) { _, _, payload in
            body(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    /// Observes the messages of a type while an owner lives. The owner is held weakly; observing the same type and
    /// subject again with the same owner replaces what was before.
    ///
    /// While one body takes over from another, a post on another thread may find both.
    ///
    /// The body is called as ``observe(_:subject:_:)-(_,_,(M)->Void)`` says, with the owner, which lives meanwhile.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?? = nil, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void
    ) {
        weak let weakly = owner
        observe(.message, Herald.name(of: M.self), Filter(subject), by: owner) { _, _, payload in
            guard let owner = weakly else { return false }
            body(owner, payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    /// Observes main-actor messages on the main actor while an owner lives.
    @MainActor @inlinable
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: M.Subject?? = nil, by owner: O, _ body: @escaping @MainActor (O, M) -> Void
    ) {
        let body = unsafeBitCast(body, to: ((O, M) -> Void).self)
        weak let weakly = owner
        observe(.message, Herald.name(of: M.self), Filter(subject), by: owner) { _, _, payload in
            guard let owner = weakly else { return false }
            body(owner, payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    /// Ends everything that was observed by this owner, protocols included. It does not wait. A `deinit` may call it.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        owners.remove(owner, in: native)
    }

    /// Ends what was observed by this owner of this type, whatever the subject.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(_ owner: O, of _: M.Type) {
        owners.remove(owner, named: Herald.name(of: M.self), in: native)
    }
}

// Where every kind of observer meets the core.
extension HeraldCenter {
    @usableFromInline
    func register(
        _ kind: Observation.Kind, _ name: NativeName?, _ filter: Filter, whileSuspended: SuspensionBehavior,
        delivery: (any Delivery)?, _ body: @escaping Observation.Body
    ) -> Registration? {
        if case .nothing = filter { return nil }
        let observation = Observation(subject: filter.subject, delivery: delivery, body: body)
        return observation.add(to: native, as: kind, name: name, behavior: whileSuspended.native)
    }

    @usableFromInline
    func observe(
        _ kind: Observation.Kind, _ name: NativeName?, _ filter: Filter,
        whileSuspended: SuspensionBehavior = .deliverImmediately, delivery: (any Delivery)? = nil,
        _ body: @escaping Observation.Body
    ) -> ObservationToken {
        ObservationToken(
            self, register(kind, name, filter, whileSuspended: whileSuspended, delivery: delivery, body))
    }

    @usableFromInline
    func observe(
        _ kind: Observation.Kind, _ name: NativeName, _ filter: Filter, by owner: AnyObject,
        whileSuspended: SuspensionBehavior = .deliverImmediately, delivery: (any Delivery)? = nil,
        _ body: @escaping Observation.Body
    ) {
        guard
            let registration = register(
                kind, name, filter, whileSuspended: whileSuspended, delivery: delivery, body)
        else { return }
        let key = Owners.Key(name: name, subject: filter.subject.map(address(of:)))
        owners.add(owner, key, subject: filter.subject, registration, in: native)
    }
}
