/// Observers of messages on actors. Each observer has a mailbox, so its body is called in posting order.
///
/// A body shares its actor with other tasks. These tasks wait at most 10 ms plus the time of the running body.
extension HeraldCenter {
    /// Observes the messages of a type on the body's own actor, while the token lives.
    ///
    /// A post copies the message and does not wait for the body. A body that is written in a main-actor class or in an
    /// actor runs on that actor. So it may change the state of the class or actor. Messages that still wait when the
    /// registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. Without a subject, or with a literal
    ///     `nil`, it is called for all messages. With a variable that is `nil`, it is never called.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a body that has
    ///   begun.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(M.self, Filter(file, line), Self.mailbox(buffer, body))
    }

    /// Observes the messages of a type about one instance on the body's own actor, while the token lives.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(M.self, Filter(subject, file, line), Self.mailbox(buffer, body))
    }

    /// Observes the messages of a type on the body's own actor, while an owner lives.
    ///
    /// A post copies the message and does not wait for the body. Observing the same type and subject again with the
    /// same owner replaces the registration. Messages that still wait when a registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. Without a subject, or with a literal
    ///     `nil`, it is called for all messages. With a variable that is `nil`, it is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(M.self, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type about one instance on the body's own actor, while an owner lives.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(M.self, Filter(subject, file, line), by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type on an actor, while the actor lives.
    ///
    /// A post copies the message and does not wait for the body. Observing the same type and subject again with the
    /// same actor replaces the registration. Messages that still wait when a registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. Without a subject, or with a literal
    ///     `nil`, it is called for all messages. With a variable that is `nil`, it is never called.
    ///   - actor: The owner, referenced weakly; retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor, with one message at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    @inlinable
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(M.self, Filter(file, line), by: actor, Self.mailbox(buffer, on: actor, body))
    }

    /// Observes the messages of a type about one instance on an actor, while the actor lives.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(M.self, Filter(subject, file, line), by: actor, Self.mailbox(buffer, on: actor, body))
    }
}
