/// Observers that do not run on the posting thread. Each has a mailbox, so its body is called in posting order; nothing
/// that is queued runs after the registration has ended.
extension HeraldCenter {
    /// Runs work, later or at once: `{ queue.async(execute: $0) }`, `{ operationQueue.addOperation($0) }`.
    ///
    /// Herald calls it on the posting thread, and on the thread that runs the work, with one piece of work at a time
    /// for each registration. It must run every piece: after one that it drops it is not called again, and the messages
    /// of the registration pile up.
    public typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Observes the messages of a type through a queue, until the token goes.
    ///
    /// The post copies the message and does not wait. Nothing that is queued runs after the registration has ended
    /// (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - body: Called where the scheduler runs it, for one message after the other, in posting order.
    /// - Returns: The token that owns the registration. It does not wait for a body that has begun.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (M) -> Void
    ) -> ObservationToken {
        observe(M.self, .any, Self.mailbox(via: scheduler, body))
    }

    /// Observes the messages of a type about one instance through a queue, until the token goes.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, via scheduler: @escaping Scheduler, _ body: @escaping @Sendable (M) -> Void
    ) -> ObservationToken {
        observe(M.self, Filter(subject), Self.mailbox(via: scheduler, body))
    }

    /// Observes the posts of a name through a queue, until the token goes.
    ///
    /// The post copies its `userInfo` and does not wait. Nothing that is queued runs after the registration has ended
    /// (R6). A suspended center does not hold these posts (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - scheduler: Runs the body; see ``Scheduler``.
    ///   - body: Called where the scheduler runs it, for one post after the other, in posting order.
    /// - Returns: The token that owns the registration. It does not wait for a body that has begun.
    public func observe(
        _ name: Name, subject: AnySubject = nil, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (Posted) -> Void
    ) -> ObservationToken {
        observe(name, .any, Self.mailbox(via: scheduler, body))
    }

    /// Observes the posts of a name about one instance through a queue, until the token goes.
    ///
    /// - Parameter subject: Only posts about this instance, not retained (R12). `nil`: the body is never called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe(
        _ name: Name, subject: AnyObject?, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (Posted) -> Void
    ) -> ObservationToken {
        observe(name, Filter(subject), Self.mailbox(via: scheduler, body))
    }

    /// Observes the messages of a type on the body's own actor, until the token goes.
    ///
    /// The post copies the message and does not wait. A body written in a main-actor class or in an actor runs there,
    /// and may change its state. Nothing that is queued runs after the registration has ended (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor that it is isolated to, for one message after the other, in posting order.
    /// - Returns: The token that owns the registration. It does not wait for a body that has begun.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> ObservationToken {
        observe(M.self, .any, Self.mailbox(buffer, body))
    }

    /// Observes the messages of a type about one instance on the body's own actor, until the token goes.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> ObservationToken {
        observe(M.self, Filter(subject), Self.mailbox(buffer, body))
    }

    /// Observes the messages of a type on the body's own actor, while an owner lives.
    ///
    /// The post copies the message and does not wait. Observing the same type and subject again with the same owner
    /// replaces the registration. Nothing that is queued runs after it has ended (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called with the owner on the actor that it is isolated to, for one message after the other.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) {
        observe(M.self, .any, by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type about one instance on the body's own actor, while an owner lives.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) {
        observe(M.self, Filter(subject), by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type on an actor, while the actor lives.
    ///
    /// The post copies the message and does not wait. Observing the same type and subject again with the same actor
    /// replaces the registration. Nothing that is queued runs after it has ended (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance. Left out or a literal `nil`: all. A `nil` variable: none.
    ///   - actor: The owner, referenced weakly; retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor, for one message after the other, in posting order.
    @inlinable
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) {
        observe(M.self, .any, by: actor, Self.mailbox(buffer, on: actor, body))
    }

    /// Observes the messages of a type about one instance on an actor, while the actor lives.
    ///
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the body is never called.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) {
        observe(M.self, Filter(subject), by: actor, Self.mailbox(buffer, on: actor, body))
    }
}

// Observers that send what is posted to a mailbox.
extension HeraldCenter {
    @inlinable
    func observe<M: Message & Sendable>(_: M.Type, _ filter: Filter, _ mailbox: Mailbox<M>) -> ObservationToken {
        observe(.message, Herald.name(of: M.self), filter, delivery: mailbox, Self.send(to: mailbox))
    }

    @inlinable
    func observe<M: Message & Sendable>(
        _: M.Type, _ filter: Filter, by owner: AnyObject, _ mailbox: Mailbox<M>
    ) {
        observe(.message, Herald.name(of: M.self), filter, by: owner, delivery: mailbox, Self.send(to: mailbox))
    }

    @usableFromInline
    func observe(_ name: Name, _ filter: Filter, _ mailbox: Mailbox<Posted>) -> ObservationToken {
        observe(.notice, name.native, filter, delivery: mailbox) { name, object, payload in
            mailbox.send(Posted(Notice(name, object, payload)))
        }
    }

    @inlinable
    static func send<M: Message & Sendable>(to mailbox: Mailbox<M>) -> Observation.Body {
        { _, _, payload in mailbox.send(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee) }
    }
}

// Mailboxes that start the work in which a body is called.
extension HeraldCenter {
    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer = .unbounded, merge: Mailbox<M>.Merge? = nil, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (M) -> Void
    ) -> Mailbox<M> {
        Mailbox(buffer, merge: merge) { Turns($0, scheduler, body).ask() }
    }

    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil,
        _ body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(buffer, merge: merge) { mailbox in
            Task.detached {
                while await turn(
                    mailbox, on: body.isolation,
                    { (_: isolated (any Actor)?, element) in
                        await body(element)
                        return true
                    })
                { await Task.yield() }
            }
        }
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O,
        _ body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(buffer, merge: merge) { [weak owner] mailbox in
            Task.detached {
                while await turn(
                    mailbox, on: body.isolation,
                    { [weak owner] (_: isolated (any Actor)?, element) in
                        guard let owner else { return false }
                        await body(owner, element)
                        return true
                    })
                { await Task.yield() }
            }
        }
    }

    @inlinable
    static func mailbox<A: Actor, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, on actor: A,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(buffer, merge: merge) { [weak actor] mailbox in
            Task.detached { [weak actor] in  // retained for one turn at most
                while let here = actor,
                    await turn(
                        mailbox, on: here,
                        { [weak actor] (_: isolated (any Actor)?, element) in
                            guard let actor else { return false }
                            await body(actor, element)
                            return true
                        })
                { await Task.yield() }
                if actor == nil { mailbox.end() }
            }
        }
    }

    /// One turn of a mailbox's task on an actor that other tasks use too: a batch of calls of `deliver`. Returns false
    /// when the mailbox was empty, and the task ends. Between turns the task leaves the actor and yields; an element
    /// that is sent meanwhile need not start a task.
    ///
    /// `deliver` runs on the actor, so that no other work of the actor comes between the check that the registration
    /// has not ended and the body. It returns false when the owner is gone.
    @inlinable
    static func turn<M>(
        _ mailbox: Mailbox<M>, on actor: isolated (any Actor)?,
        _ deliver: @Sendable (isolated (any Actor)?, M) async -> Bool
    ) async -> Bool {
        var batch: [M] = []
        var taken = 0
        while taken < 64, mailbox.take(into: &batch) {
            for element in batch where !mailbox.isOver {
                guard await deliver(actor, element) else {
                    mailbox.end()
                    return false
                }
            }
            taken += batch.count
            batch.removeAll(keepingCapacity: true)
        }
        return taken > 0 || !mailbox.rest()
    }
}
