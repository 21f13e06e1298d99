public import Dispatch

/// Observers of names that run in a queue or on an actor, not on the posting thread. The calls have the same forms as
/// those for messages.
extension HeraldCenter {
    /// Observes the posts of a name through a queue, while the token lives.
    ///
    /// The post copies its `userInfo`. The post waits only if the scheduler waits. If a thread posts and then puts work
    /// on the scheduler's serial queue, the body runs before that work. Posts that still wait when the registration
    /// ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with one post at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a body that has
    ///   begun.
    public func observe(
        _ name: Name, subject: AnySubject = nil, via scheduler: @escaping Scheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(file, line), Self.mailbox(buffer, via: scheduler, body))
    }

    /// Observes the posts of a name about one instance through a queue, while the token lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe(
        _ name: Name, subject: AnyObject?, via scheduler: @escaping Scheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(subject, file, line), Self.mailbox(buffer, via: scheduler, body))
    }

    /// Observes the posts of a name on a queue, while the token lives.
    ///
    /// This call is equivalent to `via:` with `{ queue.async(execute: $0) }`. The body gets posts even while the center
    /// is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - queue: Runs the body.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the queue, with one post at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a body that has
    ///   begun.
    public func observe(
        _ name: Name, subject: AnySubject = nil, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(file, line), Self.mailbox(buffer, via: Self.scheduler(queue), body))
    }

    /// Observes the posts of a name about one instance on a queue, while the token lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe(
        _ name: Name, subject: AnyObject?, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(subject, file, line), Self.mailbox(buffer, via: Self.scheduler(queue), body))
    }

    /// Observes the posts of a name through a queue, while an owner lives.
    ///
    /// The post copies its `userInfo`. The post waits only if the scheduler waits. If a thread posts and then puts work
    /// on the scheduler's serial queue, the body runs before that work. When the owner is gone or removed, posts that
    /// still wait are dropped (R6). Observing the same name and subject again with the same owner replaces the
    /// registration. The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one post at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O, via scheduler: @escaping Scheduler,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, via: scheduler, body))
    }

    /// Observes the posts of a name about one instance through a queue, while an owner lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject?, by owner: O, via scheduler: @escaping Scheduler,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(subject, file, line), by: owner, Self.mailbox(buffer, for: owner, via: scheduler, body))
    }

    /// Observes the posts of a name on a queue, while an owner lives.
    ///
    /// This call is equivalent to `via:` with `{ queue.async(execute: $0) }`. The body gets posts even while the center
    /// is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - queue: Runs the body.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the queue, with the owner and one post at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, via: Self.scheduler(queue), body))
    }

    /// Observes the posts of a name about one instance on a queue, while an owner lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject?, by owner: O, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, Filter(subject, file, line), by: owner,
            Self.mailbox(buffer, for: owner, via: Self.scheduler(queue), body))
    }

    /// Observes the posts of a name on the body's own actor, while the token lives.
    ///
    /// A post copies its `userInfo` and does not wait for the body. A body that is written in a main-actor class or in
    /// an actor runs on that actor. So the body may change the state of that class or actor. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a body that has
    ///   begun.
    public func observe(
        _ name: Name, subject: AnySubject = nil, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(file, line), Self.mailbox(buffer, body))
    }

    /// Observes the posts of a name about one instance on the body's own actor, while the token lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe(
        _ name: Name, subject: AnyObject?, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(subject, file, line), Self.mailbox(buffer, body))
    }

    /// Observes the posts of a name on the body's own actor, while an owner lives.
    ///
    /// A post copies its `userInfo` and does not wait for the body. Observing the same name and subject again with the
    /// same owner replaces the registration. Posts that still wait when a registration ends are dropped (R6). The body
    /// gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the posts of a name about one instance on the body's own actor, while an owner lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject?, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(subject, file, line), by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the posts of a name on an actor, while the actor lives.
    ///
    /// A post copies its `userInfo` and does not wait for the body. Observing the same name and subject again with the
    /// same actor replaces the registration. Posts that still wait when a registration ends are dropped (R6). The body
    /// gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - actor: The owner, referenced weakly; retained during a call.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor, with one post at a time, in posting order.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<A: Actor>(
        _ name: Name, subject: AnySubject = nil, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: actor, Self.mailbox(buffer, on: actor, body))
    }

    /// Observes the posts of a name about one instance on an actor, while the actor lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<A: Actor>(
        _ name: Name, subject: AnyObject?, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(subject, file, line), by: actor, Self.mailbox(buffer, on: actor, body))
    }
}
