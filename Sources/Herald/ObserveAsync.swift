/// Observers that get messages on an actor. The messages for an observer wait in its mailbox, in posting order.
///
/// Even if messages keep coming, other tasks on the actor get their turns. They wait at most 10 ms plus the time of one
/// call of the body.
extension HeraldCenter {
    /// Observes the messages of a type on the body's own actor, while the token lives.
    ///
    /// A post copies the message, and does not wait for the body. A body that is written in an actor runs on that
    /// actor. A body that is written in a main-actor class runs on the main actor. So the body may change the state of
    /// the actor or class. When the registration ends, messages that the body has not received yet are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
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
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// A post copies the message, and does not wait for the body. A second registration of an owner for the same type
    /// and subject replaces the first. When a registration ends, messages that its body has not received yet are
    /// dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
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
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// A post copies the message, and does not wait for the body. A second registration of an actor for the same type
    /// and subject replaces the first. When a registration ends, messages that its body has not received yet are
    /// dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
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
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(M.self, Filter(subject, file, line), by: actor, Self.mailbox(buffer, on: actor, body))
    }
}
