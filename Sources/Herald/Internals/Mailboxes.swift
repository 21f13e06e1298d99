// Mailboxes whose `wake` starts the work that calls a body: a turn in a queue (`Turns`), or a task (`Stay`).
extension HeraldCenter {
    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, via scheduler: @escaping Run,
        _ body: @escaping @Sendable (M) -> Void
    ) -> Mailbox<M> {
        Mailbox(buffer, merge: merge, wake: { Turns($0, scheduler, body).ask() })
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O, via scheduler: @escaping Run,
        _ body: @escaping @Sendable (O, M) -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            wake: { [weak owner] mailbox in
                Turns(mailbox, scheduler) { [weak owner] element in
                    guard let owner else { return mailbox.end() }
                    body(owner, element)
                }.ask()
            })
    }

    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil,
        _ body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge, isForTask: true,
            wake: { mailbox in
                Task.detached {
                    while await Stay.run(
                        mailbox, on: body.isolation,
                        { (_: isolated (any Actor)?, element) in
                            await body(element)
                            return true
                        })
                    { await Task.yield() }
                }
            })
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O,
        _ body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge, isForTask: true,
            wake: { [weak owner] mailbox in
                Task.detached {
                    while await Stay.run(
                        mailbox, on: body.isolation,
                        { [weak owner] (_: isolated (any Actor)?, element) in
                            guard let owner else { return false }
                            await body(owner, element)
                            return true
                        })
                    { await Task.yield() }
                }
            })
    }

    @inlinable
    static func mailbox<A: Actor, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, on actor: A,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge, isForTask: true,
            wake: { [weak actor] mailbox in
                Task.detached { [weak actor] in  // the actor is retained for one stay at most
                    while let here = actor,
                        await Stay.run(
                            mailbox, on: here,
                            { [weak actor] (_: isolated (any Actor)?, element) in
                                guard let actor else { return false }
                                await body(actor, element)
                                return true
                            })
                    { await Task.yield() }
                    if actor == nil { mailbox.end() }
                }
            })
    }
}
