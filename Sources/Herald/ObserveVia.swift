public import Dispatch

/// Observers that get messages through a queue. The messages for an observer wait in its mailbox, in posting order.
extension HeraldCenter {
    /// A function that runs work, later or at once: for example `{ operationQueue.addOperation($0) }`. For a
    /// `DispatchQueue`, pass the queue itself.
    ///
    /// Herald calls the scheduler on threads that post, and on threads that run the work. Several threads may call the
    /// scheduler at once. The scheduler may wait until the work has run, as `queue.sync` does. The scheduler may release
    /// a piece of work without running it, as `operationQueue.cancelAllOperations()` does. The messages that waited for
    /// this piece are lost, and counted as dropped. Later messages get another piece.
    ///
    /// If the scheduler runs the work at once, or waits for the work, the body runs before the scheduler returns.
    /// Suppose that the body then posts a message that it observes itself. The same piece of work delivers this
    /// message, too. One piece of work delivers at most 1,024 messages from its own body.
    public typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Observes the messages of a type through a queue, while the token lives.
    ///
    /// The post copies the message. The post waits only if the scheduler waits. Suppose that the scheduler uses a
    /// serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block. Messages
    /// that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: If you pass an instance, the body is called only for messages about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all messages. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the token does not wait for a body that has begun.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, via scheduler: @escaping Scheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(M.self, Filter(file, line), Self.mailbox(buffer, via: scheduler, body))
    }

    /// Observes the messages of a type about one instance through a queue, while the token lives.
    ///
    /// - Parameter subject: Only messages about this instance. The registration does not retain the instance (R12).
    ///   `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, via scheduler: @escaping Scheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(M.self, Filter(subject, file, line), Self.mailbox(buffer, via: scheduler, body))
    }

    /// Observes the messages of a type on a queue, while the token lives.
    ///
    /// This call is equivalent to `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: If you pass an instance, the body is called only for messages about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all messages. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - queue: Runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the queue, with one message at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the token does not wait for a body that has begun.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(M.self, Filter(file, line), Self.mailbox(buffer, via: Self.scheduler(queue), body))
    }

    /// Observes the messages of a type about one instance on a queue, while the token lives.
    ///
    /// - Parameter subject: Only messages about this instance. The registration does not retain the instance (R12).
    ///   `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(M.self, Filter(subject, file, line), Self.mailbox(buffer, via: Self.scheduler(queue), body))
    }

    /// Observes the messages of a type through a queue, while an owner lives.
    ///
    /// The post copies the message. The post waits only if the scheduler waits. Suppose that the scheduler uses a
    /// serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block. Messages
    /// that still wait when the owner is gone or removed are dropped (R6). Observing the same type and subject again
    /// with the same owner replaces the registration.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: If you pass an instance, the body is called only for messages about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all messages. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, via scheduler: @escaping Scheduler,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(M.self, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, via: scheduler, body))
    }

    /// Observes the messages of a type about one instance through a queue, while an owner lives.
    ///
    /// - Parameter subject: Only messages about this instance. The registration does not retain the instance (R12).
    ///   `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, by owner: O, via scheduler: @escaping Scheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(M.self, Filter(subject, file, line), by: owner, Self.mailbox(buffer, for: owner, via: scheduler, body))
    }

    /// Observes the messages of a type on a queue, while an owner lives.
    ///
    /// This call is equivalent to `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: If you pass an instance, the body is called only for messages about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all messages. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - queue: Runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the queue, with the owner and one message at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            M.self, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, via: Self.scheduler(queue), body))
    }

    /// Observes the messages of a type about one instance on a queue, while an owner lives.
    ///
    /// - Parameter subject: Only messages about this instance. The registration does not retain the instance (R12).
    ///   `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, by owner: O, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            M.self, Filter(subject, file, line), by: owner,
            Self.mailbox(buffer, for: owner, via: Self.scheduler(queue), body))
    }
}
