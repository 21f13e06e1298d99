/// Observers that hear elsewhere than on the posting thread: one mailbox for each, so in posting order. Whatever ends
/// the observation, nothing that is queued runs after it.
extension HeraldCenter {
    /// Runs work somewhere, later or at once: `{ queue.async(execute: $0) }`, `{ operationQueue.addOperation($0) }`.
    /// Herald gives it one piece at a time for each observation.
    public typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Observes the messages of a type through a queue, until the token goes. The post does not wait.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?? = nil, via scheduler: @escaping Scheduler,
        _ body: @escaping @Sendable (M) -> Void
    ) -> ObservationToken {
        let mailbox = Mailbox<M>(.unbounded) { mailbox in
            scheduler { Self.work(mailbox, scheduler, body) }
        }
        return observe(
            .message, Herald.name(of: M.self), Filter(subject), delivery: mailbox, Self.send(to: mailbox))
    }

    /// Observes the messages of a type on the body's own actor, until the token goes. The post does not wait; the body is
    /// called for one message after the other.
    ///
    /// A body written in a main-actor class or in an actor runs there, and may change it.
    @inlinable
    public func observe<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?? = nil, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> ObservationToken {
        let mailbox = Mailbox<M>(buffer) { mailbox in
            Task.detached {
                await Self.work(mailbox, isolation: body.isolation) { message in
                    await body(message)
                    return true
                }
            }
        }
        return observe(
            .message, Herald.name(of: M.self), Filter(subject), delivery: mailbox, Self.send(to: mailbox))
    }

    /// Observes the messages of a type on the body's own actor while an owner lives; see
    /// ``observe(_:subject:by:_:)-(_,_,_,(O,M)->Void)``.
    @inlinable
    public func observe<O: AnyObject & Sendable, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?? = nil, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) {
        let mailbox = Mailbox<M>(buffer) { [weak owner] mailbox in
            Task.detached {
                await Self.work(mailbox, isolation: body.isolation) { [weak owner] message in
                    guard let owner else { return false }
                    await body(owner, message)
                    return true
                }
            }
        }
        observe(
            .message, Herald.name(of: M.self), Filter(subject), by: owner, delivery: mailbox, Self.send(to: mailbox))
    }

    /// Observes the messages of a type on an actor, while it lives; see
    /// ``observe(_:subject:by:_:)-(_,_,_,(O,M)->Void)``.
    @inlinable
    public func observe<A: Actor, M: Message & Sendable>(
        _: M.Type, subject: M.Subject?? = nil, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) {
        let mailbox = Mailbox<M>(buffer) { [weak actor] mailbox in
            Task.detached {
                await Self.work(mailbox, isolation: actor) { [weak actor] message in
                    guard let actor else { return false }
                    await body(actor, message)
                    return true
                }
            }
        }
        observe(
            .message, Herald.name(of: M.self), Filter(subject), by: actor, delivery: mailbox, Self.send(to: mailbox))
    }

    @inlinable
    static func send<M: Message & Sendable>(to mailbox: Mailbox<M>) -> Observation.Body {
        { _, _, payload in mailbox.send(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee) }
    }

    /// A turn in a queue, which others share: a handful, and then to the end of the queue again. Only a turn that finds
    /// nothing is the last: so posts that follow each other need not wake anybody, which costs as much as twenty posts.
    @inlinable
    static func work<M>(
        _ mailbox: Mailbox<M>, _ scheduler: @escaping Scheduler, _ body: @escaping @Sendable (M) -> Void
    ) {
        var hand: [M] = []
        if !mailbox.take(into: &hand), mailbox.rest() { return }
        for message in hand where !mailbox.isOver { body(message) }
        scheduler { work(mailbox, scheduler, body) }
    }

    /// Work on an actor until nothing is left. `body`: false when its owner is gone.
    @inlinable
    static func work<M>(_ mailbox: Mailbox<M>, isolation: isolated (any Actor)?, _ body: (M) async -> Bool) async {
        var hand: [M] = []
        repeat {
            while mailbox.take(into: &hand) {
                for message in hand where !mailbox.isOver {
                    guard await body(message) else { return mailbox.end() }
                }
                hand.removeAll(keepingCapacity: true)
            }
            await Task.yield()  // to others on this actor; and what comes meanwhile need not wake anybody
        } while !mailbox.rest()
    }
}
