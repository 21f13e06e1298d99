extension HeraldCenter {
    /// Observes the messages of a type on the posting thread, until the token goes.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). When the registration ends
    /// no new call starts (R6), and the body is released after its last call (R10).
    ///
    /// A trailing body that contains `await` is ``observe(_:subject:buffer:async:)``, which queues.
    ///
    /// The corresponding C function is `HeraldCenterAddObserverWithOptions`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A variable that is `nil`:
    ///     none, ever. The instance is not retained, and a later one at its address is never taken for it (R12).
    ///   - body: Called with the poster's own message, borrowed. It may post, observe and cancel (R7). It retains what
    ///     it captures, the subject too.
    /// - Returns: The token that owns the registration; ``ObservationToken/cancel()`` waits for running calls (R11).
    @inlinable
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @Sendable (borrowing M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), .any, Self.read(body))
    }

    /// Observes the messages of a type about one instance, until the token goes.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @Sendable (borrowing M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), Filter(subject), Self.read(body))
    }

    /// Observes main-actor messages on the main actor, until the token goes.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). When the registration ends
    /// no new call starts (R6), and the body is released after its last call (R10), on any thread.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - body: Called on the main actor. It need not be `Sendable`.
    /// - Returns: The token that owns the registration.
    @MainActor @inlinable
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), .any, Self.read(body))
    }

    /// Observes main-actor messages about one instance on the main actor, until the token goes.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @MainActor @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), Filter(subject), Self.read(body))
    }

    /// Observes the messages of a type on the posting thread, while an owner lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3); none is called after its
    /// owner is gone (R6). The body of such an observer is released (R10) by the next post that would have called it,
    /// or when one of the next observers with an owner is added.
    ///
    /// Observing the same type and subject again with the same owner replaces the registration; the new one is the last
    /// in order. Until the old one has been removed, a post on another thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - owner: Referenced weakly; retained during a call, so its `deinit` may run on the posting thread.
    ///   - body: Called with the owner and the poster's own message, borrowed. It may post, observe and remove (R7).
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), .any, by: owner, Self.read(for: owner, body))
    }

    /// Observes the messages of a type about one instance, while an owner lives.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), Filter(subject), by: owner, Self.read(for: owner, body))
    }

    /// Observes main-actor messages on the main actor, while an owner lives.
    ///
    /// Order (R2), replacing and ending (R6, R10) are as for other messages with an owner.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - body: Called on the main actor with the owner, before the post returns (R3). It need not be `Sendable`.
    @MainActor @inlinable
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping @MainActor (O, M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), .any, by: owner, Self.read(for: owner, body))
    }

    /// Observes main-actor messages about one instance on the main actor, while an owner lives.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @MainActor @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, by owner: O, _ body: @escaping @MainActor (O, M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), Filter(subject), by: owner, Self.read(for: owner, body))
    }

    /// Ends all registrations of this owner with this center, those for protocols too.
    ///
    /// It does not wait: calls that are running go on, and one that another thread had decided on already may still begin
    /// after this returns (R6).
    ///
    /// - Parameter owner: The owner that was given to `observe` or `addObserver`; its `deinit` may make this call.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        owners.remove(owner, in: native) { _ in true }
    }

    /// Ends the registrations of this owner for a type of message, whatever the subject. It does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`; its `deinit` may make this call.
    ///   - type: The type of the messages.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(_ owner: O, of _: M.Type) {
        owners.remove(owner, in: native) { $0.kind == .message && $0.name == Herald.name(of: M.self) }
    }

    /// Ends the registration of this owner for a type of message about one instance. It does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`; its `deinit` may make this call.
    ///   - type: The type of the messages.
    ///   - subject: The instance that was given to `observe`. A registration for any subject stays.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(
        _ owner: O, of _: M.Type, subject: M.Subject
    ) {
        let key = Owners.Key(kind: .message, name: Herald.name(of: M.self), subject: address(of: subject))
        owners.remove(owner, in: native) { $0 == key }
    }
}

// Closures that read a post and call a body.
extension HeraldCenter {
    @inlinable
    static func read<M: Message & ~Copyable>(_ body: @escaping (borrowing M) -> Void) -> Observation.Body {
        { _, _, payload in
            body(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    /// The cast is safe: such a message can only be posted on the main actor.
    @inlinable
    static func read<M: MainActorMessage>(_ body: @escaping @MainActor (M) -> Void) -> Observation.Body {
        let body = unsafeBitCast(body, to: ((M) -> Void).self)
        return { _, _, payload in
            body(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    @inlinable
    static func read<O: AnyObject, M: Message & ~Copyable>(
        for owner: O, _ body: @escaping (O, borrowing M) -> Void
    ) -> Observation.Body {
        weak let weakly = owner
        return { _, _, payload in
            guard let owner = weakly else { return false }
            body(owner, payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    @inlinable
    static func read<O: AnyObject, M: MainActorMessage>(
        for owner: O, _ body: @escaping @MainActor (O, M) -> Void
    ) -> Observation.Body {
        let body = unsafeBitCast(body, to: ((O, M) -> Void).self)
        weak let weakly = owner
        return { _, _, payload in
            guard let owner = weakly else { return false }
            body(owner, payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }
}

// Every observe call ends here, and registers with the core.
extension HeraldCenter {
    @usableFromInline
    func register(
        _ kind: Observation.Kind, _ name: NativeName?, _ filter: Filter, whileSuspended: SuspensionBehavior,
        delivery: (any Delivery)?, owners: Owners? = nil, _ body: @escaping Observation.Body
    ) -> Registration? {
        if case .nothing = filter { return nil }
        let observation = Observation(subject: filter.subject, delivery: delivery, owners: owners, body: body)
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
        _ kind: Observation.Kind, _ name: NativeName?, _ filter: Filter, by owner: AnyObject,
        whileSuspended: SuspensionBehavior = .deliverImmediately, delivery: (any Delivery)? = nil,
        _ body: @escaping Observation.Body
    ) {
        guard
            let registration = register(
                kind, name, filter, whileSuspended: whileSuspended, delivery: delivery, owners: owners, body)
        else { return }
        let key = Owners.Key(kind: kind, name: name, subject: filter.subject.map(address(of:)))
        owners.add(owner, key, subject: filter.subject, registration, in: native)
    }
}
