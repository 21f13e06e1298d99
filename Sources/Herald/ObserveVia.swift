public import Dispatch

/// Observers of messages through queues. Each has a mailbox, so its body is called in posting order.
extension HeraldCenter {
    /// Runs work, later or at once: `{ operationQueue.addOperation($0) }`. For a `DispatchQueue` pass the queue itself.
    ///
    /// Herald calls it on the posting thread, and on the thread that runs the work; on several threads at once, if
    /// several post. It may wait until the work has run, as `queue.sync` does. It must run every piece of work: if it
    /// drops one, messages pile up.
    ///
    /// If the scheduler runs work at once or waits for it, then messages that a body posts in that work are heard in
    /// the same piece of work, up to 1,024 of them.
    public typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Observes the messages of a type through a queue, while the token lives.
    ///
    /// The post copies the message and does not wait. If a thread posts and then puts work on the scheduler's serial
    /// queue, the body runs before that work. Nothing that is queued runs after the registration has ended (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance; all messages if it is left out or a literal `nil`. If a variable
    ///     that is `nil` is passed, the body is never called.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, for one message after the other, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending it does not wait for a body that has begun.
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
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
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
    /// Equivalent to `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance; all messages if it is left out or a literal `nil`. If a variable
    ///     that is `nil` is passed, the body is never called.
    ///   - queue: Runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the queue, for one message after the other, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending it does not wait for a body that has begun.
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
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
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
    /// The post copies the message and does not wait. If a thread posts and then puts work on the scheduler's serial
    /// queue, the body runs before that work. Nothing that is queued runs after the owner is gone or removed (R6).
    /// Observing the same type and subject again with the same owner replaces the registration.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance; all messages if it is left out or a literal `nil`. If a variable
    ///     that is `nil` is passed, the body is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called with the owner, where the scheduler runs it, for one message after the other, in posting order.
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
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
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
    /// Equivalent to `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance; all messages if it is left out or a literal `nil`. If a variable
    ///     that is `nil` is passed, the body is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - queue: Runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called with the owner, on the queue, for one message after the other, in posting order.
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
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
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
