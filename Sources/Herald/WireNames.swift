import CHerald
import CHeraldRuntime
public import Dispatch

// Posts of a name alone, without a message. Every `WireCenter` carries such posts, as well as messages.
extension WireCenter {
    /// Posts a name. Its observers, in this process and in all others, are called later, on other threads.
    ///
    /// The post does not wait for observers. It reports no error; ``HostCenter/check()`` and ``events`` report errors.
    ///
    /// The corresponding C function is `HeraldCenterPostNotification`.
    public func post(_ name: HeraldCenter.Name) {
        HeraldCenterPostNotification(wire.center.native, name.native, nil, nil, false)
    }

    /// Whether the center is suspended in this process (R16); see ``HeraldCenter/isSuspended``.
    public var isSuspended: Bool {
        get { wire.center.isSuspended }
        nonmutating set { wire.center.isSuspended = newValue }
    }

    /// Observes the posts of a name on Herald's thread, while the token lives.
    ///
    /// When the registration ends, no new call starts (R6), and the body is released after its last call (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - whileSuspended: How posts are treated while the center is suspended in this process (R16).
    ///   - body: Called on the thread that all observers without a queue or an actor share. A slow body delays the
    ///     others.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, name.native, Filter(file, line), whileSuspended: whileSuspended,
            herald_swift_closure(notice: { _ in body(wire.post(of: name)) }))
    }

    /// Observes the posts of a name through a queue, while the token lives.
    ///
    /// Posts that wait for the body are joined into one ``NamePost``. Posts that still wait when the registration ends
    /// are dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - scheduler: Runs the body; see ``HeraldCenter/Scheduler``.
    ///   - body: Called where the scheduler runs it, with one ``NamePost`` at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, via scheduler: @escaping HeraldCenter.Scheduler,
        _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(name, Filter(file, line), HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, via: scheduler, body))
    }

    /// Observes the posts of a name on a queue, while the token lives.
    ///
    /// This call is equivalent to `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - queue: Runs the body.
    ///   - body: Called on the queue, with one ``NamePost`` at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, via queue: DispatchQueue, _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(name, via: HeraldCenter.scheduler(queue), body, file: file, line: line)
    }

    /// Observes the posts of a name on the body's own actor, while the token lives.
    ///
    /// Posts that wait for the body are joined into one ``NamePost``. Posts that still wait when the registration ends
    /// are dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - body: Called on the actor to which the body is isolated, with one ``NamePost`` at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(name, Filter(file, line), HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, body))
    }

    /// Observes the posts of a name on Herald's thread, while an owner lives.
    ///
    /// Observing the same name again with the same owner replaces the registration. The body is not called after the
    /// owner is gone (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - whileSuspended: How posts are treated while the center is suspended in this process (R16).
    ///   - body: Called with the owner, on the thread that all observers without a queue or an actor share.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, name.native, Filter(file, line), by: owner,
            whileSuspended: whileSuspended,
            herald_swift_closure(owner: owner, notice: { (owner: O, _) in body(owner, wire.post(of: name)) }))
    }

    /// Observes the posts of a name on the body's own actor, while an owner lives.
    ///
    /// Observing the same name again with the same owner replaces the registration. Posts that still wait when a
    /// registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one ``NamePost`` at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, Filter(file, line), by: owner,
            HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, for: owner, body))
    }

    /// Observes the posts of a name on an actor, while the actor lives.
    ///
    /// Observing the same name again with the same actor replaces the registration. Posts that still wait when a
    /// registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - actor: The owner, referenced weakly; retained during a call.
    ///   - body: Called on the actor, with one ``NamePost`` at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<A: Actor>(
        _ name: HeraldCenter.Name, on actor: A, _ body: @escaping @Sendable (isolated A, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, Filter(file, line), by: actor,
            HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, on: actor, body))
    }

    /// The posts of a name from now on, as a sequence. The observer is registered when this call returns.
    ///
    /// Posts that wait to be taken are joined into one ``NamePost``, so the sequence drops none. The counts add up to
    /// the number of posts, unless the center was suspended or lost posts.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The sequence and its iterators together own the registration.
    public func messages(named name: HeraldCenter.Name, file: StaticString = #fileID, line: UInt = #line) -> Messages<
        NamePost
    > {
        let mailbox = Mailbox<NamePost>(.newest(1), merge: NamePost.merge)
        return Messages(mailbox, observe(name, Filter(file, line), mailbox))
    }

    /// The next post of a name. The observer is registered when the call begins.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - isolation: The caller's actor, on which the call resumes.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The post; `nil` if the task is cancelled.
    public func next(
        _ name: HeraldCenter.Name, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
        line: UInt = #line
    ) async -> NamePost? {
        let messages = messages(named: name, file: file, line: line).makeAsyncIterator()
        return await messages.next(isolation: isolation)
    }

    /// Ends the registration of this owner for this name, without waiting for running calls.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`; its `deinit` may make this call.
    ///   - name: The name that the owner observes.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: HeraldCenter.Name) {
        wire.center.removeObserver(owner, of: name)
    }

    /// Ends all registrations of this owner with this center, without waiting for running calls. The owner's `deinit`
    /// may make this call.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        wire.center.removeObserver(owner)
    }

    private func observe(
        _ name: HeraldCenter.Name, _ filter: Filter, _ mailbox: Mailbox<NamePost>
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, name.native, filter, delivery: mailbox,
            herald_swift_closure(while: { _, _, _, _ in mailbox.send(wire.post(of: name)) ? 1 : 0 }))
    }

    private func observe(
        _ name: HeraldCenter.Name, _ filter: Filter, by owner: AnyObject, _ mailbox: Mailbox<NamePost>
    ) {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, name.native, filter, by: owner, delivery: mailbox,
            herald_swift_closure(while: { _, _, _, _ in mailbox.send(wire.post(of: name)) ? 1 : 0 }))
    }
}
