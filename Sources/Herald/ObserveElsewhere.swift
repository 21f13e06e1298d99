/// Observers that hear elsewhere than on the posting thread: one mailbox for each, so in posting order. Whatever ends
/// the observation, nothing that is queued runs after it.
extension HeraldCenter {
    /// Runs work somewhere, later or at once: `{ queue.async(execute: $0) }`, `{ operationQueue.addOperation($0) }`.
    ///
    /// Herald gives it one piece at a time for each observation, and one more that may find nothing. It must run each:
    /// a piece that is dropped is the last, and what is posted after it piles up.
    public typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Observes the messages of a type through a queue, until the token goes. The post does not wait.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (M) -> Void
    ) -> ObservationToken {
        observe(M.self, .any, Self.mailbox(via: scheduler, body))
    }

    /// Observes the messages of a type about one instance through a queue, until the token goes.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, via scheduler: @escaping Scheduler, _ body: @escaping @Sendable (M) -> Void
    ) -> ObservationToken {
        observe(M.self, Filter(subject), Self.mailbox(via: scheduler, body))
    }

    /// Observes the posts of a name through a queue, until the token goes.
    public func observe(
        _ name: Name, subject: AnySubject = nil, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (Posted) -> Void
    ) -> ObservationToken {
        observe(name, .any, Self.mailbox(via: scheduler, body))
    }

    /// Observes the posts of a name about one instance through a queue, until the token goes.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe(
        _ name: Name, subject: AnyObject?, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (Posted) -> Void
    ) -> ObservationToken {
        observe(name, Filter(subject), Self.mailbox(via: scheduler, body))
    }

    /// Observes the messages of a type on the body's own actor, until the token goes. The post does not wait; the body
    /// is called for one message after the other.
    ///
    /// A body written in a main-actor class or in an actor runs there, and may change it.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> ObservationToken {
        observe(M.self, .any, Self.mailbox(buffer, body))
    }

    /// Observes the messages of a type about one instance on the body's own actor, until the token goes.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> ObservationToken {
        observe(M.self, Filter(subject), Self.mailbox(buffer, body))
    }

    /// Observes the messages of a type on the body's own actor while an owner lives. The owner is held weakly;
    /// observing the same type and subject again with the same owner replaces what was before.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) {
        observe(M.self, .any, by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type about one instance on the body's own actor while an owner lives.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) {
        observe(M.self, Filter(subject), by: owner, Self.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type on an actor, while it lives. The actor is the owner, and held weakly.
    @inlinable
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) {
        observe(M.self, .any, by: actor, Self.mailbox(buffer, on: actor, body))
    }

    /// Observes the messages of a type about one instance on an actor, while it lives.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) {
        observe(M.self, Filter(subject), by: actor, Self.mailbox(buffer, on: actor, body))
    }
}

// Posts into mailboxes.
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

// Mailboxes whose work is done elsewhere.
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
                    { (_: isolated (any Actor)?, message) in
                        await body(message)
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
                    { [weak owner] (_: isolated (any Actor)?, message) in
                        guard let owner else { return false }
                        await body(owner, message)
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
            Task.detached { [weak actor] in  // held for a turn at the most
                while let here = actor,
                    await turn(
                        mailbox, on: here,
                        { [weak actor] (_: isolated (any Actor)?, message) in
                            guard let actor else { return false }
                            await body(actor, message)
                            return true
                        })
                { await Task.yield() }
                if actor == nil { mailbox.end() }
            }
        }
    }

    /// A turn on an actor, which others want, too; false when there was nothing to do, and who is at work rests.
    /// Between turns the task leaves the actor and yields, and what comes meanwhile need not wake anybody.
    ///
    /// `hear` runs on the actor, so that nobody else does between the last look at whether the observation is over and
    /// the body. It answers false when its owner is gone.
    @inlinable
    static func turn<M>(
        _ mailbox: Mailbox<M>, on actor: isolated (any Actor)?,
        _ hear: @Sendable (isolated (any Actor)?, M) async -> Bool
    ) async -> Bool {
        var hand: [M] = []
        var heard = 0
        while heard < 64, mailbox.take(into: &hand) {
            for message in hand where !mailbox.isOver {
                guard await hear(actor, message) else {
                    mailbox.end()
                    return false
                }
            }
            heard += hand.count
            hand.removeAll(keepingCapacity: true)
        }
        return heard > 0 || !mailbox.rest()
    }
}
