// Mailboxes whose `wake` starts the work that calls a body: a turn in a queue (`Turns`), or a task (`Stay`).
extension HeraldCenter {
    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, via scheduler: @escaping Run,
        _ body: @escaping @Sendable (M) -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            body: Body {
                body($0)
                return true
            }, wake: { $0.ask(scheduler) })
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O, via scheduler: @escaping Run,
        _ body: @escaping @Sendable (O, M) -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            body: Body { [weak owner] element in
                guard let owner else { return false }
                body(owner, element)
                return true
            }, wake: { $0.ask(scheduler) })
    }

    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil,
        _ body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> Mailbox<M> {
        let place = Stay<M>.Place(body.isolation)
        return Mailbox(
            buffer, merge: merge,
            stay: Stay({ place }) { (_: isolated (any Actor)?, element) in
                await body(element)
                return true
            }, wake: { $0.startTask() })
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O,
        _ body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) -> Mailbox<M> {
        let place = Stay<M>.Place(body.isolation)
        return Mailbox(
            buffer, merge: merge,
            stay: Stay({ place }) { [weak owner] (_: isolated (any Actor)?, element) in
                guard let owner else { return false }
                await body(owner, element)
                return true
            }, wake: { $0.startTask() })
    }

    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil,
        _ body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void
    ) -> Mailbox<M> {
        let place = Stay<M>.Place(body.isolation)
        return Mailbox(
            buffer, merge: merge,
            stay: Stay({ place }) { (_: isolated (any Actor)?, element) in
                do { try await body(element) } catch { await failed(error, element) }
                return true
            }, wake: { $0.startTask() })
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O,
        _ body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void
    ) -> Mailbox<M> {
        let place = Stay<M>.Place(body.isolation)
        return Mailbox(
            buffer, merge: merge,
            stay: Stay({ place }) { [weak owner] (_: isolated (any Actor)?, element) in
                guard let owner else { return false }
                do { try await body(owner, element) } catch { await failed(owner, error, element) }
                return true
            }, wake: { $0.startTask() })
    }

    @inlinable
    static func mailbox<A: Actor, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, on actor: A,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            stay: Stay({ [weak actor] in actor.map { Stay<M>.Place($0) } }) {
                [weak actor] (_: isolated (any Actor)?, element) in
                guard let actor else { return false }
                await body(actor, element)
                return true
            }, wake: { $0.startTask() })
    }
}
