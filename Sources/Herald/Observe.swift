extension HeraldCenter {
    /// Observes the messages of a type, on the thread that posts them, until the token goes.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only those about this instance. Left out or a literal `nil`: all. A variable that is `nil`: none,
    ///     ever. The instance is not kept alive; a later one at its address is never taken for it (R12).
    ///   - body: Called before the post returns, on the poster's thread, with the poster's own message, borrowed. It
    ///     may do anything, observing, posting and cancelling included (R7). What it captures it keeps alive, a subject
    ///     included.
    ///
    /// A trailing body that contains `await` is ``observe(_:subject:buffer:async:)``, which queues.
    ///
    /// The corresponding C function is `HeraldCenterAddObserverWithOptions`.
    @inlinable
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @Sendable (borrowing M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), .any, Self.read(body))
    }

    /// Observes the messages of a type about one instance, until the token goes.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @Sendable (borrowing M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), Filter(subject), Self.read(body))
    }

    /// Observes main-actor messages, on the main actor, before their posts return.
    @MainActor @inlinable
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), .any, Self.read(body))
    }

    /// Observes main-actor messages about one instance, on the main actor.
    @MainActor @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), Filter(subject), Self.read(body))
    }

    /// Observes the messages of a type while an owner lives. The owner is held weakly.
    ///
    /// Observing the same type and subject again with the same owner replaces what was before, at the end of the order.
    /// While one body takes over from another, a post on another thread may find both. When the owner has gone, the
    /// body is given back with the next post that would have called it, or by one of the next observers that are added.
    ///
    /// The body is called as by the form with a token, with the owner, which lives meanwhile.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), .any, by: owner, Self.read(for: owner, body))
    }

    /// Observes the messages of a type about one instance while an owner lives.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), Filter(subject), by: owner, Self.read(for: owner, body))
    }

    /// Observes main-actor messages on the main actor while an owner lives.
    @MainActor @inlinable
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping @MainActor (O, M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), .any, by: owner, Self.read(for: owner, body))
    }

    /// Observes main-actor messages about one instance on the main actor while an owner lives.
    @MainActor @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, by owner: O, _ body: @escaping @MainActor (O, M) -> Void
    ) {
        observe(.message, Herald.name(of: M.self), Filter(subject), by: owner, Self.read(for: owner, body))
    }

    /// Ends everything that was observed by this owner, protocols included. It does not wait. A `deinit` may call it.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        owners.remove(owner, in: native) { _ in true }
    }

    /// Ends what was observed by this owner of this type, whatever the subject.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(_ owner: O, of _: M.Type) {
        owners.remove(owner, in: native) { $0.kind == .message && $0.name == Herald.name(of: M.self) }
    }

    /// Ends what was observed by this owner of this type about this instance.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(
        _ owner: O, of _: M.Type, subject: M.Subject
    ) {
        let key = Owners.Key(kind: .message, name: Herald.name(of: M.self), subject: address(of: subject))
        owners.remove(owner, in: native) { $0 == key }
    }
}

// How a post is read for a body.
extension HeraldCenter {
    @inlinable
    static func read<M: Message & ~Copyable>(_ body: @escaping (borrowing M) -> Void) -> Observation.Body {
        { _, _, payload in
            body(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee)
            return true
        }
    }

    /// Who posts such a message is on the main actor: it can be posted in no other way.
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

// Where every kind of observer meets the core.
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
