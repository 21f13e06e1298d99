public import Dispatch

/// Observers that get the posts of a name in a queue or on an actor, not on the posting thread. Each call here has a
/// counterpart for messages, in `ObserveVia.swift` or `ObserveAsync.swift`.
extension HeraldCenter {
    /// Observes the posts of a name through a queue, while the token lives.
    ///
    /// A post copies its `userInfo`, and waits for the body only if the scheduler waits. If the scheduler puts the body
    /// into a serial queue, the body runs before all work that the posting thread puts into the queue later. When the
    /// registration ends, posts that the body has not received yet are dropped (R6). The body gets posts even while the
    /// center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the body is called for all posts. If the argument is a variable that is `nil`, the body is never
    ///     called.
    ///   - scheduler: Runs the work that calls the body. See ``Scheduler``.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called by the work that the scheduler runs, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    public func observe(
        _ name: Name, subject: AnySubject = nil, via scheduler: @escaping Scheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(file, line), Self.mailbox(buffer, via: scheduler, body))
    }

    /// Observes the posts of a name about one instance through a queue, while the token lives.
    ///
    /// - Parameter subject: The body is called only for posts about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// This call does the same as the call with the scheduler `{ queue.async(execute: $0) }`. The body gets posts even
    /// while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the body is called for all posts. If the argument is a variable that is `nil`, the body is never
    ///     called.
    ///   - queue: The queue in which the body runs.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the queue, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    public func observe(
        _ name: Name, subject: AnySubject = nil, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(file, line), Self.mailbox(buffer, via: Self.scheduler(queue), body))
    }

    /// Observes the posts of a name about one instance on a queue, while the token lives.
    ///
    /// - Parameter subject: The body is called only for posts about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// A post copies its `userInfo`, and waits for the body only if the scheduler waits. If the scheduler puts the body
    /// into a serial queue, the body runs before all work that the posting thread puts into the queue later. When the
    /// owner is gone or removed, posts that the body has not received yet are dropped (R6). A second registration of an
    /// owner for the same name and subject replaces the first. The body gets posts even while the center is suspended
    /// (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the body is called for all posts. If the argument is a variable that is `nil`, the body is never
    ///     called.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - scheduler: Runs the work that calls the body. See ``Scheduler``.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called by the work that the scheduler runs, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O, via scheduler: @escaping Scheduler,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, via: scheduler, body))
    }

    /// Observes the posts of a name about one instance through a queue, while an owner lives.
    ///
    /// - Parameter subject: The body is called only for posts about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// This call does the same as the call with the scheduler `{ queue.async(execute: $0) }`. The body gets posts even
    /// while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the body is called for all posts. If the argument is a variable that is `nil`, the body is never
    ///     called.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - queue: The queue in which the body runs.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the queue, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O, via queue: DispatchQueue, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, via: Self.scheduler(queue), body))
    }

    /// Observes the posts of a name about one instance on a queue, while an owner lives.
    ///
    /// - Parameter subject: The body is called only for posts about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// A post copies its `userInfo`, and does not wait for the body. A body that is written in an actor runs on that
    /// actor. A body that is written in a main-actor class runs on the main actor. So the body may change the state of
    /// the actor or class. When the registration ends, posts that the body has not received yet are dropped (R6). The
    /// body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the body is called for all posts. If the argument is a variable that is `nil`, the body is never
    ///     called.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    public func observe(
        _ name: Name, subject: AnySubject = nil, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, Filter(file, line), Self.mailbox(buffer, body))
    }

    /// Observes the posts of a name about one instance on the body's own actor, while the token lives.
    ///
    /// - Parameter subject: The body is called only for posts about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// A post copies its `userInfo`, and does not wait for the body. A second registration of an owner for the same
    /// name and subject replaces the first. When a registration ends, posts that its body has not received yet are
    /// dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the body is called for all posts. If the argument is a variable that is `nil`, the body is never
    ///     called.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the posts of a name about one instance on the body's own actor, while an owner lives.
    ///
    /// - Parameter subject: The body is called only for posts about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
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
    /// A post copies its `userInfo`, and does not wait for the body. A second registration of an actor for the same
    /// name and subject replaces the first. When a registration ends, posts that its body has not received yet are
    /// dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the body is called for all posts. If the argument is a variable that is `nil`, the body is never
    ///     called.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<A: Actor>(
        _ name: Name, subject: AnySubject = nil, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(file, line), by: actor, Self.mailbox(buffer, on: actor, body))
    }

    /// Observes the posts of a name about one instance on an actor, while the actor lives.
    ///
    /// - Parameter subject: The body is called only for posts about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<A: Actor>(
        _ name: Name, subject: AnyObject?, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, Filter(subject, file, line), by: actor, Self.mailbox(buffer, on: actor, body))
    }
}
