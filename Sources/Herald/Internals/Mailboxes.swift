#if os(Linux)
// Mailboxes whose `wake` starts the work that calls a body: a turn in a queue (`Turns`), or a task (`Stay`).
extension Mailbox {
    /// A scheduler runs the turns in which `call` is called. `call` returns false if the owner is gone.
    @inlinable convenience init(
        _ buffer: HeraldCenter.Buffer, merge: Merge? = nil, via scheduler: @escaping HeraldCenter.Run,
        _ call: @escaping @Sendable (Element) -> Bool
    ) {
        self.init(buffer, merge: merge, body: Body(call), wake: { $0.ask(scheduler) })
    }

    /// A task calls the body, in stays.
    @inlinable convenience init(_ buffer: HeraldCenter.Buffer, merge: Merge? = nil, _ stay: Stay<Element>) {
        self.init(buffer, merge: merge, body: stay, isForTask: true, wake: { $0.startTask() })
    }
}

extension HeraldCenter {
    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, via scheduler: @escaping Run,
        _ body: @escaping @Sendable (M) -> Void
    ) -> Mailbox<M> {
        Mailbox(buffer, merge: merge, via: scheduler) {
            body($0)
            return true
        }
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O, via scheduler: @escaping Run,
        _ body: @escaping @Sendable (O, M) -> Void
    ) -> Mailbox<M> {
        Mailbox(buffer, merge: merge, via: scheduler) { [weak owner] element in
            guard let owner else { return false }
            body(owner, element)
            return true
        }
    }

    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil,
        _ body: @escaping @isolated(any) @Sendable (M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            Stay(on: body.isolation) { (_: isolated (any Actor)?, element) in
                await body(element)
                return true
            })
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O,
        _ body: @escaping @isolated(any) @Sendable (O, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            Stay(on: body.isolation) { [weak owner] (_: isolated (any Actor)?, element) in
                guard let owner else { return false }
                await body(owner, element)
                return true
            })
    }

    @inlinable
    static func mailbox<M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil,
        _ body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            Stay(on: body.isolation) { (_: isolated (any Actor)?, element) in
                do { try await body(element) } catch { await failed(error, element) }
                return true
            })
    }

    @inlinable
    static func mailbox<O: AnyObject & Sendable, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, for owner: O,
        _ body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            Stay(on: body.isolation) { [weak owner] (_: isolated (any Actor)?, element) in
                guard let owner else { return false }
                do { try await body(owner, element) } catch { await failed(owner, error, element) }
                return true
            })
    }

    @inlinable
    static func mailbox<A: Actor, M>(
        _ buffer: Buffer, merge: Mailbox<M>.Merge? = nil, on actor: A,
        _ body: @escaping @Sendable (isolated A, M) async -> Void
    ) -> Mailbox<M> {
        Mailbox(
            buffer, merge: merge,
            Stay({ [weak actor] in actor.map { Stay<M>.Place($0) } }) {
                [weak actor] (_: isolated (any Actor)?, element) in
                guard let actor else { return false }
                await body(actor, element)
                return true
            })
    }
}
#endif
